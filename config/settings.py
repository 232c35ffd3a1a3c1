"""Settings, read from the environment; a bad value stops the start.

With DEBUG=1 (a developer's machine) or DEMO=1 (a try-out) and nothing else the project runs on SQLite, the in-memory
layer and the embedded clock.
"""

import importlib.resources
import warnings
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import environ
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"", "0", "false", "no", "off"})


def flag(name: str, default: bool) -> bool:
    """A yes or no from the environment; any other word is an error."""
    word = env.str(name, default="1" if default else "0").strip().lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {word!r}")


def number(name: str, default: int, least: int = 0, most: int = 1_000_000) -> int:
    """A whole number from the environment, between two bounds."""
    text = env.str(name, default=str(default)).strip()
    if not text.isdecimal() or not least <= int(text) <= most:
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} to {most}, not {text!r}")
    return int(text)


def choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    """One word of a few."""
    word = env.str(name, default=default).strip()
    if word not in choices:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(choices)}, not {word!r}")
    return word


# What kind of start this is

DEBUG = flag("DEBUG", False)
DEMO = flag("DEMO", False)
CLOCK_EMBEDDED = flag("CLOCK_EMBEDDED", True)
FAULT_POINT = env.str("FAULT_POINT", default="")
LOCAL = DEBUG or DEMO
HTTPS = flag("HTTPS", not LOCAL)

SECRET_KEY = env.str("SECRET_KEY", default="development-only-" + "x" * 50 if LOCAL else "")
if not SECRET_KEY:
    raise ImproperlyConfigured("SECRET_KEY must be set unless DEBUG=1 or DEMO=1")

ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"] if LOCAL else [])
if not ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS must name the site's hosts unless DEBUG=1 or DEMO=1")
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# Applications

INSTALLED_APPS = [
    "daphne",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "django_htmx",
    "crispy_forms",
    "crispy_bootstrap5",
    "lucide",
    "csp",
    "axes",
    "accounts",
    "rules.apps.RulesConfig",
    "battles.apps.BattlesConfig",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "accounts.middleware.PreferencesMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.errors.WordsForEmptyAnswers",
    "config.errors.QuietErrors",
    "axes.middleware.AxesMiddleware",
]

if DEBUG and DEMO:
    DEFAULT_EXCEPTION_REPORTER = "config.errors.QuietReporter"

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.context_processors.preferences",
            ],
        },
    },
]

# Database: SQLite out of the box, PostgreSQL by DATABASE_URL

DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{BASE_DIR / 'db.sqlite3'}"),
}
match DATABASES["default"]["ENGINE"]:
    case "django.db.backends.sqlite3":
        DATABASES["default"]["ENGINE"] = "config.pooled_sqlite3"
        DATABASES["default"]["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 5,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        }
    case "django.db.backends.postgresql":
        DATABASES["default"]["HOST"] = unquote(DATABASES["default"]["HOST"])  # a socket's folder comes as %2F...
        DATABASES["default"]["OPTIONS"] = {
            **DATABASES["default"].get("OPTIONS", {}),
            "pool": {
                "min_size": 1,
                "max_size": number("DATABASE_POOL_SIZE", 12, least=2, most=200),
                "timeout": 10,
            },
            "options": " ".join(
                f"-c {name}={number(name.upper(), default, least=100)}"
                for name, default in {
                    "statement_timeout": 15_000,
                    "lock_timeout": 5_000,
                    "idle_in_transaction_session_timeout": 30_000,
                }.items()
            ),
        }
    case engine:
        raise ImproperlyConfigured(f"DATABASE_URL must name SQLite or PostgreSQL, not {engine}")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Groups: in memory for one process, Redis for several

REDIS_URL = env.str("REDIS_URL", default="")
if REDIS_URL and not REDIS_URL.startswith(("redis://", "rediss://", "unix://")):
    raise ImproperlyConfigured("REDIS_URL must begin with redis://, rediss:// or unix://")
CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": (
        {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}
        if REDIS_URL
        else {"BACKEND": "channels.layers.InMemoryChannelLayer", "CONFIG": {"capacity": 10_000}}
    ),
}

# People

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "accounts:login"
LOGIN_REDIRECT_URL = "battles:home"
LOGOUT_REDIRECT_URL = "accounts:login"
SIGNUP_OPEN = flag("SIGNUP_OPEN", True)

AXES_FAILURE_LIMIT = number("AXES_FAILURE_LIMIT", 5, least=1)
AXES_COOLOFF_TIME = timedelta(minutes=number("AXES_COOLOFF_MINUTES", 15, least=1))
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "accounts.views.locked_out"
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False

# Languages and time

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("ru", _("Russian"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", default="UTC")

# Static files

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS: list[Any] = [
    BASE_DIR / "static",
    ("bootstrap", str(importlib.resources.files("django_include_bootstrap") / "static")),
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if LOCAL
            else "whitenoise.storage.CompressedManifestStaticFilesStorage"
        ),
    },
}
WHITENOISE_USE_FINDERS = LOCAL
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_MAX_AGE = 0 if LOCAL else 60
if LOCAL:  # the finders serve; nothing need be collected first
    warnings.filterwarnings("ignore", message="No directory at", category=UserWarning)

CRISPY_ALLOWED_TEMPLATE_PACKS = "bootstrap5"
CRISPY_TEMPLATE_PACK = "bootstrap5"

# Mail

vars().update(env.email_url("EMAIL_URL", default="consolemail://" if LOCAL else "smtp://localhost:25"))
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="umpire@localhost")
SERVER_EMAIL = DEFAULT_FROM_EMAIL

# Security

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = False  # what terminates TLS redirects
SECURE_HSTS_SECONDS = number("HSTS_SECONDS", 31_536_000 if HTTPS else 0, most=63_072_000)
SECURE_REFERRER_POLICY = "same-origin"
if flag("BEHIND_PROXY", False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    },
}

# Logging

LOG_LEVEL = choice("LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {"()": "config.logs.JsonFormatter"},
        "plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
    },
    "filters": {"hide_keys": {"()": "config.logs.HideKeys"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "filters": ["hide_keys"],
            "formatter": choice("LOG_FORMAT", "plain" if LOCAL else "json", ("json", "plain")),
        },
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "level": LOG_LEVEL, "propagate": True},
        # passers-by knock with any name and any amount; they get a 400
        **{
            f"django.security.{name}": {"level": "CRITICAL"}
            for name in ("DisallowedHost", "RequestDataTooBig", "TooManyFieldsSent")
        },
        "daphne": {"level": "WARNING"},
    },
}
