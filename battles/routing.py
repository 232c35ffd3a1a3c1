"""Where websockets go."""

from django.urls import path

from battles import close_codes
from battles.consumers import BattleConsumer

close_codes.allow()

websocket_urlpatterns = [path("ws/battles/<int:battle_id>/", BattleConsumer.as_asgi())]  # type: ignore[arg-type]
