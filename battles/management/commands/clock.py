"""The clock as a process of its own."""

import asyncio
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand

from battles.clock import Clock


class Command(BaseCommand):
    help = "Strike deadlines as they fall due, until interrupted. Several clocks may run at once."

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until interrupted."""
        with suppress(KeyboardInterrupt):
            asyncio.run(Clock().run())
