"""Health pages, log lines and settings."""

import json
import logging
import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.test import Client

from config import health
from config.logs import JsonFormatter


def test_alive_needs_no_database(client: Client) -> None:
    response = client.get("/healthz/live")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_ready_names_all_parts(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "clock_lag", lambda: 0.0)
    response = client.get("/healthz/ready")
    assert response.status_code == 200
    assert response.json() == {"status": "ok", "database": "ok", "layer": "ok", "clock": "ok"}
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.django_db
def test_a_late_clock_is_not_ready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "clock_lag", lambda: 11.0)
    response = client.get("/healthz/ready")
    assert response.status_code == 503
    assert response.json()["clock"] == "failing"


@pytest.mark.django_db
def test_a_failing_database_is_told_without_details(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("password=secret")

    monkeypatch.setattr(health, "clock_lag", lambda: 0.0)
    monkeypatch.setattr(health, "check_database", fail)
    response = client.get("/healthz/ready")
    assert response.status_code == 503
    assert response.json()["database"] == "failing"
    assert "secret" not in response.content.decode()


@pytest.mark.django_db
def test_no_battle_no_lag() -> None:
    assert health.clock_lag() == 0.0


def test_a_log_line_is_one_object() -> None:
    try:
        raise ValueError("odd")
    except ValueError:
        record = logging.LogRecord("battles", logging.ERROR, __file__, 1, "order %s", ("41",), sys.exc_info())
    record.battle = 7
    line = JsonFormatter().format(record)
    assert "\n" not in line
    told = json.loads(line)
    assert (told["level"], told["logger"], told["message"], told["battle"]) == ("ERROR", "battles", "order 41", 7)
    assert "ValueError: odd" in told["traceback"]


def start(**environment: str) -> subprocess.CompletedProcess[str]:
    """Load the settings in a process of their own."""
    command = [sys.executable, "-c", "import config.settings as s; print(s.DATABASES, s.CHANNEL_LAYERS, s.SECRET_KEY)"]
    inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        command, env={**inherited, **environment}, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False
    )


PRODUCTION = {"SECRET_KEY": "x" * 60, "ALLOWED_HOSTS": "umpire.example"}


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY"),
        ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS"),
        ({"DEBUG": "maybe"}, "DEBUG"),
        ({"CLOCK_EMBEDDED": "2"}, "CLOCK_EMBEDDED"),
        ({"REDIS_URL": "localhost:6379"}, "REDIS_URL"),
        ({"DATABASE_URL": "mysql://localhost/umpire"}, "DATABASE_URL"),
        ({"DATABASE_URL": "postgres://localhost/umpire", "DATABASE_POOL_SIZE": "many"}, "DATABASE_POOL_SIZE"),
        ({"AXES_FAILURE_LIMIT": "0"}, "AXES_FAILURE_LIMIT"),
        ({"LOG_LEVEL": "LOUD"}, "LOG_LEVEL"),
    ],
)
def test_a_bad_value_stops_the_start(bad: dict[str, str], named: str) -> None:
    result = start(**{**PRODUCTION, **bad})
    assert result.returncode != 0
    assert named in result.stderr.splitlines()[-1]


def test_production_starts_on_postgresql_and_redis() -> None:
    result = start(**PRODUCTION, DATABASE_URL="postgres://u:p@db:5432/umpire", REDIS_URL="redis://redis:6379/0")
    assert result.returncode == 0, result.stderr
    assert "RedisPubSubChannelLayer" in result.stdout
    assert "statement_timeout" in result.stdout
    assert "'pool'" in result.stdout


def test_development_starts_on_nothing() -> None:
    result = start(DEBUG="1")
    assert result.returncode == 0, result.stderr
    assert "IMMEDIATE" in result.stdout
    assert "InMemoryChannelLayer" in result.stdout
