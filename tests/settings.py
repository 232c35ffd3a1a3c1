"""The project's settings as tests use them: no secrets, no mail, a database file of their own."""

import os
import tempfile

os.environ.setdefault("DEBUG", "1")
os.environ.setdefault("CLOCK_EMBEDDED", "0")
os.environ.setdefault("LOG_LEVEL", "WARNING")

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": os.path.join(tempfile.mkdtemp(prefix="umpire-test-"), "db.sqlite3")}
