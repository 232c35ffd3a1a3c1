"""Addresses of the battles."""

from django.urls import path

from battles.views import board, lobby, rulings

app_name = "battles"

urlpatterns = [
    path("", lobby.home, name="home"),
    path("campaigns/", lobby.campaigns, name="campaigns"),
    path("campaigns/new/", lobby.campaign_new, name="campaign_new"),
    path("campaigns/<int:campaign_id>/", lobby.campaign, name="campaign"),
    path("campaigns/<int:campaign_id>/battles/new/", lobby.battle_new, name="battle_new"),
    path("invitations/<str:token>/", lobby.invitation, name="invitation"),
    path("battles/<int:battle_id>/", board.board, name="board"),
    path("battles/<int:battle_id>/edit/", lobby.battle_edit, name="battle_edit"),
    path("battles/<int:battle_id>/prepare/", lobby.prepare, name="prepare"),
    path("battles/<int:battle_id>/open/", lobby.open_deployment, name="open"),
    path("battles/<int:battle_id>/order/", board.order, name="order"),
    path("battles/<int:battle_id>/panel/", board.panel, name="panel"),
    path("battles/<int:battle_id>/refresh/", board.refresh, name="refresh"),
    path("battles/<int:battle_id>/arrange/", board.arrange, name="arrange"),
    path("battles/<int:battle_id>/log/", board.log, name="log"),
    path("battles/<int:battle_id>/dice/", board.dice, name="dice"),
    path("battles/<int:battle_id>/review/", board.review, name="review"),
    path("battles/<int:battle_id>/desk/", rulings.battle_desk, name="battle_desk"),
    path("battles/<int:battle_id>/ruling/", rulings.ruling, name="ruling"),
    path("desk/", rulings.desk, name="desk"),
    path("demo/", lobby.demo, name="demo"),
    path("demo/enter/", lobby.demo_enter, name="demo_enter"),
]
