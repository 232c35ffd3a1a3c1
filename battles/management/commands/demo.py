"""Lay the demo out: a cast, a campaign, three battles."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from battles import demo


class Command(BaseCommand):
    """Makes what is missing; run again it makes nothing twice."""

    help = "Lay the demo out: users, a campaign, a battle to deploy, one in the middle of play, one finished."

    def handle(self, *args: Any, **options: Any) -> None:
        """Make what is missing, and say what was made."""
        if not (settings.DEBUG and settings.DEMO):
            raise CommandError("The demo exists only with DEBUG=1 and DEMO=1.")
        for battle in demo.lay_out():
            self.stdout.write(f"{battle}: {battle.stage}, turn {battle.turn}")
        self.stdout.write("The demo is laid out: open /demo/ and sit down.")
