"""The forms of a person's own pages."""

from collections.abc import Iterable
from typing import Any, cast

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Submit
from django import forms
from django.contrib.auth import forms as auth_forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.text import clean_name


def plain_helper(action: Any, button: Any) -> FormHelper:
    """A form with one primary button, posted to `action`."""
    helper = FormHelper()
    helper.form_method = "post"
    helper.form_action = action
    helper.attrs = {"novalidate": True}
    helper.add_input(Submit("submit", button, css_class="btn-primary"))
    return helper


def visible(typed: str) -> str:
    """The name without invisible characters; an error if nothing else was typed."""
    name = clean_name(typed)
    if typed.strip() and not name:
        raise forms.ValidationError(_("This name has no visible characters."), code="invisible")
    return name


class SignUpForm(auth_forms.UserCreationForm):
    """Make an account."""

    class Meta:
        """What is asked at the start; the rest can wait for the profile."""

        model = User
        fields = ("username", "display_name", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].help_text = _("Only to give you a new password when you have lost yours.")
        self.fields["email"].widget.attrs["autocomplete"] = "email"
        self.fields["display_name"].widget.attrs["autocomplete"] = "nickname"
        self.helper = plain_helper("accounts:signup", _("Create the account"))

    def clean_username(self) -> str:
        """The user name as others can read it, not taken in any spelling."""
        self.cleaned_data["username"] = visible(self.cleaned_data["username"])
        return str(super().clean_username())

    def clean_display_name(self) -> str:
        """The name as others can read it."""
        return visible(self.cleaned_data["display_name"])


class SignInForm(auth_forms.AuthenticationForm):
    """Sign in by user name and password."""

    def __init__(self, request: HttpRequest | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        self.helper = plain_helper("accounts:login", _("Sign in"))
        self.helper.form_tag = False


class ProfileForm(forms.ModelForm):
    """How a person is called and how he likes the pages."""

    class Meta:
        """What a person may change about himself."""

        model = User
        fields = ("display_name", "email", "language", "theme")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        blank = {"language": _("As the browser asks"), "theme": _("As last chosen here")}
        for name, label in blank.items():
            field = cast(forms.TypedChoiceField, self.fields[name])
            choices = list(cast(Iterable[tuple[str, str]], field.choices))
            field.help_text = ""
            field.choices = [("", label), *[pair for pair in choices if pair[0]]]
        self.fields["email"].widget.attrs["autocomplete"] = "email"
        self.fields["display_name"].widget.attrs["autocomplete"] = "nickname"
        self.helper = plain_helper("accounts:profile", _("Save"))

    def clean_display_name(self) -> str:
        """The name as others can read it."""
        return visible(self.cleaned_data["display_name"])


class NewPasswordForm(auth_forms.PasswordChangeForm):
    """Change the password, knowing the old one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.helper = plain_helper("accounts:password_change", _("Change the password"))


class ResetForm(auth_forms.PasswordResetForm):
    """Ask for a mail with a link to a new password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.helper = plain_helper("accounts:password_reset", _("Send me the link"))


class ResetConfirmForm(auth_forms.SetPasswordForm):
    """Choose the new password after the mail."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.helper = plain_helper("", _("Keep this password"))
