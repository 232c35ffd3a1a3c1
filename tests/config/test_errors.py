"""No traceback reaches a browser, in a demo neither."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

from config.logs import HideKeys

ROOT = Path(__file__).resolve().parents[2]
PROBE = """
import django
django.setup()
from django.test import Client
from django.urls import path
from config import urls

def broken(request):
    raise ValueError("SECRET-IN-A-TRACEBACK")

urls.urlpatterns.insert(0, path("broken/", urls.login_not_required(broken)))
client = Client(raise_request_exception=False)
for address, extra in (
    ("/broken/", {}), ("/nothing/here/", {}), ("/rules/", {"HTTP_HOST": "evil.example"}), ("/battles/99999/", {}),
):
    answer = client.get(address, headers={"accept": "text/html"}, **extra)
    text = answer.content.decode()
    assert "Traceback" not in text and "SECRET-IN" not in text and "settings" not in text, (address, text[:500])
    print(address, answer.status_code)
big = client.post("/accounts/login/", {f"f{i}": "x" for i in range(3000)})
assert "Traceback" not in big.content.decode()
print("many", big.status_code)
"""


def test_a_demo_shows_our_own_pages_and_no_traceback(tmp_path: Path) -> None:
    environment = {
        "PATH": "/usr/bin:/bin", "DEBUG": "1", "DEMO": "1", "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}", "PYTHONPATH": str(ROOT),
        "ALLOWED_HOSTS": "testserver",
    }  # fmt: skip
    run = subprocess.run(
        [sys.executable, "-c", PROBE], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-3000:]
    answers = dict(line.rsplit(" ", 1) for line in run.stdout.strip().splitlines())
    assert answers["/broken/"] == "500"
    assert answers["/nothing/here/"] == "404"
    assert answers["/rules/"] == "400"
    assert answers["many"] in ("400", "403")


def test_no_log_line_holds_what_opens_a_door() -> None:
    for address in (f"/invitations/{'x' * 43}/", f"/accounts/reset/MQ/{'y' * 39}/"):
        args = ("Gone", address)
        record = logging.LogRecord("django.request", logging.WARNING, __file__, 1, "%s: %s", args, None)
        assert HideKeys().filter(record)
        assert record.getMessage() == f"Gone: {address.rsplit('/', 2)[0]}/***/"
    record = logging.LogRecord("x", logging.INFO, __file__, 1, "%s of %s", (1, 2), None)
    assert HideKeys().filter(record) and record.getMessage() == "1 of 2"
