"""What is kept of campaigns and battles. The log is the truth; everything else about a battle is its fold."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.text import clean_name


class AppendOnly(Exception):
    """Somebody tried to change or delete what is only ever added to."""


class Campaign(models.Model):
    """A circle of people and their battles: a public one lets anybody watch, one that keeps secrets opens no log."""

    name = models.CharField(pgettext_lazy("of a thing", "name"), max_length=80)
    public = models.BooleanField(_("public"), default=False)
    keep_secrets = models.BooleanField(_("keeps secrets after a battle"), default=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        """How campaigns are called in the admin."""

        verbose_name = _("campaign")
        verbose_name_plural = _("campaigns")

    def __str__(self) -> str:
        """Its name, as others may read it."""
        return clean_name(self.name) or str(self.pk)


class CampaignRole(models.TextChoices):
    """What somebody is in a campaign."""

    ADMIN = "admin", _("administrator")
    MODERATOR = "moderator", _("moderator")
    PLAYER = "player", _("player")
    GUEST = "guest", _("guest")


class Membership(models.Model):
    """A person in a campaign, with one role."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=10, choices=CampaignRole.choices, default=CampaignRole.PLAYER)

    class Meta:
        """One role a person and campaign."""

        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "campaign"], name="membership_once"),
            models.CheckConstraint(condition=Q(role__in=CampaignRole.values), name="membership_role"),
        ]

    def __str__(self) -> str:
        """Who is what where."""
        return f"{self.user}: {self.get_role_display()}, {self.campaign}"


class BattleMap(models.Model):
    """A map: terrain codes by rows, and the strips in which the armies deploy. Without a campaign it is everybody's."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, null=True, blank=True, related_name="maps")
    slug = models.SlugField(_("short name"), max_length=60)
    name = models.CharField(pgettext_lazy("of a thing", "name"), max_length=80)
    ruleset = models.CharField(_("rules"), max_length=30, default="tactical")
    rows: models.JSONField[Any] = models.JSONField(_("rows"))
    strips: models.JSONField[Any] = models.JSONField(_("strips"))

    class Meta:
        """A short name stands once in a campaign, and once in the library."""

        verbose_name = _("map")
        verbose_name_plural = _("maps")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["campaign", "slug"], name="map_slug_in_campaign"),
            models.UniqueConstraint(fields=["slug"], condition=Q(campaign=None), name="map_slug_in_library"),
        ]

    def __str__(self) -> str:
        """Its name."""
        return clean_name(self.name) or self.slug


class Stage(models.TextChoices):
    """How far a battle is."""

    PREPARING = "preparing", _("being prepared")
    RUNNING = "running", _("running")
    OVER = "over", _("over")


class SideName(models.TextChoices):
    """The two armies, as they are stored."""

    RED = "red", _("red")
    BLUE = "blue", _("blue")


class Battle(models.Model):
    """A battle: what it is played with, and where it stands.

    `board`, `strips` are frozen at the opening; `state`, the numbers, `turn`, `phase`, `awaited`, `winner` and
    `reason` are the fold of the log, written in the transaction that adds to the log. `version` is the number of the
    last entry, `red_no`, `blue_no`, `public_no` those of the last that the viewer may see.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="battles")
    name = models.CharField(pgettext_lazy("of a thing", "name"), max_length=80)
    ruleset = models.CharField(_("rules"), max_length=30, default="tactical")
    rules_version = models.PositiveIntegerField(_("version of the rules"), default=1)
    map = models.ForeignKey(BattleMap, models.SET_NULL, null=True, blank=True, related_name="battles")
    board: models.JSONField[Any] = models.JSONField(_("ground"), default=list, blank=True)
    strips: models.JSONField[Any] = models.JSONField(_("strips"), default=dict, blank=True)
    parameters: models.JSONField[Any] = models.JSONField(_("parameters"), default=dict, blank=True)
    sides: models.JSONField[Any] = models.JSONField(_("sides"), default=dict, blank=True)
    armies: models.JSONField[Any] = models.JSONField(_("armies"), default=dict, blank=True)
    attacker = models.CharField(_("attacker"), max_length=4, choices=SideName.choices, null=True, blank=True)  # noqa: DJ001
    allow_spectators = models.BooleanField(_("spectators may watch"), default=True)

    stage = models.CharField(_("stage"), max_length=10, choices=Stage.choices, default=Stage.PREPARING)
    state: models.JSONField[Any] = models.JSONField(_("state"), null=True, blank=True)
    version = models.PositiveIntegerField(_("entries"), default=0)
    red_no = models.PositiveIntegerField(default=0)
    blue_no = models.PositiveIntegerField(default=0)
    public_no = models.PositiveIntegerField(default=0)
    throws = models.PositiveIntegerField(_("throws of dice"), default=0)
    turn = models.PositiveIntegerField(_("turn"), default=0)
    phase = models.CharField(_("phase"), max_length=30, blank=True)
    awaited: models.JSONField[Any] = models.JSONField(_("awaited"), default=list, blank=True)
    winner = models.CharField(_("winner"), max_length=4, choices=SideName.choices, null=True, blank=True)  # noqa: DJ001
    reason = models.CharField(_("reason"), max_length=60, blank=True)
    seed_hash = models.CharField(_("hash of the seed"), max_length=64)

    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    opened_at = models.DateTimeField(_("opened"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        """What must never be."""

        verbose_name = _("battle")
        verbose_name_plural = _("battles")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(stage__in=Stage.values), name="battle_stage"),
            models.CheckConstraint(
                condition=Q(stage=Stage.PREPARING, state=None, version=0)
                | (Q(opened_at__isnull=False, version__gt=0) & ~Q(stage=Stage.PREPARING)),
                name="battle_has_state_when_open",
            ),
            models.CheckConstraint(
                condition=Q(stage=Stage.OVER, ended_at__isnull=False) | (~Q(stage=Stage.OVER) & Q(ended_at=None)),
                name="battle_over_has_end",
            ),
            models.CheckConstraint(
                condition=Q(red_no__lte=F("version"), blue_no__lte=F("version"), public_no__lte=F("version")),
                name="battle_numbers",
            ),
            models.CheckConstraint(
                condition=Q(winner=None) | Q(winner__in=SideName.values, stage=Stage.OVER), name="battle_winner"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["campaign", "stage"], name="battle_by_stage")]

    def __str__(self) -> str:
        """Its name, as others may read it."""
        return clean_name(self.name) or str(self.pk)


class BattleSecret(models.Model):
    """The seed of a battle's dice. It is shown nowhere before the end; no admin page knows this table."""

    battle = models.OneToOneField(Battle, models.CASCADE, primary_key=True, related_name="secret")
    seed = models.BinaryField(max_length=32)

    def __str__(self) -> str:
        """Never the seed."""
        return f"battle {self.battle_id}"


class Seat(models.Model):
    """A side of a battle and who plays it. The phrase is hashed into the dice."""

    battle = models.ForeignKey(Battle, models.CASCADE, related_name="seats")
    side = models.CharField(_("side"), max_length=4, choices=SideName.choices)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="seats")
    phrase = models.CharField(_("phrase"), max_length=100, blank=True)

    class Meta:
        """One seat a side, one side a user."""

        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["battle", "side"], name="seat_once_a_side"),
            models.UniqueConstraint(fields=["battle", "user"], name="seat_one_side_a_user"),
            models.CheckConstraint(condition=Q(side__in=SideName.values), name="seat_side"),
        ]

    def __str__(self) -> str:
        """Which side of which battle."""
        return f"{self.battle}: {self.get_side_display()}"


class Moderator(models.Model):
    """Who moderates a battle, who made him so and when."""

    battle = models.ForeignKey(Battle, models.CASCADE, related_name="moderators")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="moderated")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        """Once a battle."""

        verbose_name = _("moderator")
        verbose_name_plural = _("moderators")
        constraints: ClassVar = [models.UniqueConstraint(fields=["battle", "user"], name="moderator_once")]

    def __str__(self) -> str:
        """Who moderates what."""
        return f"{self.battle}: {self.user}"


class SeenBy(models.Model):
    """Who could look at a battle as moderator or from a side, ever: it bars the seats of the other side."""

    battle = models.ForeignKey(Battle, models.CASCADE, related_name="seen_by")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    viewer = models.CharField(max_length=9)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        """Once a viewer."""

        constraints: ClassVar = [
            models.UniqueConstraint(fields=["battle", "user", "viewer"], name="seen_by_once"),
            models.CheckConstraint(condition=Q(viewer__in=["red", "blue", "moderator"]), name="seen_by_viewer"),
        ]

    def __str__(self) -> str:
        """Who saw what from where."""
        return f"{self.battle}: {self.user}, {self.viewer}"


class Invitation(models.Model):
    """An invitation to one seat: used once, expires, can be withdrawn."""

    battle = models.ForeignKey(Battle, models.CASCADE, related_name="invitations")
    side = models.CharField(_("side"), max_length=4, choices=SideName.choices)
    token = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(_("expires"))
    used_at = models.DateTimeField(_("used"), null=True, blank=True)
    used_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    withdrawn_at = models.DateTimeField(_("withdrawn on"), null=True, blank=True)

    class Meta:
        """One use a seat; what is withdrawn is not used."""

        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(used_at=None) | Q(withdrawn_at=None), name="invitation_one_end"),
            models.CheckConstraint(condition=Q(side__in=SideName.values), name="invitation_side"),
        ]

    def __str__(self) -> str:
        """Which side of which battle; never the token."""
        return f"{self.battle}: {self.get_side_display()}"


class Unit(models.Model):
    """A unit with its present fate, for lists, reports and the admin; written from the reveal on."""

    battle = models.ForeignKey(Battle, models.CASCADE, related_name="units")
    key = models.CharField(max_length=40)
    side = models.CharField(_("side"), max_length=4, choices=SideName.choices)
    kind = models.CharField(_("kind"), max_length=40)
    name = models.CharField(_("name"), max_length=80)
    position = models.PositiveIntegerField(default=0)
    at = models.CharField(_("place"), max_length=12, blank=True)
    strength = models.FloatField(_("strength"))
    strength_at_start = models.FloatField(_("strength at the start"))
    fate = models.CharField(_("fate"), max_length=12, blank=True)
    body: models.JSONField[Any] = models.JSONField(default=dict)

    class Meta:
        """One key a unit."""

        verbose_name = _("unit")
        verbose_name_plural = _("units")
        ordering: ClassVar = ["battle", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["battle", "key"], name="unit_key"),
            models.CheckConstraint(
                condition=Q(strength__gte=0, strength_at_start__gte=F("strength")) | Q(strength_at_start=0),
                name="unit_strength",
            ),
        ]

    def __str__(self) -> str:
        """Its name."""
        return clean_name(self.name) or self.key


class Submission(models.Model):
    """A command that was taken: who asked what, and which entries came of it. Never one that was refused."""

    battle = models.ForeignKey(Battle, models.CASCADE, related_name="submissions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    command_id = models.UUIDField()
    actor = models.CharField(max_length=9)
    body: models.JSONField[Any] = models.JSONField()
    received_at = models.DateTimeField()
    first = models.PositiveIntegerField(null=True)
    last = models.PositiveIntegerField(null=True)
    answer: models.JSONField[Any] = models.JSONField(default=dict)

    class Meta:
        """A command id stands once for a user in a battle."""

        constraints: ClassVar = [
            models.UniqueConstraint(fields=["battle", "user", "command_id"], name="submission_once"),
            models.CheckConstraint(
                condition=Q(first=None, last=None) | Q(first__gte=1, last__gte=F("first")), name="submission_entries"
            ),
            models.CheckConstraint(
                condition=Q(actor__in=["red", "blue", "moderator", "clock"]), name="submission_actor"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["battle", "user", "received_at"], name="submission_rate")]

    def __str__(self) -> str:
        """Which entries of which battle."""
        return f"{self.battle_id}: {self.first} to {self.last}"


class LogEntry(models.Model):
    """An event as it is stored: what happened, by which rule, for whose eyes, who asked, and when in game time.

    `number` is the moderator's, `red_no`, `blue_no`, `public_no` are the numbers for those who may see it.
    `places` says for a rewind from which of its own numbers on a viewer's log is abandoned. `digest` chains the
    entries, so that a change of any of them is found.
    """

    battle = models.ForeignKey(Battle, models.CASCADE, related_name="log")
    number = models.PositiveIntegerField()
    red_no = models.PositiveIntegerField(null=True)
    blue_no = models.PositiveIntegerField(null=True)
    public_no = models.PositiveIntegerField(null=True)
    kind = models.CharField(max_length=40)
    rule = models.CharField(max_length=20, blank=True)
    body: models.JSONField[Any] = models.JSONField()
    actor = models.CharField(max_length=9)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    side = models.CharField(max_length=4, blank=True)
    at = models.DateTimeField()
    turn = models.PositiveIntegerField()
    abandoned = models.BooleanField(default=False)
    submission = models.ForeignKey(Submission, models.CASCADE, related_name="entries")
    places: models.JSONField[Any] = models.JSONField(null=True)
    digest = models.CharField(max_length=64)

    class Meta:
        """The log has no gap and no fork, for no viewer."""

        verbose_name = _("log entry")
        verbose_name_plural = _("log entries")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["battle", "number"], name="log_number"),
            models.UniqueConstraint(fields=["battle", "red_no"], name="log_red_no"),
            models.UniqueConstraint(fields=["battle", "blue_no"], name="log_blue_no"),
            models.UniqueConstraint(fields=["battle", "public_no"], name="log_public_no"),
            models.CheckConstraint(condition=Q(number__gte=1), name="log_from_one"),
            models.CheckConstraint(condition=Q(actor__in=["red", "blue", "moderator", "clock"]), name="log_actor"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["battle", "turn", "number"], name="log_by_turn"),
            models.Index(fields=["battle", "kind", "number"], name="log_by_kind"),
        ]

    def __str__(self) -> str:
        """Its number and kind."""
        return f"{self.battle_id}/{self.number} {self.kind}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Entries are added in bulk by the door, and never changed."""
        if self.pk is not None:
            raise AppendOnly(str(self))
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Nothing of a log is ever deleted."""
        raise AppendOnly(str(self))


class Turn(models.Model):
    """A turn's start: the entry after which the state is as it is kept here."""

    battle = models.ForeignKey(Battle, models.CASCADE, related_name="turns")
    number = models.PositiveIntegerField(_("turn"))
    entry = models.PositiveIntegerField(_("entry"))
    state: models.JSONField[Any] = models.JSONField()
    started_at = models.DateTimeField(_("started"))
    abandoned = models.BooleanField(default=False)

    class Meta:
        """A turn begins once, apart from those that were abandoned."""

        verbose_name = _("turn")
        verbose_name_plural = _("turns")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["battle", "number"], condition=Q(abandoned=False), name="turn_once"),
            models.UniqueConstraint(fields=["battle", "entry"], name="turn_entry"),
        ]

    def __str__(self) -> str:
        """Which turn of which battle."""
        return f"{self.battle_id}: {self.number}"


class Snapshot(models.Model):
    """The state after an entry, so that a replay need not begin at the first."""

    battle = models.ForeignKey(Battle, models.CASCADE, related_name="snapshots")
    entry = models.PositiveIntegerField()
    state: models.JSONField[Any] = models.JSONField()
    abandoned = models.BooleanField(default=False)

    class Meta:
        """One an entry."""

        constraints: ClassVar = [models.UniqueConstraint(fields=["battle", "entry"], name="snapshot_once")]

    def __str__(self) -> str:
        """After which entry of which battle."""
        return f"{self.battle_id}/{self.entry}"


OPEN_DEADLINE = Q(fired_at=None, cancelled_at=None)


class Deadline(models.Model):
    """A clock of a battle: due at an instant while it runs, with what is left while it stands.

    It agrees with the state's timer of the same key. It ends fired or cancelled, once.
    """

    battle = models.ForeignKey(Battle, models.CASCADE, related_name="deadlines")
    key = models.CharField(max_length=80)
    seconds = models.PositiveIntegerField()
    seen_by: models.JSONField[Any] = models.JSONField(default=list)
    running = models.BooleanField(default=True)
    due_at = models.DateTimeField(null=True)
    remaining = models.FloatField(null=True)
    fired_at = models.DateTimeField(null=True)
    cancelled_at = models.DateTimeField(null=True)

    class Meta:
        """One open clock a key; one that runs has a due time, one that stands a remainder."""

        constraints: ClassVar = [
            models.UniqueConstraint(fields=["battle", "key"], condition=OPEN_DEADLINE, name="deadline_open_once"),
            models.CheckConstraint(condition=Q(fired_at=None) | Q(cancelled_at=None), name="deadline_one_end"),
            models.CheckConstraint(
                condition=Q(cancelled_at__isnull=False)
                | Q(running=True, due_at__isnull=False, remaining=None)
                | Q(running=False, due_at=None, remaining__gte=0),
                name="deadline_runs_or_stands",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["due_at"], condition=OPEN_DEADLINE, name="deadline_due"),
        ]

    def __str__(self) -> str:
        """Which clock of which battle."""
        return f"{self.battle_id}: {self.key}"


class RefusedCommand(models.Model):
    """A command that was refused, kept for 30 days for the moderator: "it would not let me"."""

    battle = models.ForeignKey(Battle, models.CASCADE, related_name="refused")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    actor = models.CharField(max_length=9)
    at = models.DateTimeField(db_index=True)
    body: models.JSONField[Any] = models.JSONField()
    key = models.CharField(max_length=60)
    rule = models.CharField(max_length=20, blank=True)
    figures: models.JSONField[Any] = models.JSONField(default=dict)

    class Meta:
        """Read by battle, newest first."""

        indexes: ClassVar = [models.Index(fields=["battle", "user", "at"], name="refused_rate")]

    def __str__(self) -> str:
        """What was refused where."""
        return f"{self.battle_id}: {self.key}"
