"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users, sign-in and preferences."""

    name = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
