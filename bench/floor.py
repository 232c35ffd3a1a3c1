"""The floor: the thinnest app on the same stack. An order comes in by a socket, becomes one row, and is told the group.

No people, no rules, no pages: what Django, channels, daphne and the database cost at least. Served by daphne as
`bench.floor:application`; BENCH_FLOOR is its SQLite file, or DATABASE_URL and REDIS_URL name the services.
"""

import json
import os

import django
import environ
from django.conf import settings

REDIS = os.environ.get("REDIS_URL", "")
DATABASE = environ.Env().db_url("BENCH_FLOOR")
DATABASE["CONN_MAX_AGE"] = 600  # the floor may leave connections behind
if DATABASE["ENGINE"].endswith("sqlite3"):
    DATABASE["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE", "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }  # fmt: skip
else:
    DATABASE["HOST"] = DATABASE["HOST"].replace("%2F", "/").replace("%2f", "/")

if not settings.configured:
    settings.configure(
        SECRET_KEY="floor",
        ALLOWED_HOSTS=["*"],
        DATABASES={"default": DATABASE},
        CHANNEL_LAYERS={
            "default": {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [REDIS]}}
            if REDIS
            else {"BACKEND": "channels.layers.InMemoryChannelLayer"}
        },
        INSTALLED_APPS=[],
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    )
    django.setup()

from channels.db import database_sync_to_async  # noqa: E402
from channels.generic.websocket import AsyncWebsocketConsumer  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.core.asgi import get_asgi_application  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
from django.urls import path  # noqa: E402


class Entry(models.Model):
    """One order."""

    battle = models.IntegerField(db_index=True)
    side = models.SmallIntegerField()
    body = models.TextField()

    class Meta:
        """It belongs to no installed app."""

        app_label = "floor"

    def __str__(self) -> str:
        return self.body


@database_sync_to_async
def keep(battle: int, side: int, body: str) -> None:
    """One row in a transaction of its own."""
    with transaction.atomic():
        Entry.objects.create(battle=battle, side=side, body=body)


class Player(AsyncWebsocketConsumer):
    """One player's socket."""

    async def connect(self) -> None:
        """Join the battle's group."""
        where = self.scope["url_route"]["kwargs"]
        self.battle, self.side = where["battle"], where["side"]
        await self.channel_layer.group_add(f"floor.{self.battle}", self.channel_name)
        await self.accept()

    async def disconnect(self, code: int) -> None:
        """Leave it."""
        await self.channel_layer.group_discard(f"floor.{self.battle}", self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Keep an order, then tell both."""
        order = json.loads(text_data or "{}")
        await keep(self.battle, self.side, text_data or "")
        event = {"seq": order["seq"], "side": self.side, "unit": order["unit"]}
        await self.channel_layer.group_send(f"floor.{self.battle}", {"type": "told", "event": json.dumps(event)})

    async def told(self, message: dict[str, str]) -> None:
        """Send what happened."""
        await self.send(text_data=message["event"])


application = ProtocolTypeRouter(
    {
        "http": get_asgi_application(),
        "websocket": URLRouter([path("ws/<int:battle>/<int:side>/", Player.as_asgi())]),  # type: ignore[arg-type]
    }
)


def make_table() -> None:
    """The one table, if it isn't there."""
    if Entry._meta.db_table not in connection.introspection.table_names():
        with connection.schema_editor() as editor:
            editor.create_model(Entry)


if __name__ == "__main__":
    make_table()
