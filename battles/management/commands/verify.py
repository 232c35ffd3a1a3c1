"""Is a battle what its log says?"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from battles.models import Battle
from battles.verification import verify


class Command(BaseCommand):
    help = (
        "Throw every die again from the seed, fold the log and compare it with all that is stored. "
        "Exit status 1 and the number of the entry if anything differs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Which battle, and whether the commands are to be decided again."""
        parser.add_argument("battle", type=int, help="the battle's number")
        parser.add_argument("--decide", action="store_true", help="decide all commands again by today's rules as well")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what is wrong, or that nothing is."""
        try:
            problems = verify(options["battle"], decide=options["decide"])
        except Battle.DoesNotExist:
            raise CommandError(f"There is no battle {options['battle']}.") from None
        if problems:
            for problem in problems:
                self.stdout.write(str(problem))
            raise CommandError(f"Battle {options['battle']} is not what its log says.", returncode=1)
        self.stdout.write(self.style.SUCCESS(f"Battle {options['battle']} is what its log says."))
