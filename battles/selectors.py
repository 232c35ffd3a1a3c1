"""What pages may read: who sees which battle as what, and what he sees there. Nothing is written here.

Access is asked in `battle_for` and, for open sockets, in `access_of`; both ask `_sight`. What a viewer gets is made by
the ruleset's `view` and from the log entries that carry a number for him.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple, TypeVar, cast

import msgspec
from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.http import Http404
from django.utils.translation import gettext as _

from accounts.models import User
from battles.models import (
    Battle,
    BattleMap,
    Campaign,
    CampaignRole,
    Deadline,
    Invitation,
    LogEntry,
    Membership,
    Moderator,
    RefusedCommand,
    Seat,
    Snapshot,
    Stage,
    Turn,
    Unit,
)
from rules.core.actors import SIDES, Actor, Side, Viewer
from rules.core.codec import read_event, read_state, tag
from rules.core.errors import UnknownEvent
from rules.core.events import DeploymentSeen, Event, Rewound
from rules.core.replay import Entry, fold
from rules.core.ruleset import Ruleset
from rules.core.scenario import UnitSpec
from rules.core.text import Sentence, SideRef, gettext_noop
from rules.core.view import Names
from rules.registry import ruleset

HIDDEN_PHASES = frozenset({"deployment"})
PAGE = 40
FINISHED_SHOWN = 20
NUMBERS: Mapping[Viewer, str] = {
    Viewer.RED: "red_no",
    Viewer.BLUE: "blue_no",
    Viewer.PUBLIC: "public_no",
    Viewer.MODERATOR: "number",
}
UNREAD = ("resolution_paused",)
V = TypeVar("V")


class Role(Enum):
    """What somebody is in a battle."""

    PLAYER = "player"
    MODERATOR = "moderator"
    ADMIN = "admin"
    SPECTATOR = "spectator"


class Sight(NamedTuple):
    """As whom somebody looks at a battle."""

    viewer: Viewer
    role: Role


class Seen(NamedTuple):
    """A battle and as whom somebody looks at it."""

    battle: Battle
    viewer: Viewer
    role: Role


# Who sees what


def is_revealed(battle: Battle) -> bool:
    """Whether the deployment of both sides is open to everybody."""
    return battle.stage == Stage.OVER or (battle.stage == Stage.RUNNING and battle.phase not in HIDDEN_PHASES)


def is_opened(battle: Battle) -> bool:
    """Whether everything of the battle may be seen: it is over, and its campaign keeps no secrets."""
    return battle.stage == Stage.OVER and not battle.campaign.keep_secrets


def _sight(battle: Battle, side: str | None, moderates: bool, role: str | None) -> Sight | None:
    """As whom a person with this seat and these roles looks; None for a stranger."""
    if side:
        return Sight(Viewer(side), Role.PLAYER)
    if moderates:
        return Sight(Viewer.MODERATOR, Role.MODERATOR)
    if role == CampaignRole.ADMIN:
        return Sight(Viewer.PUBLIC, Role.ADMIN)
    if battle.allow_spectators and (role or (battle.campaign.public and is_revealed(battle))):
        return Sight(Viewer.PUBLIC, Role.SPECTATOR)
    return None


def _with_access(battles: QuerySet[Battle], user: User) -> QuerySet[Battle]:
    seat = Seat.objects.filter(battle=OuterRef("pk"), user=user).values("side")[:1]
    member = Membership.objects.filter(campaign=OuterRef("campaign"), user=user).values("role")[:1]
    return battles.select_related("campaign").annotate(
        my_side=Subquery(seat),
        my_moderation=Exists(Moderator.objects.filter(battle=OuterRef("pk"), user=user)),
        my_role=Subquery(member),
    )


def _my_sight(battle: Battle) -> Sight | None:
    facts = cast(Any, battle)
    return _sight(battle, facts.my_side, facts.my_moderation, facts.my_role)


def battle_for(user: User | AnonymousUser, battle_id: int) -> Seen:
    """The battle and as whom this user looks at it; Http404 for a stranger as for a battle that isn't there."""
    if not isinstance(user, User) or not user.is_active:
        raise Http404("no such battle")
    battle = Battle.objects.select_related("campaign").filter(pk=battle_id).first()
    sight = _sight_of(battle, user) if battle is not None else None
    if battle is None or sight is None:
        raise Http404("no such battle")
    return Seen(battle, sight.viewer, sight.role)


def _sight_of(battle: Battle, user: User) -> Sight | None:
    """As whom a user looks at one battle; what does not matter any more isn't asked: most who look have a seat."""
    side = Seat.objects.filter(battle=battle, user=user).values_list("side", flat=True).first()
    moderates = side is None and Moderator.objects.filter(battle=battle, user=user).exists()
    role = None
    if side is None and not moderates:
        members = Membership.objects.filter(campaign=battle.campaign_id, user=user)
        role = members.values_list("role", flat=True).first()
    return _sight(battle, side, moderates, role)


class Chair(NamedTuple):
    """What a player's order needs to know before it is judged: his side, and how far which battle is."""

    viewer: Viewer
    stage: str
    ruleset: str


def chair_of(user: User | AnonymousUser, battle_id: int) -> Chair | None:
    """Where a user sits in a battle, in one short query; None if he has no seat there (`battle_for` says what else)."""
    if not isinstance(user, User) or not user.is_active:
        return None
    seats = Seat.objects.filter(battle=battle_id, user=user).order_by()
    found = seats.values_list("side", "battle__stage", "battle__ruleset").first()
    return None if found is None else Chair(Viewer(found[0]), found[1], found[2])


class Watch(NamedTuple):
    """What the heartbeat of a battle asks: the newest version of each viewer, and as whom each user looks now."""

    versions: Mapping[Viewer, int]
    sights: Mapping[int, Sight | None]
    auth_hashes: Mapping[int, tuple[str, ...]]


def watch(battle_id: int, user_ids: Iterable[int]) -> Watch | None:
    """Rights and versions for all sockets of a battle; None if the battle isn't there.

    A user who is gone or deactivated is in neither map. `auth_hashes` are what his session must carry.
    """
    battle = (
        Battle.objects.select_related("campaign").defer("state", "board", "armies", "parameters").filter(pk=battle_id)
    )
    found = battle.first()
    if found is None:
        return None
    users = User.objects.filter(pk__in=set(user_ids), is_active=True).annotate(
        my_side=Subquery(Seat.objects.filter(battle=battle_id, user=OuterRef("pk")).values("side")[:1]),
        my_moderation=Exists(Moderator.objects.filter(battle=battle_id, user=OuterRef("pk"))),
        my_role=Subquery(Membership.objects.filter(campaign=found.campaign_id, user=OuterRef("pk")).values("role")[:1]),
    )
    sights: dict[int, Sight | None] = {}
    hashes: dict[int, tuple[str, ...]] = {}
    for user in users:
        facts = cast(Any, user)
        sights[user.pk] = _sight(found, facts.my_side, facts.my_moderation, facts.my_role)
        hashes[user.pk] = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return Watch({viewer: version_for(found, viewer) for viewer in Viewer}, sights, hashes)


# Where it stands


def rules_of(battle: Battle) -> Ruleset:
    """The ruleset by which a battle is played."""
    return ruleset(battle.ruleset)


def current_state(battle: Battle) -> Any:
    """Where the battle stands; None before the opening. Not for pages: they get a view."""
    return None if battle.state is None else read_state(rules_of(battle), battle.state)


def view_of(battle: Battle, viewer: Viewer) -> Any:
    """What the viewer may have of the battle as it stands; Http404 before the opening."""
    state = current_state(battle)
    if state is None:
        raise Http404("not open yet")
    return _view(battle, state, viewer)


def _view(battle: Battle, state: Any, viewer: Viewer) -> Any:
    rules = rules_of(battle)
    if is_opened(battle):
        return msgspec.structs.replace(rules.view(state, Viewer.MODERATOR), viewer=viewer)
    if battle.stage == Stage.OVER:  # the campaign keeps secrets: as if it still went on
        open_view = rules.view(msgspec.structs.replace(state, outcome=None), viewer)
        return msgspec.structs.replace(open_view, outcome=state.outcome)
    return rules.view(state, viewer)


def version_for(battle: Battle, viewer: Viewer) -> int:
    """The number of the last entry that the viewer may see: what his orders name."""
    numbers = {Viewer.RED: battle.red_no, Viewer.BLUE: battle.blue_no, Viewer.PUBLIC: battle.public_no}
    return numbers.get(viewer, battle.version)


class ClockReading(NamedTuple):
    """A clock as a viewer may read it: what is left, of how much, and when it ends if it runs."""

    key: str
    seconds_left: float
    total: int
    running: bool
    due_at: datetime | None


def _reading(row: Deadline, now: datetime) -> ClockReading:
    if row.running and row.due_at is not None:
        left = max(0.0, (row.due_at - now).total_seconds())
        return ClockReading(row.key, left, row.seconds, True, row.due_at)
    return ClockReading(row.key, row.remaining or 0.0, row.seconds, False, None)


def _open_clocks(battle_ids: Iterable[int]) -> QuerySet[Deadline]:
    return Deadline.objects.filter(battle__in=list(battle_ids), fired_at=None, cancelled_at=None).order_by("pk")


def clocks(battle: Battle, viewer: Viewer, now: datetime) -> tuple[ClockReading, ...]:
    """The clocks of a battle that the viewer may know of, those that run first."""
    rows = [row for row in _open_clocks([battle.pk]) if viewer.value in row.seen_by]
    return tuple(sorted((_reading(row, now) for row in rows), key=lambda clock: not clock.running))


# The log


class LogLine(NamedTuple):
    """A line of the log: the viewer's own number, what happened as a sentence, by which rule, who did it and when.

    `number` is the moderator's, and None for all others while the battle runs.
    """

    no: int
    number: int | None
    kind: str
    rule: str
    turn: int
    side: Side | None
    sentence: Sentence
    at: datetime
    ruling: bool
    abandoned: bool
    dice: bool


class LogPage(NamedTuple):
    """Lines in reading order, and the number before which the next older page begins (None: there is none)."""

    lines: tuple[LogLine, ...]
    older: int | None


def number_of(battle: Battle, viewer: Viewer) -> str:
    """The column that holds the viewer's line numbers."""
    return "number" if is_opened(battle) else NUMBERS[viewer]


def visible_log(battle: Battle, viewer: Viewer) -> QuerySet[LogEntry]:
    """The entries that the viewer may see."""
    entries = LogEntry.objects.filter(battle=battle)
    field = number_of(battle, viewer)
    return entries if field == "number" else entries.filter(**{f"{field}__isnull": False})


def log_page(
    battle: Battle,
    viewer: Viewer,
    *,
    before: int | None = None,
    limit: int = PAGE,
    turn: int | None = None,
    side: Side | None = None,
    only: str = "",
    rule: str = "",
    names: Names | None = None,
) -> LogPage:
    """The newest lines of the log that the viewer may see, or those before a line.

    `only` is "dice" or "rulings". Two queries at most, whatever the length of the log.
    """
    field = number_of(battle, viewer)
    entries = visible_log(battle, viewer).exclude(kind__in=UNREAD)
    if before is not None:
        entries = entries.filter(**{f"{field}__lt": before})
    if turn is not None:
        entries = entries.filter(turn=turn)
    if side is not None:
        entries = entries.filter(side=side.value)
    if only == "dice":
        entries = entries.filter(kind="dice_thrown")
    elif only == "rulings":
        entries = entries.filter(actor=Actor.MODERATOR.value, kind__in=ruling_kinds(battle))
    if rule:
        entries = entries.filter(rule=rule)
    found = list(entries.order_by(f"-{field}")[: limit + 1])
    older = getattr(found[limit - 1], field) if len(found) > limit else None
    shown = found[:limit][::-1]
    if names is None:
        names = names_for(battle, viewer)
    if any(entry.abandoned for entry in shown) and not is_revealed(battle):
        names = _with_revealed(battle, viewer, names)
    lines = (_line(battle, viewer, entry, getattr(entry, field), names) for entry in shown)
    return LogPage(tuple(line for line in lines if line is not None), older)


def ruling_kinds(battle: Battle) -> frozenset[str]:
    """The kinds of entries that are a moderator's word when he gives them."""
    return frozenset(tag(kind) for kind in rules_of(battle).events if kind.ruling)


def names_for(battle: Battle, viewer: Viewer, view: Any = None) -> Names:
    """What narration may call things for this viewer."""
    if view is None:
        view = view_of(battle, viewer)
    return rules_of(battle).names(view)


def _with_revealed(battle: Battle, viewer: Viewer, names: Names) -> Names:
    """After a rewind into the deployment: the names that an abandoned reveal has shown already."""
    reveals = visible_log(battle, viewer).filter(kind="deployment_revealed").order_by("-number")
    entry = reveals.first()
    if entry is None:
        return names
    event = read_event(rules_of(battle), entry.body, entry.number)
    shown = event.units if isinstance(event, DeploymentSeen) and hasattr(event, "units") else ()
    known = {unit.key: (unit.name, unit.side) for unit in shown}
    return Names(units={**known, **names.units}, sides=names.sides)


def _line(battle: Battle, viewer: Viewer, entry: LogEntry, no: int, names: Names) -> LogLine | None:
    rules = rules_of(battle)
    whole = viewer is Viewer.MODERATOR or is_opened(battle)
    try:
        event: Event = read_event(rules, entry.body, entry.number if whole else no)
    except UnknownEvent as unknown:
        sentence: Sentence | None = Sentence(
            gettext_noop("This version of the program cannot read this entry: %(kind)s"), {"kind": unknown.kind[:40]}
        )
    else:
        if isinstance(event, Rewound) and not whole:
            event = msgspec.structs.replace(event, to=(entry.places or {}).get(viewer.value, no))
        sentence = rules.narrate(event, names)
    if sentence is None:
        return None
    return LogLine(
        no=no,
        number=entry.number if whole else None,
        kind=entry.kind,
        rule=entry.rule,
        turn=entry.turn,
        side=Side(entry.side) if entry.side else None,
        sentence=sentence,
        at=entry.at,
        ruling=entry.actor == Actor.MODERATOR.value and entry.kind in ruling_kinds(battle),
        abandoned=entry.abandoned,
        dice=entry.kind == "dice_thrown",
    )


def moderator_log(battle: Battle, **filters: Any) -> LogPage:
    """The whole log, for the moderator."""
    return log_page(battle, Viewer.MODERATOR, **filters)


def read_entries(battle: Battle, entries: Iterable[LogEntry]) -> tuple[Entry, ...]:
    """Entries of the log, in order, as the engine replays them."""
    rules, told, previous = rules_of(battle), [], None
    for entry in entries:
        opens = entry.submission_id != previous
        told.append(Entry(entry.number, read_event(rules, entry.body, entry.number), opens))
        previous = entry.submission_id
    return tuple(told)


def state_at(battle: Battle, number: int) -> Any:
    """The state after an entry, abandoned or not, from the snapshot before it; Http404 if there is none."""
    if not 1 <= number <= battle.version:
        raise Http404("no such entry")
    rules = rules_of(battle)
    snapshot = Snapshot.objects.filter(battle=battle, entry__lte=number).order_by("-entry").first()
    start, state = (snapshot.entry, read_state(rules, snapshot.state)) if snapshot else (0, None)
    rest = LogEntry.objects.filter(battle=battle, number__gt=start, number__lte=number).order_by("number")
    return fold(rules, read_entries(battle, rest), state=state)


def view_at(battle: Battle, viewer: Viewer, no: int) -> Any:
    """What the viewer could see after his line `no`; Http404 if there is no such line."""
    field = number_of(battle, viewer)
    number = LogEntry.objects.filter(battle=battle, **{field: no}).values_list("number", flat=True).first()
    if number is None:
        raise Http404("no such entry")
    return _view(battle, state_at(battle, number), viewer)


class TurnMark(NamedTuple):
    """A turn that began: its number, the viewer's line at its start, and when that was."""

    turn: int
    no: int
    at: datetime


def turns_of(battle: Battle, viewer: Viewer) -> tuple[TurnMark, ...]:
    """The turns that stand, for jumping through a replay."""
    field = number_of(battle, viewer)
    numbers = {turn.entry: turn for turn in Turn.objects.filter(battle=battle, abandoned=False).defer("state")}
    rows = LogEntry.objects.filter(battle=battle, number__in=numbers).values_list("number", field).order_by("number")
    return tuple(
        TurnMark(numbers[number].number, no, numbers[number].started_at) for number, no in rows if no is not None
    )


class ThrowLine(NamedTuple):
    """A throw of the dice as it stands in the log; the number is None where it would tell of hidden throws."""

    number: int | None
    purpose: str
    rule: str
    die: int
    faces: tuple[int, ...]
    picks: tuple[int, ...]
    turn: int
    abandoned: bool


class DiceSheet(NamedTuple):
    """What is needed to check the dice: hash and phrases from the opening on, the seed from the end on, the throws."""

    seed_hash: str
    phrases: tuple[str, ...]
    seed: str
    throws: tuple[ThrowLine, ...]


def dice_of(battle: Battle, viewer: Viewer) -> DiceSheet:
    """The dice as the viewer may know them. The seed comes from the log, where it is told at the end.

    A throw's number is how many there were before it, hidden ones too: until the end it is the moderator's alone.
    """
    numbered = viewer is Viewer.MODERATOR or battle.stage == Stage.OVER
    kinds = ("battle_opened", "dice_thrown", "seed_revealed")
    phrases: tuple[str, ...] = ()
    seed, throws = "", []
    for entry in visible_log(battle, viewer).filter(kind__in=kinds).order_by("number"):
        body = entry.body
        if entry.kind == "battle_opened":
            phrases = tuple(body.get("phrases", ()))
        elif entry.kind == "seed_revealed":
            seed = body["seed"]
        else:
            throws.append(
                ThrowLine(
                    body["number"] if numbered else None, body["purpose"], entry.rule, body["die"],
                    tuple(body.get("faces", ())),
                    tuple(body.get("picks", ())), entry.turn, entry.abandoned,
                )
            )  # fmt: skip
    return DiceSheet(battle.seed_hash, phrases, seed, tuple(throws))


class RefusalLine(NamedTuple):
    """A command that was refused; `key`, `rule` and `figures` are what `{% refusal %}` wants."""

    at: datetime
    who: str
    actor: Actor
    body: dict[str, Any]
    key: str
    rule: str
    figures: dict[str, Any]


def refused_commands(battle: Battle, limit: int = 50) -> tuple[RefusalLine, ...]:
    """What was refused lately, newest first, for the moderator."""
    rows = RefusedCommand.objects.filter(battle=battle).select_related("user").order_by("-at", "-pk")[:limit]
    return tuple(
        RefusalLine(r.at, r.user.name if r.user else "", Actor(r.actor), r.body, r.key, r.rule, r.figures) for r in rows
    )


# Lists and units


def army_lists(battle: Battle, viewer: Viewer) -> dict[Side, tuple[UnitSpec, ...]]:
    """The army lists that the viewer may read: his own, the moderator both, everybody else none."""
    shown = SIDES if viewer is Viewer.MODERATOR or is_opened(battle) else tuple(s for s in SIDES if s is viewer.side)
    return {
        side: tuple(
            msgspec.convert({"key": str(place), "side": side.value, **spec}, UnitSpec)
            for place, spec in enumerate(battle.armies.get(side.value, ()))
        )
        for side in shown
    }


class UnitLine(NamedTuple):
    """A unit in a report."""

    key: str
    side: Side
    kind: str
    name: str
    at: str
    strength: float
    strength_at_start: float
    fate: str


def unit_lines(battle: Battle, viewer: Viewer) -> tuple[UnitLine, ...]:
    """The units that the viewer may know of, in the order of the lists; none before the reveal."""
    if not is_revealed(battle):
        return ()
    known = None if viewer is Viewer.MODERATOR or is_opened(battle) else {u.key for u in view_of(battle, viewer).units}
    rows = Unit.objects.filter(battle=battle).order_by("position")
    return tuple(
        UnitLine(u.key, Side(u.side), u.kind, u.name, u.at, u.strength, u.strength_at_start, u.fate)
        for u in rows
        if known is None or u.key in known
    )


class SeatLine(NamedTuple):
    """A seat while a battle is prepared: who sits there, whether he gave a phrase, and the phrase to himself only."""

    side: Side
    user: User | None
    has_phrase: bool
    phrase: str


class InvitationLine(NamedTuple):
    """An invitation that can still be used."""

    id: int
    side: Side
    token: str
    expires_at: datetime


class Preparation(NamedTuple):
    """A battle before its opening as one of its people sees it."""

    seats: tuple[SeatLine, ...]
    moderators: tuple[User, ...]
    invitations: tuple[InvitationLine, ...]
    seed_hash: str
    armies: dict[Side, tuple[UnitSpec, ...]]


def preparation(seen: Seen, user: User, now: datetime) -> Preparation:
    """Seats, invitations and lists: tokens for moderator and admin only, phrases for their owners only."""
    battle = seen.battle
    seats = {seat.side: seat for seat in Seat.objects.filter(battle=battle).select_related("user")}
    lines = [
        SeatLine(
            side,
            seats[side.value].user,
            bool(seats[side.value].phrase),
            seats[side.value].phrase if seats[side.value].user_id == user.pk else "",
        )
        for side in SIDES
        if side.value in seats
    ]
    open_ones = Invitation.objects.filter(battle=battle, used_at=None, withdrawn_at=None, expires_at__gt=now)
    may_invite = seen.role in (Role.MODERATOR, Role.ADMIN)
    invitations = [InvitationLine(i.pk, Side(i.side), i.token, i.expires_at) for i in open_ones] if may_invite else []
    moderators = tuple(m.user for m in Moderator.objects.filter(battle=battle).select_related("user").order_by("pk"))
    return Preparation(tuple(lines), moderators, tuple(invitations), battle.seed_hash, army_lists(battle, seen.viewer))


class InvitationCard(NamedTuple):
    """What an invitation says to whoever opens it; `problem` says why it cannot be used, if so."""

    battle_id: int
    battle: str
    campaign: str
    side: Side
    sides: dict[str, Any]
    invited_by: str
    expires_at: datetime
    problem: str


def invitation_card(token: str, now: datetime) -> InvitationCard:
    """The invitation with this token; Http404 if there is none."""
    found = Invitation.objects.select_related("battle__campaign", "made_by").filter(token=token).first()
    if found is None:
        raise Http404("no such invitation")
    battle = found.battle
    return InvitationCard(
        battle.pk,
        str(battle),
        str(battle.campaign),
        Side(found.side),
        battle.sides,
        found.made_by.name if found.made_by else "",
        found.expires_at,
        invitation_problem(found, now),
    )


def invitation_problem(invitation: Invitation, now: datetime) -> str:
    """Why an invitation cannot be used; empty if it can."""
    if invitation.used_at is not None:
        return _("This invitation has been used.")
    if invitation.withdrawn_at is not None:
        return _("This invitation was withdrawn.")
    if invitation.expires_at <= now:
        return _("This invitation has expired.")
    if invitation.battle.stage == Stage.OVER:
        return _("This battle is over.")
    return ""


# Campaigns and lists of battles


class CampaignCard(NamedTuple):
    """A campaign in the list: what one is there and how many of its battles run."""

    campaign: Campaign
    role: str | None
    running: int
    finished: int


def campaigns_for(user: User) -> tuple[CampaignCard, ...]:
    """The campaigns that a user belongs to, and the public ones."""
    member = Membership.objects.filter(campaign=OuterRef("pk"), user=user).values("role")[:1]
    found = (
        Campaign.objects.annotate(my_role=Subquery(member))
        .filter(Q(my_role__isnull=False) | Q(public=True))
        .annotate(
            running=Count("battles", filter=Q(battles__stage=Stage.RUNNING)),
            finished=Count("battles", filter=Q(battles__stage=Stage.OVER)),
        )
        .order_by("name", "pk")
    )
    return tuple(CampaignCard(c, cast(Any, c).my_role, cast(Any, c).running, cast(Any, c).finished) for c in found)


def campaign_for(user: User | AnonymousUser, campaign_id: int) -> tuple[Campaign, str | None]:
    """A campaign and what the user is there (None: a visitor of a public one); Http404 for a stranger."""
    campaign = Campaign.objects.filter(pk=campaign_id).first()
    if campaign is None or not isinstance(user, User):
        raise Http404("no such campaign")
    role = Membership.objects.filter(campaign=campaign, user=user).values_list("role", flat=True).first()
    if role is None and not campaign.public:
        raise Http404("no such campaign")
    return campaign, role


def members_of(campaign: Campaign) -> tuple[Membership, ...]:
    """Who belongs to a campaign, by name."""
    rows = Membership.objects.filter(campaign=campaign).select_related("user")
    return tuple(sorted(rows, key=lambda m: (m.user.name.casefold(), m.user_id)))


def maps_for(campaign: Campaign | None, ruleset_id: str = "tactical") -> tuple[BattleMap, ...]:
    """The campaign's own maps."""
    return tuple(BattleMap.objects.filter(campaign=campaign, ruleset=ruleset_id).order_by("name", "pk"))


class BattleCard(NamedTuple):
    """A battle in a list. `view` is what the viewer may see (None before the opening); `button` is one of
    prepare, enter, play, answer, watch, desk, replay."""

    id: int
    name: str
    campaign: str
    campaign_id: int
    sides: dict[str, Any]
    viewer: Viewer
    viewer_side: Side | None
    role: Role
    stage: str
    turn: int
    phase: str
    headline: Sentence
    clock: ClockReading | None
    board: tuple[str, ...]
    view: Any
    waiting: bool
    button: str
    at: datetime


class HomeLists(NamedTuple):
    """A person's battles: those that wait for him, those that run, those that are finished."""

    waiting: tuple[BattleCard, ...]
    running: tuple[BattleCard, ...]
    finished: tuple[BattleCard, ...]


def home_lists(user: User, now: datetime) -> HomeLists:
    """A person's battles; the clock that ends first comes first, what ended last comes first."""
    mine = Q(seats__user=user) | Q(moderators__user=user) | Q(campaign__memberships__user=user)
    chosen = _with_access(Battle.objects.all(), user)
    ids = Battle.objects.filter(mine).values("pk")
    alive = chosen.filter(pk__in=ids).exclude(stage=Stage.OVER).order_by("pk")
    over = chosen.filter(pk__in=ids, stage=Stage.OVER).order_by("-ended_at", "-pk")[:FINISHED_SHOWN]
    running = _cards(alive, now)
    waiting = [card for card in running if card.waiting]
    return HomeLists(
        tuple(sorted(waiting, key=_urgency)),
        tuple(sorted((card for card in running if not card.waiting), key=_urgency)),
        tuple(_cards(over, now)),
    )


def battles_of(campaign: Campaign, user: User, now: datetime) -> tuple[BattleCard, ...]:
    """The battles of a campaign that the user may see, newest first."""
    rows = _with_access(Battle.objects.filter(campaign=campaign), user).order_by("-pk")
    return tuple(_cards(rows, now))


def _urgency(card: BattleCard) -> tuple[bool, float, int]:
    left = card.clock.seconds_left if card.clock and card.clock.running else None
    return (left is None, left or 0.0, -card.id)


def _cards(battles: Iterable[Battle], now: datetime) -> list[BattleCard]:
    seen = [(battle, sight) for battle in battles if (sight := _my_sight(battle)) is not None]
    rows: dict[int, list[Deadline]] = {}
    for row in _open_clocks(battle.pk for battle, _sight_ in seen):
        rows.setdefault(row.battle_id, []).append(row)
    return [_card(battle, sight, rows.get(battle.pk, []), now) for battle, sight in seen]


def _card(battle: Battle, sight: Sight, rows: list[Deadline], now: datetime) -> BattleCard:
    readings = [_reading(row, now) for row in rows if sight.viewer.value in row.seen_by]
    clock = next((r for r in readings if r.running), readings[0] if readings else None)
    actor = {Role.PLAYER: sight.viewer.value, Role.MODERATOR: Actor.MODERATOR.value}.get(sight.role, "")
    awaited = battle.stage == Stage.RUNNING and actor in battle.awaited
    waiting = awaited or (battle.stage == Stage.PREPARING and sight.role in (Role.PLAYER, Role.MODERATOR))
    return BattleCard(
        id=battle.pk,
        name=str(battle),
        campaign=str(battle.campaign),
        campaign_id=battle.campaign_id,
        sides=battle.sides,
        viewer=sight.viewer,
        viewer_side=sight.viewer.side,
        role=sight.role,
        stage=battle.stage,
        turn=battle.turn,
        phase=battle.phase,
        headline=_headline(battle, sight, awaited),
        clock=clock,
        board=tuple(battle.board or ()),
        view=None if battle.state is None else view_of(battle, sight.viewer),
        waiting=waiting,
        button=_button(battle, sight, awaited),
        at=battle.ended_at or battle.opened_at or battle.created_at,
    )


def _button(battle: Battle, sight: Sight, awaited: bool) -> str:
    if battle.stage == Stage.OVER:
        return "replay"
    if battle.stage == Stage.PREPARING:
        return "prepare"
    if sight.role is Role.MODERATOR:
        return "desk"
    if sight.role is not Role.PLAYER or not awaited:
        return "watch"
    return "enter" if battle.phase in HIDDEN_PHASES else "play"


def side_ref(battle: Battle, side: Side) -> SideRef:
    """An army by its name in this battle."""
    return SideRef(side, str(battle.sides.get(side.value, {}).get("name") or side.value))


def _headline(battle: Battle, sight: Sight, awaited: bool) -> Sentence:
    """One line on how the battle stands, for the viewer."""
    if battle.stage == Stage.PREPARING:
        return Sentence(gettext_noop("Being prepared"))
    if battle.stage == Stage.OVER:
        if battle.winner is None:
            return Sentence(gettext_noop("Ended in turn %(turn)s without a winner"), {"turn": battle.turn})
        if sight.viewer.value == battle.winner:
            return Sentence(gettext_noop("Won in turn %(turn)s"), {"turn": battle.turn})
        if sight.viewer.side is not None:
            return Sentence(gettext_noop("Lost in turn %(turn)s"), {"turn": battle.turn})
        winner = side_ref(battle, Side(battle.winner))
        return Sentence(gettext_noop("%(side)s won in turn %(turn)s"), {"side": winner, "turn": battle.turn})
    if battle.phase in HIDDEN_PHASES:
        if sight.role is Role.PLAYER and not awaited:
            return Sentence(gettext_noop("Deployment: you are ready"))
        return Sentence(gettext_noop("Deployment"))
    if sight.role is Role.MODERATOR and awaited:
        return Sentence(gettext_noop("Turn %(turn)s: a ruling is wanted"), {"turn": battle.turn})
    if sight.role is Role.PLAYER and awaited:
        return Sentence(gettext_noop("Turn %(turn)s: your move"), {"turn": battle.turn})
    others = [side for side in SIDES if side.value in battle.awaited]
    if len(others) == 1 and others[0] is not sight.viewer.side:
        mover = side_ref(battle, others[0])
        return Sentence(gettext_noop("Turn %(turn)s: %(side)s to move"), {"turn": battle.turn, "side": mover})
    return Sentence(gettext_noop("Turn %(turn)s"), {"turn": battle.turn})


# The moderator's desk


class DeskItem(NamedTuple):
    """A battle on the desk: its card, the questions that the moderator owes, and how much was refused lately."""

    card: BattleCard
    decisions: tuple[Any, ...]
    refused: int
    clock_stopped: bool


def desk_for(user: User, now: datetime) -> tuple[DeskItem, ...]:
    """The battles that a user moderates and that are not over, those that wait for a ruling first."""
    rows = (
        _with_access(Battle.objects.filter(moderators__user=user), user)
        .exclude(stage=Stage.OVER)
        .annotate(refusals=Count("refused", distinct=True))
        .order_by("pk")
    )
    refusals = {battle.pk: cast(Any, battle).refusals for battle in rows}
    items = []
    for card in _cards(rows, now):
        if card.role is not Role.MODERATOR:
            continue
        open_ones = card.view.decisions if card.view is not None else ()
        owed = tuple(d for d in open_ones if d.owed_by is Actor.MODERATOR)
        stopped = bool(card.view is not None and card.view.clock_stopped)
        items.append(DeskItem(card, owed, refusals[card.id], stopped))
    return tuple(sorted(items, key=lambda item: (not item.decisions, _urgency(item.card))))
