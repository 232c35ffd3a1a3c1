"""What changes a battle. `submit` is the one door for commands, `strike` is the clock's; the rest prepares battles.

Each takes one transaction, locks the battle's row first, and tells the pages after the commit. A command that is
refused leaves nothing in the log.
"""

from battles.selectors import campaign_role
from battles.services.campaigns import change_campaign, create_campaign, find_user, remove_member, set_member
from battles.services.dice import phrases, salt_of, seed_of
from battles.services.door import RATE_MOST, forget_refused, submit
from battles.services.errors import (
    ConflictingRepeat,
    LateCommand,
    NotSaved,
    Refused,
    StaleCommand,
    TooManyCommands,
)
from battles.services.fold import UNIT_FIELDS, awaited, unit_rows
from battles.services.locking import locked
from battles.services.opening import OPENING, open_battle
from battles.services.preparing import BattlePlan, change_battle, create_battle, library_rows
from battles.services.recording import SNAPSHOT_EVERY, Asked, Receipt, as_stored, entry_digest, record
from battles.services.seats import (
    add_moderator,
    invite,
    remove_moderator,
    set_phrase,
    take_seat,
    vacate_seat,
    withdraw_invitation,
)
from battles.services.striking import due_battles, strike

__all__ = [
    "OPENING",
    "RATE_MOST",
    "SNAPSHOT_EVERY",
    "UNIT_FIELDS",
    "Asked",
    "BattlePlan",
    "ConflictingRepeat",
    "LateCommand",
    "NotSaved",
    "Receipt",
    "Refused",
    "StaleCommand",
    "TooManyCommands",
    "add_moderator",
    "as_stored",
    "awaited",
    "campaign_role",
    "change_battle",
    "change_campaign",
    "create_battle",
    "create_campaign",
    "due_battles",
    "entry_digest",
    "find_user",
    "forget_refused",
    "invite",
    "library_rows",
    "locked",
    "open_battle",
    "phrases",
    "record",
    "remove_member",
    "remove_moderator",
    "salt_of",
    "seed_of",
    "set_member",
    "set_phrase",
    "strike",
    "submit",
    "take_seat",
    "unit_rows",
    "vacate_seat",
    "withdraw_invitation",
]
