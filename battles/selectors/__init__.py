"""What pages may read: who sees which battle as what, and what he sees there. Nothing is written here.

Access is asked in `battle_for` and, for open sockets, in `watch`. What a viewer gets is made by the ruleset's `view`
and from the log entries that carry a number for him.
"""

from battles.selectors.access import (
    HIDDEN_PHASES,
    Chair,
    Role,
    Seen,
    Sight,
    battle_for,
    campaign_role,
    chair_of,
)
from battles.selectors.campaigns import CampaignCard, campaign_for, campaigns_for, maps_for, members_of
from battles.selectors.deadlines import ClockReading, clocks
from battles.selectors.desk import DeskItem, RefusalLine, desk_for, refused_commands
from battles.selectors.dice import DiceSheet, ThrowLine, dice_of
from battles.selectors.heartbeat import Watch, watch
from battles.selectors.history import TurnMark, read_entries, state_at, turns_of, view_at
from battles.selectors.lists import BattleCard, HomeLists, battles_of, home_lists
from battles.selectors.log import LogLine, LogPage, log_page
from battles.selectors.seats import (
    InvitationCard,
    InvitationLine,
    Preparation,
    SeatLine,
    invitation_card,
    invitation_problem,
    preparation,
)
from battles.selectors.sight import (
    NUMBERS,
    UnitLine,
    army_lists,
    current_state,
    names_for,
    rules_of,
    unit_lines,
    version_for,
    view_of,
)

__all__ = [
    "HIDDEN_PHASES",
    "NUMBERS",
    "BattleCard",
    "CampaignCard",
    "Chair",
    "ClockReading",
    "DeskItem",
    "DiceSheet",
    "HomeLists",
    "InvitationCard",
    "InvitationLine",
    "LogLine",
    "LogPage",
    "Preparation",
    "RefusalLine",
    "Role",
    "SeatLine",
    "Seen",
    "Sight",
    "ThrowLine",
    "TurnMark",
    "UnitLine",
    "Watch",
    "army_lists",
    "battle_for",
    "battles_of",
    "campaign_for",
    "campaign_role",
    "campaigns_for",
    "chair_of",
    "clocks",
    "current_state",
    "desk_for",
    "dice_of",
    "home_lists",
    "invitation_card",
    "invitation_problem",
    "log_page",
    "maps_for",
    "members_of",
    "names_for",
    "preparation",
    "read_entries",
    "refused_commands",
    "rules_of",
    "state_at",
    "turns_of",
    "unit_lines",
    "version_for",
    "view_at",
    "view_of",
    "watch",
]
