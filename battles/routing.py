"""Where websockets go."""

from channels.generic.websocket import AsyncWebsocketConsumer
from django.urls import path, re_path

from battles import close_codes
from battles.consumers import BattleConsumer

close_codes.allow()


class Nowhere(AsyncWebsocketConsumer):
    """What answers at an address that there isn't: the socket is turned away, and nothing is written down."""

    async def connect(self) -> None:
        """Turn it away."""
        await self.close()


websocket_urlpatterns = [
    path("ws/battles/<int:battle_id>/", BattleConsumer.as_asgi()),  # type: ignore[arg-type]
    re_path(r"", Nowhere.as_asgi()),  # type: ignore[arg-type]
]
