"""Everything that a side may do, found from what it may see: what `options` returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import Literal

from rules.core.actors import Side
from rules.core.errors import IllegalCommand
from rules.core.grid import Cell
from rules.core.rulebook import Rule
from rules.tactical import artillery, deployment, firing, formations, melee, movement, musketry, victory
from rules.tactical import rulebook as book
from rules.tactical.commands import Form
from rules.tactical.losses import fate_at
from rules.tactical.options import (
    AnswerOption,
    AttackOption,
    Exchange,
    FireOption,
    FormOption,
    Options,
    PlaceOption,
    Reach,
    Refused,
    UnitOptions,
    WheelOption,
)
from rules.tactical.state import Melee, TacticalView
from rules.tactical.units import DIRECTIONS, FACINGS, Formation, Unit

StanceName = Literal["defensive_fire", "answer_charges"]


def options(view: TacticalView, only: str | None = None) -> Options:
    """What the viewer's side may do now. A moderator and the public get the questions that are theirs, no orders.

    With `only` the orders of one unit are found, those of the others are left out.
    """
    side = view.side
    answers = tuple(
        AnswerOption(decision=d.id, kind=d.kind, choices=d.choices, about=d.about, default=d.default)
        for d in view.decisions
        if d.owed_by.value == view.viewer.value
    )
    if side is None or view.outcome is not None:
        return Options(side=side, answers=answers)
    blocked = next((d for d in view.decisions if side in d.blocks), None)
    own = tuple(u for u in view.units if u.side is side and u.fate is None and only in (None, u.key))
    if view.phase.name == "deployment":
        if blocked is not None:
            refused = _refused(book.READY, "deployment_over")
            return Options(side=side, answers=answers, refused={"ready": refused})
        return Options(
            side=side,
            units=tuple(_placing(view, unit) for unit in own),
            commands=frozenset({"unready" if side in view.ready else "ready"}),
            answers=answers,
        )
    commands, why = _side_commands(view, side, blocked is not None)
    mine = side in view.phase.sides and blocked is None
    if mine:
        units = tuple(_orders(view, unit) for unit in own if unit.at is not None)
    else:
        units = tuple(UnitOptions(unit=u.key, stances=_stances(u)) for u in own if u.at is not None)
    return Options(side=side, units=units, commands=commands, refused=why, answers=answers)


def _refused(rule: Rule, key: str) -> Refused:
    return Refused(key, rule.id)


def _why(error: IllegalCommand) -> Refused:
    return Refused(error.key, error.rule, dict(error.figures))


def _try(check: Callable[[], object]) -> Refused | None:
    try:
        check()
    except IllegalCommand as error:
        return _why(error)
    return None


def _side_commands(view: TacticalView, side: Side, blocked: bool) -> tuple[frozenset[str], dict[str, Refused]]:
    whole = ("end_turn", "end_pursuit", "retreat", "offer_draw")
    if blocked:
        return frozenset(), {name: _refused(book.WHO_ANSWERS, "answer_pending") for name in whole}
    why: dict[str, Refused] = {}
    if side not in view.phase.sides:
        why = {name: _refused(book.WHOSE_TURN, "not_your_turn") for name in whole[:3]}
    else:
        if side in view.retreating:
            why["retreat"] = _refused(book.RETREAT, "retreat_is_final")
        if side.enemy not in view.retreating:
            why["end_pursuit"] = _refused(book.PURSUIT, "nobody_retreats")
    if any(d.kind == "draw_offer" for d in view.decisions):
        why["offer_draw"] = _refused(book.STALEMATE, "answer_pending")
    return frozenset(whole) - frozenset(why), why


def _stances(unit: Unit) -> tuple[tuple[StanceName, bool], ...]:
    if unit.is_infantry:
        return (("defensive_fire", bool(unit.defensive_fire)),)
    if unit.is_cavalry:
        return (("answer_charges", bool(unit.answer_charges)),)
    return ()


def _placing(view: TacticalView, unit: Unit) -> UnitOptions:
    return UnitOptions(
        unit=unit.key,
        places=tuple(_places(view, unit)),
        can_take_back=unit.at is not None,
        stances=_stances(unit),
    )


def _places(view: TacticalView, unit: Unit) -> Iterator[PlaceOption]:
    shapes = (Formation.COLUMN, Formation.LINE, Formation.SQUARE) if unit.has_formations else (Formation.OPEN,)
    for formation in shapes:
        for cell in view.strip(unit.side):
            # only a line covers other cells when it faces another way
            for facing in range(4) if formation is Formation.LINE else (0,):
                try:
                    deployment.placed(view, unit, cell, facing, formation)
                except IllegalCommand:
                    continue
                for shown in (facing,) if formation is Formation.LINE else range(4):
                    yield PlaceOption(at=cell, formation=formation, facing=shown)


def _orders(view: TacticalView, unit: Unit) -> UnitOptions:
    refused: dict[str, Refused] = {}
    targets: dict[tuple[str, str], Refused] = {}
    marched: dict[Cell, tuple[Unit, tuple[Cell, ...]]] = {}
    moves: tuple[Reach, ...] = ()
    cost: float | None = None
    try:
        cost = movement.leaving(view, unit)
        movement.not_done(unit)
        marched = reachable(view, unit)
        moves = tuple(
            Reach(at=cell, path=path, points=there.spent - unit.spent, left=there.left)
            for cell, (there, path) in marched.items()
            if path
        )
        if not moves:
            refused["move"] = _no_step(view, unit)
    except IllegalCommand as error:
        refused["move"] = _why(error)
    attacks = _attacks(view, unit, marched, refused, targets)
    fires, zone, canister = _fires(view, unit, refused, targets)
    forms, wheels, faces = _drill(view, unit, refused)
    leave = _try(lambda: victory.may_leave(view, unit))
    if leave is not None:
        refused["leave"] = leave
    return UnitOptions(
        unit=unit.key, moves=moves, attacks=attacks, fires=fires, zone=zone, canister_zone=canister, forms=forms,
        wheels=wheels, faces=faces, can_leave=leave is None, leaving_loss=cost or 0.0, stances=_stances(unit),
        refused=refused, refused_targets=targets,
    )  # fmt: skip


def _no_step(view: TacticalView, unit: Unit) -> Refused:
    """Why not a single step is possible: the reason of the step ahead, or of the first that has one."""
    assert unit.at is not None
    occupied = view.occupied()
    reasons: list[Refused] = []
    for way in (DIRECTIONS[unit.facing or 0], *DIRECTIONS):
        cell = unit.at.plus(way)
        why = _try(lambda c=cell: movement.step(view, occupied, unit, c))  # type: ignore[misc]
        if why is not None:
            reasons.append(why)
    far = next((why for why in reasons if why.key == "too_far"), None)
    return far or (reasons[0] if reasons else _refused(book.RETREAT, "retreat_is_final"))


def reachable(view: TacticalView, unit: Unit) -> dict[Cell, tuple[Unit, tuple[Cell, ...]]]:
    """Cells that a unit can march to, with the unit as it would arrive and the cheapest path; its own cell first."""
    assert unit.at is not None
    best: dict[Cell, tuple[Unit, tuple[Cell, ...]]] = {}
    occupied = view.occupied()
    queue: list[tuple[int, int, Cell, Unit, tuple[Cell, ...]]] = [(unit.spent, 0, unit.at, unit, ())]
    counter = 0
    while queue:
        _, _, cell, there, path = heappop(queue)
        if cell in best:
            continue
        best[cell] = (there, path)
        if there.left <= 0:
            continue
        for way in DIRECTIONS:
            to = cell.plus(way)
            if to in best:
                continue
            try:
                movement.homeward(view, there, (to,))
                onward = movement.step(view, occupied, there, to)
            except IllegalCommand:
                continue
            counter += 1
            heappush(queue, (onward.spent, counter, to, onward, (*path, to)))
    return best


def _charges(
    view: TacticalView, unit: Unit, marched: dict[Cell, tuple[Unit, tuple[Cell, ...]]], cell: Cell, way: tuple[int, int]
) -> Iterator[tuple[Unit, tuple[Cell, ...]]]:
    """Ways to arrive on a cell before an attack that way: the cheapest, and those with a straight run at its end."""
    if cell in marched:
        yield marched[cell]
    if not unit.is_cavalry or unit.base_speed < 2:
        return
    occupied = view.occupied()
    for length in range(2, unit.base_speed + 1):
        start = cell.plus(way, -length)
        if start not in marched:
            continue
        there, path = marched[start]
        try:
            for k in range(length - 1, -1, -1):
                to = cell.plus(way, -k)
                there = movement.step(view, occupied, there, to)
                path = (*path, to)
        except IllegalCommand:
            continue
        yield there, path


def _attacks(
    view: TacticalView,
    unit: Unit,
    marched: dict[Cell, tuple[Unit, tuple[Cell, ...]]],
    refused: dict[str, Refused],
    targets: dict[tuple[str, str], Refused],
) -> tuple[AttackOption, ...]:
    try:
        melee.march_off(view, unit, (), attacks=True)
        if unit.side in view.retreating:
            raise IllegalCommand("retreat_is_final", book.RETREAT.id)
    except IllegalCommand as error:
        refused["attack"] = _why(error)
        return ()
    assert unit.at is not None
    found: list[AttackOption] = []
    stand = {**({unit.at: (unit, ())} if not marched else {}), **marched}
    for target in view.units:
        if target.side is unit.side or not target.on_field:
            continue
        seen: dict[tuple[Cell, int, int], AttackOption] = {}
        for cell, way in _approaches(unit, target):
            for there, path in _charges(view, unit, stand, cell, way):
                try:
                    touch = melee.contact(view, there, target)
                except IllegalCommand:
                    continue
                option = _attack(view, unit, there, target, path, touch)
                key = (there.at or cell, touch.penalty, option.onslaught)
                if key not in seen or option.points < seen[key].points:
                    seen[key] = option
        found += seen.values()
        if not seen:
            why = _try(lambda t=target: melee.contact(view, unit, t))  # type: ignore[misc]
            if why is not None:
                targets["attack", target.key] = why
    return tuple(found)


def _approaches(unit: Unit, target: Unit) -> Iterator[tuple[Cell, tuple[int, int]]]:
    """Positions (a line's left cell) from which a unit would touch a target, with the way of the attack."""
    for cell in target.cells:
        for way in DIRECTIONS:
            origin = cell.plus(way, -1)
            if origin in target.cells:
                continue
            if not unit.is_line:
                yield origin, way
            elif unit.facing is not None and way == DIRECTIONS[unit.facing]:
                side = DIRECTIONS[(unit.facing + 1) % 4]
                yield origin, way
                yield origin.plus(side, -1), way


def _attack(
    view: TacticalView, unit: Unit, there: Unit, target: Unit, path: tuple[Cell, ...], touch: melee.Contact
) -> AttackOption:
    fire = target.firepower if melee.fires_first(view, there, target) else 0.0
    known = target.defensive_fire is not None
    comes = bool(target.defensive_fire) if known else False
    if target.is_artillery:
        exchange = under_fire = if_met = None
    else:
        exchange = _predict(view, there, target, touch, hp=there.hp - (fire if comes else 0))
        under_fire = None
        if fire and not known:
            under_fire = _predict(view, there, target, touch, hp=there.hp - fire)
        if_met = None
        asks = view.parameters.answer_seconds or target.answer_charges is not False
        if melee.may_answer(view, there, target, touch) and asks:
            if_met = _predict(view, there, target, touch, hp=there.hp, counter=target.onslaught)
    return AttackOption(
        target=target.key, path=path, origin=touch.ground[0], points=there.spent - unit.spent, aspect=touch.aspect,
        run=max(0, len(touch.run) - 1), onslaught=touch.onslaught, exchange=exchange,
        overrun=target.is_artillery, first_fire=fire, fire_known=known, under_fire=under_fire, if_met=if_met,
    )  # fmt: skip


def _predict(
    view: TacticalView, unit: Unit, target: Unit, touch: melee.Contact, *, hp: float, counter: int = 0
) -> Exchange | None:
    """The exchange at the turn's end between these two alone; None if the attacker would not arrive."""
    if hp != unit.hp and fate_at(unit, hp) is not None:
        return None
    fight = Melee(
        attacker=unit.key, defender=target.key, ground=touch.ground, aspect="front" if counter else touch.aspect,
        penalty=0 if counter else touch.penalty, onslaught=touch.onslaught, counter=counter,
    )  # fmt: skip
    ours, theirs = melee.combat_values(unit, target, fight)
    values, lost, overwhelmed = melee.exchange(unit, target, fight, view.parameters.overwhelm_loss)
    return Exchange(
        attacker=values[0], defender=values[1], attacker_sum=ours, defender_sum=theirs, losses=lost,
        after=(max(0.0, hp - lost[0]), max(0.0, target.hp - lost[1])), overwhelmed=overwhelmed,
    )  # fmt: skip


def _fires(
    view: TacticalView, unit: Unit, refused: dict[str, Refused], targets: dict[tuple[str, str], Refused]
) -> tuple[tuple[FireOption, ...], tuple[Cell, ...], tuple[Cell, ...]]:
    zone: tuple[Cell, ...] = ()
    canister: tuple[Cell, ...] = ()
    if unit.is_infantry:
        zone = musketry.zone(view, unit)
    elif unit.is_artillery:
        zone = tuple(artillery.zone(view, unit))
        canister = tuple(c for c in zone if artillery.swept(view, unit, c))
    why = _try(lambda: firing.may_fire(view, unit))
    if why is not None:
        refused["fire"] = why
        return (), zone, canister
    fires: list[FireOption] = []
    for target in view.units:
        if target.side is unit.side or not target.on_field:
            continue
        try:
            plan = firing.plan(view, unit, target)
        except IllegalCommand as error:
            targets["fire", target.key] = _why(error)
            continue
        fires.append(
            FireOption(
                target=target.key, shot=plan.shot, at=plan.at, distance=plan.distance, chance=plan.chance,
                losses=plan.victims, friends=plan.friends,
            )
        )  # fmt: skip
    return tuple(fires), zone, canister


def _drill(
    view: TacticalView, unit: Unit, refused: dict[str, Refused]
) -> tuple[tuple[FormOption, ...], tuple[WheelOption, ...], tuple[int, ...]]:
    forms: list[FormOption] = []
    for form in _form_orders(unit):
        try:
            new = formations.reformed(view, unit, form)
        except IllegalCommand as error:
            refused.setdefault("form", _why(error))
            continue
        assert new.facing is not None
        forms.append(
            FormOption(formation=form.formation, extend=form.extend, at=form.at, facing=new.facing, cells=new.cells)
        )
    if forms:
        refused.pop("form", None)
    wheels: list[WheelOption] = []
    for to in ("right", "left"):
        try:
            new = formations.wheeled(view, unit, to)
        except IllegalCommand as error:
            refused.setdefault("wheel", _why(error))
            continue
        assert new.facing is not None
        wheels.append(WheelOption(to=to, cells=new.cells, facing=new.facing))
    if wheels:
        refused.pop("wheel", None)
    faces: list[int] = []
    for facing in range(4):
        why = _try(lambda f=facing: formations.faced(view, unit, f))  # type: ignore[misc]
        if why is None:
            faces.append(facing)
        elif facing != unit.facing:
            refused.setdefault("face", why)
    if len(faces) > (1 if unit.facing in faces else 0):
        refused.pop("face", None)
    return tuple(forms), tuple(wheels), tuple(faces)


def _form_orders(unit: Unit) -> Iterator[Form]:
    """The orders to re-form that differ: a line both ways and facings, a column or square on each cell it may keep."""
    if not unit.has_formations:
        yield Form(unit=unit.key, formation=Formation.COLUMN)
        return
    for formation in (Formation.COLUMN, Formation.LINE, Formation.SQUARE):
        if formation is unit.formation:
            continue
        if formation is Formation.LINE:
            for facing in FACINGS:
                yield Form(unit=unit.key, formation=formation, facing=facing, extend="right")  # type: ignore[arg-type]
                yield Form(unit=unit.key, formation=formation, facing=facing, extend="left")  # type: ignore[arg-type]
            continue
        for facing in FACINGS:
            for cell in unit.cells:
                keep = cell if unit.is_line else None
                yield Form(unit=unit.key, formation=formation, at=keep, facing=facing)  # type: ignore[arg-type]
