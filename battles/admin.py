"""The admin of battles, for superusers: to look, not to change. What is hidden while a battle runs is hidden here too;
seeds have no page."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from battles.models import (
    Battle,
    BattleMap,
    Campaign,
    Deadline,
    LogEntry,
    Membership,
    Moderator,
    RefusedCommand,
    Seat,
    Stage,
    Submission,
    Turn,
    Unit,
)

OF_BATTLE = ("state", "armies")
SHOWN = (
    "name", "campaign", "ruleset", "rules_version", "map", "sides", "parameters", "attacker", "allow_spectators",
    "stage", "phase", "turn", "winner", "reason", "seed_hash", "created_by", "created_at", "opened_at", "ended_at",
)  # fmt: skip


class SuperusersOnly(admin.ModelAdmin):
    """Pages for superusers."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the models are listed."""
        return self._super(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whether one may look."""
        return self._super(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whether one may change."""
        return self._super(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whether one may add."""
        return self._super(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whether one may delete."""
        return self._super(request)

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Only by what the list offers: `?state__icontains=` would tell what no page of a running battle shows."""
        return lookup.partition("__")[0] in self.list_filter

    @staticmethod
    def _super(request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)


class ToLookAt(SuperusersOnly):
    """Pages that show and change nothing: battles are changed through their door only."""

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False


class OfFinishedBattles(ToLookAt):
    """Rows of battles that are over; those of running ones aren't there."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Only what is over."""
        return super().get_queryset(request).filter(battle__stage=Stage.OVER).select_related("battle")


@admin.register(Campaign)
class CampaignAdmin(SuperusersOnly):
    """Campaigns."""

    list_display = (
        "name",
        "public",
        "keep_secrets",
        "created_at",
    )
    search_fields = ("name",)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never: logs are kept."""
        return False


@admin.register(Membership)
class MembershipAdmin(SuperusersOnly):
    """Who is what in a campaign."""

    list_display = (
        "user",
        "campaign",
        "role",
    )
    list_filter = ("role",)
    raw_id_fields = (
        "user",
        "campaign",
    )


@admin.register(BattleMap)
class BattleMapAdmin(SuperusersOnly):
    """Maps."""

    list_display = (
        "name",
        "slug",
        "campaign",
        "ruleset",
    )


@admin.register(Battle)
class BattleAdmin(ToLookAt):
    """Battles: lists and state only of those that are over."""

    list_display = (
        "name",
        "campaign",
        "ruleset",
        "stage",
        "turn",
        "winner",
        "created_at",
    )
    list_filter = (
        "stage",
        "ruleset",
    )
    search_fields = (
        "name",
        "campaign__name",
    )
    fields = SHOWN
    readonly_fields = SHOWN

    def get_queryset(self, request: HttpRequest) -> QuerySet[Battle]:
        """Without what is hidden; a page of a finished battle reads it for itself."""
        return super().get_queryset(request).select_related("campaign")

    def get_fields(self, request: HttpRequest, obj: Battle | None = None) -> list[Any]:
        """The lists and the state when the battle is over."""
        over = obj is not None and obj.stage == Stage.OVER
        return [*SHOWN, "version", *OF_BATTLE] if over else list(SHOWN)


@admin.register(Seat)
class SeatAdmin(ToLookAt):
    """Who sits where; phrases are part of the dice and are told in the log."""

    list_display = (
        "battle",
        "side",
        "user",
    )
    fields = (
        "battle",
        "side",
        "user",
    )


@admin.register(Moderator)
class ModeratorAdmin(ToLookAt):
    """Who moderates what."""

    list_display = (
        "battle",
        "user",
        "made_by",
        "made_at",
    )


@admin.register(LogEntry)
class LogEntryAdmin(OfFinishedBattles):
    """The logs of finished battles."""

    list_display = (
        "battle",
        "number",
        "turn",
        "kind",
        "rule",
        "actor",
        "at",
        "abandoned",
    )
    list_filter = (
        "kind",
        "abandoned",
    )
    exclude = ("submission",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[LogEntry]:
        """Without the entry that tells the seed."""
        return super().get_queryset(request).exclude(kind="seed_revealed")


@admin.register(Unit)
class UnitAdmin(OfFinishedBattles):
    """The units of finished battles."""

    list_display = (
        "battle",
        "side",
        "name",
        "kind",
        "at",
        "strength",
        "strength_at_start",
        "fate",
    )


@admin.register(Turn)
class TurnAdmin(OfFinishedBattles):
    """The turns of finished battles."""

    list_display = (
        "battle",
        "number",
        "entry",
        "started_at",
        "abandoned",
    )


@admin.register(Submission)
class SubmissionAdmin(OfFinishedBattles):
    """The commands of finished battles."""

    list_display = (
        "battle",
        "actor",
        "user",
        "received_at",
        "first",
        "last",
    )


@admin.register(RefusedCommand)
class RefusedCommandAdmin(OfFinishedBattles):
    """What was refused in finished battles."""

    list_display = (
        "battle",
        "actor",
        "user",
        "at",
        "key",
        "rule",
    )


@admin.register(Deadline)
class DeadlineAdmin(OfFinishedBattles):
    """The clocks of finished battles."""

    list_display = (
        "battle",
        "key",
        "seconds",
        "due_at",
        "fired_at",
        "cancelled_at",
    )
