"""The site's settings as in production, with everything that it writes in the bench's own folder."""

import os

from config.settings import *  # noqa: F403

STATIC_ROOT = os.environ["BENCH_STATIC"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # names with hashes as in production; compressing the files changes nothing that is measured
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"},
}
