"""`makemessages` that knows the engine's marks too."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    """Extracts what `ngettext_noop` marks as well; Django knows `gettext_noop` already."""

    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=ngettext_noop:1,2"]
