"""Addresses of a person's own pages."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from accounts import views

app_name = "accounts"

urlpatterns = [
    path("signup/", views.signup, name="signup"),
    path("login/", views.SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("profile/", views.profile, name="profile"),
    path("theme/", views.theme, name="theme"),
    path("password/", views.PasswordChange.as_view(), name="password_change"),
    path("reset/", views.PasswordReset.as_view(), name="password_reset"),
    path("reset/done/", views.PasswordResetDone.as_view(), name="password_reset_done"),
    path("reset/<uidb64>/<token>/", views.PasswordResetConfirm.as_view(), name="password_reset_confirm"),
    path("reset/complete/", views.PasswordResetComplete.as_view(), name="password_reset_complete"),
]
