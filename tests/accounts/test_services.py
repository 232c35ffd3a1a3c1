"""The private services that other tests build on."""

import os
import subprocess
import sys

import pytest
from django.conf import settings


def manage(*arguments: str, **environment: str) -> str:
    """Run a management command in a process of its own."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        env={**os.environ, "DEBUG": "1", "DJANGO_SETTINGS_MODULE": "config.settings", **environment},
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.postgres
def test_postgresql_takes_the_migrations_and_the_timeouts(private_postgres: str) -> None:
    manage("migrate", "--verbosity", "0", DATABASE_URL=private_postgres)
    question = (
        "from django.db import connection; cursor = connection.cursor(); "
        "cursor.execute('SHOW lock_timeout'); print(cursor.fetchone()[0]); "
        "cursor.execute('SHOW statement_timeout'); print(cursor.fetchone()[0])"
    )
    assert manage("shell", "--no-imports", "-c", question, DATABASE_URL=private_postgres).split() == ["5s", "15s"]


@pytest.mark.redis
def test_a_message_goes_through_redis(private_redis: str) -> None:
    question = "from config import health; print(health.attempt(health.check_layer))"
    assert manage("shell", "--no-imports", "-c", question, REDIS_URL=private_redis).strip() == "ok"


@pytest.mark.redis
def test_a_dead_redis_is_not_ready() -> None:
    question = "from config import health; print(health.attempt(health.check_layer))"
    assert manage("shell", "--no-imports", "-c", question, REDIS_URL="redis://127.0.0.1:9/0").strip() == "failing"
