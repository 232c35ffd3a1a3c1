"""What people write, as it is stored: without invisible characters, and not too long."""

from __future__ import annotations

from django.utils.translation import gettext as _

from accounts.text import clean_name
from battles.services.errors import Refused

LONGEST_NAME = 80
LONGEST_PHRASE = 100
LONGEST_REASON = 500


def name(value: str, field: str = "name") -> str:
    """A name; Refused if nothing of it can be read or it is too long."""
    written = clean_name(value)
    if not written:
        raise Refused(_("A name is wanted."), field)
    if len(written) > LONGEST_NAME:
        raise Refused(_("This name is too long: %(most)s characters at most.") % {"most": LONGEST_NAME}, field)
    return written


def phrase(value: str) -> str:
    """A phrase for the dice, or none; Refused if it is too long."""
    written = clean_name(value)
    if len(written) > LONGEST_PHRASE:
        raise Refused(_("This phrase is too long: %(most)s characters at most.") % {"most": LONGEST_PHRASE}, "phrase")
    return written


def reason(value: str) -> str:
    """The reason of a ruling, cut where it grows too long."""
    return clean_name(value)[:LONGEST_REASON]
