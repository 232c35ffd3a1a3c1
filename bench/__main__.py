"""`make bench`: the table. `python -m bench tiny` tries everything once, `python -m bench engine` the engine alone."""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable, Iterable

from bench import engine, site

Row = tuple[str, str, str]


def tell(line: str) -> None:
    """Say on stderr how far it is; the table alone is on stdout."""
    print(f"bench: {line}", file=sys.stderr, flush=True)


def engine_rows(seconds: float) -> list[Row]:
    """The engine's part of the table."""
    return [
        (what, f"{fastest:.3f} ms, median {median:.3f} ms", f"{aim:g} ms")
        for what, fastest, median, aim in engine.measure(seconds)
    ]


def site_rows(report: site.Report, size: site.Size) -> list[Row]:
    """The site's part of the table."""

    def middle(value: Callable[[site.Round], float]) -> float:
        return statistics.median(value(each) for each in report.rounds)

    def line(part: str) -> str:
        p50, p95, rate, cpu = (
            middle(lambda r: getattr(r, part).p50),
            middle(lambda r: getattr(r, part).p95),
            middle(lambda r: getattr(r, part).rate),
            middle(lambda r: getattr(r, part).cpu),
        )
        return f"p50 {p50:.1f} ms, p95 {p95:.1f} ms, {rate:.1f} orders/s, {cpu:.1f} ms of CPU an order"

    def ratio(value: Callable[[site.Round], float], floor: Callable[[site.Round], float]) -> float:
        return middle(lambda r: value(r) / floor(r) if floor(r) else 0.0)

    slower = ratio(lambda r: r.resting.p95, lambda r: r.floor_resting.p95)
    share = ratio(lambda r: r.saturated.rate, lambda r: r.floor_saturated.rate)
    dearer = ratio(lambda r: r.saturated.cpu, lambda r: r.floor_saturated.cpu)
    errors = [error for each in report.rounds for part in each for error in part.errors]
    short, long = report.growth
    costs: list[Row] = []
    for what, of in (("order", lambda g: g.order), ("page", lambda g: g.page)):
        a, b = of(short), of(long)
        costs += [
            (f"{what} at entry {short.entries} against {long.entries}: time",
             f"{a.milliseconds:.1f} ms against {b.milliseconds:.1f} ms of CPU", "equal"),
            (f"{what} at entry {short.entries} against {long.entries}: bytes",
             f"{a.size:.0f} against {b.size:.0f}", "equal"),
            (f"{what} at entry {short.entries} against {long.entries}: queries",
             f"{a.queries} against {b.queries}", "equal"),
        ]  # fmt: skip
    return [
        (f"{size.resting} battles at rest, POST to the opponent's frame", line("resting"), ""),
        (f"{size.battles} battles saturated, POST to the opponent's frame", line("saturated"), ""),
        ("floor at rest", line("floor_resting"), ""),
        ("floor saturated", line("floor_saturated"), ""),
        ("p95 at rest, times the floor's", f"{slower:.2f}", "at most 3"),
        ("orders a second saturated, of the floor's", f"{share:.3f}", "at least 0.4"),
        ("CPU of the server for an order, times the floor's", f"{dearer:.1f}", ""),
        *costs,
        (f"pushed frame at entry {short.entries} against {long.entries}: bytes", f"{short.frame} against {long.frame}",
         "equal"),
        ("errors under load", f"{len(errors)}{' ' + errors[0] if errors else ''}", "0"),
    ]  # fmt: skip


def table(rows: Iterable[Row]) -> str:
    """Rows in columns."""
    found = [("what", "measured", "aim"), *rows]
    widths = [max(len(row[i]) for row in found) for i in range(3)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in found
    )


def main(arguments: list[str]) -> int:
    """Measure and print."""
    tiny = "tiny" in arguments
    size = site.TINY if tiny else site.Size()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the run")
    tell("the engine")
    rows = engine_rows(0.05 if tiny else 1.5)
    if "engine" not in arguments:
        report = site.measure(size, tell)
        print(
            f"{report.variant}; {size.rounds} alternating rounds, medians; load {os.getloadavg()[0]:.1f} after the run"
        )
        rows += site_rows(report, size)
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
