#!/bin/sh
# Bring the database up to the code, then serve; behind a proxy, which says whom it speaks for.
set -eu
python manage.py migrate --noinput
exec daphne --bind 0.0.0.0 --port 8000 --proxy-headers --verbosity 0 config.asgi:application
