"""The battles app."""

from django.apps import AppConfig


class BattlesConfig(AppConfig):
    """What makes a battle a web page."""

    name = "battles"
    default_auto_field = "django.db.models.BigAutoField"
