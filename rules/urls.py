"""Addresses of the rulebooks."""

from django.urls import path

from rules import views

app_name = "rules"

urlpatterns = [
    path("", views.index, name="index"),
    path("dice/", views.dice, name="dice"),
    path("dice/check_a_die.py", views.dice_program, name="dice_program"),
    path("<slug:ruleset_id>/", views.book, name="book"),
]
