"""The rulebooks as a Django app: pages, and tags for log lines; the engine itself knows no Django."""

from django.apps import AppConfig


class RulesConfig(AppConfig):
    """The rules app."""

    name = "rules"
