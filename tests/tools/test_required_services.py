"""Where services are promised, nothing is skipped."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

SKIPPING = """
import pytest

def test_that_skips():
    pytest.skip("redis-server is not installed here")

@pytest.mark.xfail(reason="known", strict=True)
def test_that_is_known_to_fail():
    assert False
"""


@pytest.mark.parametrize(("required", "outcome"), [("1", "1 failed, 1 xfailed"), ("0", "1 skipped, 1 xfailed")])
def test_a_skip_fails_where_services_are_required(tmp_path: Path, required: str, outcome: str) -> None:
    probe = tmp_path / "test_probe.py"
    probe.write_text(SKIPPING)
    root = str(settings.BASE_DIR)
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", f"{root}/pyproject.toml", "-q", str(probe)],
        env={**os.environ, "REQUIRE_SERVICES": required},
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome in result.stdout
    assert result.returncode == int(required)
