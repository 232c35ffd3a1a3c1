"""The user."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.text import clean_name


class Language(models.TextChoices):
    """The languages of the pages."""

    ENGLISH = "en", _("English")
    RUSSIAN = "ru", _("Russian")


class Theme(models.TextChoices):
    """The two sets of colours."""

    LIGHT = "light", _("Light")
    DARK = "dark", _("Dark")

    @property
    def other(self) -> "Theme":
        """The one that the switch leads to."""
        return Theme.LIGHT if self is Theme.DARK else Theme.DARK


class User(AbstractUser):
    """A person: a player, a moderator or a guest, which is decided battle by battle."""

    display_name = models.CharField(
        _("name"), max_length=60, blank=True, help_text=_("How the others see you. Your user name, if left empty.")
    )
    language = models.CharField(
        _("language"), max_length=5, choices=Language.choices, blank=True, help_text=_("The browser's, if left empty.")
    )
    theme = models.CharField(_("colours"), max_length=5, choices=Theme.choices, blank=True)

    class Meta:
        """How users are called in the admin."""

        verbose_name = _("user")
        verbose_name_plural = _("users")

    def __str__(self) -> str:
        """The name that others see."""
        return self.name

    @property
    def name(self) -> str:
        """The name that others see: never empty, never with invisible characters."""
        return clean_name(self.display_name) or clean_name(self.username) or str(self.pk)

    def get_full_name(self) -> str:
        """The name that others see."""
        return self.name

    def get_short_name(self) -> str:
        """The name that others see."""
        return self.name
