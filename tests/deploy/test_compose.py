"""The site in containers: what the files promise, read from the files."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
CADDYFILE = (ROOT / "deploy" / "Caddyfile").read_text("utf-8")
START = (ROOT / "deploy" / "start.sh").read_text("utf-8")


def test_the_services_are_web_database_layer_and_what_ends_tls() -> None:
    assert set(SERVICES) == {"web", "postgres", "redis", "caddy"}


def test_only_caddy_is_reached_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["caddy"]
    assert {port.split(":")[0] for port in SERVICES["caddy"]["ports"]} == {"80", "443"}
    assert not any(service.get("network_mode") == "host" for service in SERVICES.values())


def test_database_and_layer_lie_on_an_inner_network() -> None:
    assert COMPOSE["networks"]["inside"]["internal"] is True
    assert SERVICES["postgres"]["networks"] == SERVICES["redis"]["networks"] == ["inside"]
    assert "inside" not in SERVICES["caddy"]["networks"]


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_has_a_health_check_and_comes_back(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]
    assert SERVICES[name]["restart"] == "unless-stopped"


def test_each_waits_until_what_it_needs_is_healthy() -> None:
    assert {name: need["condition"] for name, need in SERVICES["web"]["depends_on"].items()} == {
        "postgres": "service_healthy",
        "redis": "service_healthy",
    }
    assert SERVICES["caddy"]["depends_on"]["web"]["condition"] == "service_healthy"


def test_secrets_have_no_default() -> None:
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    for name in ("SECRET_KEY", "POSTGRES_PASSWORD", "SITE_ADDRESS"):
        uses = re.findall(r"\$\{" + name + r"([^}]*)\}", text)
        assert any(use.startswith(":?") for use in uses)
        assert not any(use.startswith((":-", "-")) for use in uses)
    assert SERVICES["web"]["environment"]["SECRET_KEY"].startswith("${SECRET_KEY:?")
    assert "DEBUG" not in SERVICES["web"]["environment"]


def test_what_must_outlive_a_container_lies_in_volumes() -> None:
    assert set(COMPOSE["volumes"]) == {"postgres", "caddy-data", "caddy-config"}
    assert "postgres:/var/lib/postgresql/data" in SERVICES["postgres"]["volumes"]
    assert "caddy-data:/data" in SERVICES["caddy"]["volumes"]


def test_the_web_container_may_do_little() -> None:
    web = SERVICES["web"]
    assert web["read_only"] is True
    assert web["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in web["security_opt"]
    assert not web.get("privileged")


def test_the_image_runs_as_nobody_in_particular() -> None:
    final = DOCKERFILE.rsplit("FROM python:3.11-slim", 1)[1]
    users = re.findall(r"^USER (\S+)", final, re.MULTILINE)
    assert users == ["umpire"]
    assert final.index("USER umpire") < final.index("\nCMD")


def test_the_image_has_hashed_packages_static_files_and_a_health_check() -> None:
    assert "--require-hashes -r /tmp/base.txt" in DOCKERFILE
    assert "manage.py collectstatic --noinput" in DOCKERFILE
    assert "HEALTHCHECK" in DOCKERFILE
    assert "msgfmt" in DOCKERFILE


def test_the_start_migrates_first_and_serves_by_daphne() -> None:
    lines = [line for line in START.splitlines() if line and not line.startswith("#")]
    assert lines[0] == "set -eu"
    assert START.index("manage.py migrate") < START.index("exec daphne")
    assert "--proxy-headers" in START
    assert SERVICES["web"]["environment"]["BEHIND_PROXY"] == "1"
    assert 'CMD ["sh", "deploy/start.sh"]' in DOCKERFILE


def test_caddy_passes_everything_but_health_to_web() -> None:
    assert "{$SITE_ADDRESS}" in CADDYFILE
    assert "reverse_proxy web:8000" in CADDYFILE
    assert "respond @health 404" in CADDYFILE
    assert CADDYFILE.count("{") == CADDYFILE.count("}")


def test_the_environment_of_web_is_one_that_the_settings_take() -> None:
    environment = {
        name: re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", re.sub(r"\$\{\w+(:\?[^}]*)?\}", "umpire", str(value)))
        for name, value in SERVICES["web"]["environment"].items()
    }
    result = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "ERROR"],
        env={"PATH": os.environ["PATH"], **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_static_files_can_be_collected_for_production(tmp_path: Path) -> None:
    program = (
        "import config.settings as s; from pathlib import Path; "
        f"s.STATIC_ROOT = Path({str(tmp_path)!r}); "
        "import django; django.setup(); "
        "from django.core.management import call_command; call_command('collectstatic', interactive=False, verbosity=0)"
    )
    environment = {
        "PATH": os.environ["PATH"],
        "SECRET_KEY": "only-for-the-test",
        "ALLOWED_HOSTS": "localhost",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "staticfiles.json").exists()
    [layer] = (tmp_path / "umpire").glob("bootstrap.*.css")
    assert re.search(r"bootstrap\.min\.[0-9a-f]{12}\.css", layer.read_text("utf-8"))
