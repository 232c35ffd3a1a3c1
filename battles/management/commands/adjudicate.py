"""Settle questions of the rules: play case files and say which hold."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rules import cases
from rules.core import codec
from rules.registry import ruleset


class Command(BaseCommand):
    """`manage.py adjudicate FILE...`: PASS or FAIL for every case; exit status 1 if one fails. No database is used."""

    help = "Play case files and say PASS or FAIL for each case."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Files, folders of files, and whether to show what happened."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="a case file, or a folder of them")
        parser.add_argument("--events", action="store_true", help="print the events of each case")

    def handle(self, *args: Any, **options: Any) -> None:
        """Play every case of every file."""
        passed = failed = broken = 0
        for path in self._paths(options["files"]):
            try:
                read = cases.read_cases(path)
            except cases.CaseError as error:
                broken += 1
                self.stderr.write(f"ERROR {error}")
                continue
            for case in read:
                try:
                    verdict = cases.run(case)
                except cases.CaseError as error:
                    broken += 1
                    self.stderr.write(f"ERROR {error}")
                    continue
                passed, failed = passed + verdict.passed, failed + (not verdict.passed)
                self._show(verdict, events=options["events"])
        self.stdout.write(f"{passed} passed, {failed} failed" + (f", {broken} could not be read" if broken else ""))
        if failed or broken:
            raise SystemExit(1)

    def _paths(self, names: list[str]) -> list[Path]:
        paths: list[Path] = []
        for name in names:
            path = Path(name)
            if path.is_dir():
                found = sorted(path.rglob("*.toml"))
                if not found:
                    raise CommandError(f"{path}: no case files in this folder")
                paths += found
            else:
                paths.append(path)
        return paths

    def _show(self, verdict: cases.Verdict, *, events: bool) -> None:
        self.stdout.write(f"{'PASS' if verdict.passed else 'FAIL'} {verdict.case.id}")
        for difference in verdict.differences:
            self.stdout.write(f"     {difference}")
        if events:
            grid = ruleset(verdict.case.ruleset).grid
            for event in verdict.events:
                shown = codec.labelled(event, grid)
                rule, seen_by = shown.pop("rule"), ", ".join(shown.pop("seen_by"))
                kind = shown.pop("type")
                self.stdout.write(f"  {rule:<7}{kind} {json.dumps(shown, ensure_ascii=False)}  ({seen_by})")
