"""A person's own pages: sign up, in and out, profile, lost password, colours, language."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST
from django.views.i18n import set_language as django_set_language

from accounts.forms import NewPasswordForm, ProfileForm, ResetConfirmForm, ResetForm, SignInForm, SignUpForm
from accounts.models import Language, Theme, User
from accounts.preferences import remember_theme, theme_for

MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"


@login_not_required
@sensitive_post_parameters("password1", "password2")
@never_cache
def signup(request: HttpRequest) -> HttpResponseBase:
    """Make an account and sign in with it."""
    if request.user.is_authenticated:
        return redirect(settings.LOGIN_REDIRECT_URL)
    if not settings.SIGNUP_OPEN:
        return render(request, "accounts/signup_closed.html", status=403)
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = form.save(commit=False)
        user.theme = theme_for(request)
        user.save()
        login(request, user, backend=MODEL_BACKEND)
        return redirect(settings.LOGIN_REDIRECT_URL)
    return render(request, "accounts/signup.html", {"form": form}, status=422 if form.errors else 200)


class SignIn(auth_views.LoginView):
    """Sign in; the page of a form in error answers 422."""

    template_name = "accounts/login.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Whether there is a way to an account of one's own."""
        return super().get_context_data(signup_open=settings.SIGNUP_OPEN, **kwargs)

    def form_invalid(self, form: Any) -> HttpResponse:
        """The same page with what is wrong."""
        return self.render_to_response(self.get_context_data(form=form), status=422)


def locked_out(request: HttpRequest, original: HttpResponse | None, credentials: dict[str, Any] | None) -> HttpResponse:
    """Too many wrong passwords: 429 and how long to wait."""
    minutes = int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)
    response = render(request, "429.html", {"minutes": minutes}, status=429)
    response.headers["Retry-After"] = str(minutes * 60)
    return response


@never_cache
def profile(request: HttpRequest) -> HttpResponseBase:
    """A person's name, mail address, language and colours."""
    user = get_object_or_404(User, pk=request.user.pk)  # not request.user: a form in error must not change the bar
    form = ProfileForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Your profile is saved."))
        response = redirect("accounts:profile")
        if user.theme:
            remember_theme(response, Theme(user.theme))
        return response
    return render(request, "accounts/profile.html", {"form": form}, status=422 if form.errors else 200)


@login_not_required
@require_POST
def theme(request: HttpRequest) -> HttpResponseBase:
    """Change the colours, in the cookie and in the profile, and go back to the page."""
    wish = request.POST.get("theme", "")
    chosen = Theme(wish) if wish in Theme.values else theme_for(request).other
    if isinstance(request.user, User):
        User.objects.filter(pk=request.user.pk).update(theme=chosen)
    response = HttpResponseRedirect(page_before(request))
    remember_theme(response, chosen)
    return response


@login_not_required
@require_POST
def set_language(request: HttpRequest) -> HttpResponseBase:
    """Change the language, in the cookie and in the profile, and go back to the page."""
    wish = request.POST.get("language", "")
    if isinstance(request.user, User) and wish in Language.values:
        User.objects.filter(pk=request.user.pk).update(language=wish)
    return django_set_language(request)


def page_before(request: HttpRequest) -> str:
    """The page that the form names, or the one it was on, if it is one of ours; else the first page."""
    referrer = urlsplit(request.META.get("HTTP_REFERER", ""))
    for address in (request.POST.get("next", ""), referrer.path if referrer.netloc == request.get_host() else ""):
        if address and url_has_allowed_host_and_scheme(
            address, {request.get_host()}, require_https=request.is_secure()
        ):
            return address
    return resolve_url(settings.LOGIN_REDIRECT_URL)


class PasswordChange(auth_views.PasswordChangeView):
    """A new password for someone who knows the old one."""

    template_name = "accounts/password_change.html"
    form_class = NewPasswordForm
    success_url = reverse_lazy("accounts:profile")

    def form_valid(self, form: Any) -> HttpResponse:
        """Say so on the profile's page."""
        messages.success(self.request, _("Your password is changed."))
        return super().form_valid(form)

    def form_invalid(self, form: Any) -> HttpResponse:
        """The same page with what is wrong."""
        return self.render_to_response(self.get_context_data(form=form), status=422)


@method_decorator(login_not_required, name="dispatch")
class PasswordReset(auth_views.PasswordResetView):
    """Ask for a link by mail; the answer never tells whether the address is known."""

    template_name = "accounts/password_reset.html"
    email_template_name = "accounts/password_reset_email.txt"
    subject_template_name = "accounts/password_reset_subject.txt"
    form_class = ResetForm
    success_url = reverse_lazy("accounts:password_reset_done")


@method_decorator(login_not_required, name="dispatch")
class PasswordResetDone(auth_views.PasswordResetDoneView):
    """The mail is on its way, if the address is known."""

    template_name = "accounts/password_reset_done.html"


@method_decorator(login_not_required, name="dispatch")
class PasswordResetConfirm(auth_views.PasswordResetConfirmView):
    """Choose a new password by the link of the mail."""

    template_name = "accounts/password_reset_confirm.html"
    form_class = ResetConfirmForm
    success_url = reverse_lazy("accounts:password_reset_complete")


@method_decorator(login_not_required, name="dispatch")
class PasswordResetComplete(auth_views.PasswordResetCompleteView):
    """The new password counts."""

    template_name = "accounts/password_reset_complete.html"
