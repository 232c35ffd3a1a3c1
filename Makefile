# One word a task; `make help` lists them.
#   PYTHON=python3.12 make setup     another interpreter
#   PORT=8080 make run               another port
#   PYTEST_ARGS="-k melee" make test only some tests

PYTHON ?= python3
VENV ?= .venv
PORT ?= 8000
UV ?= uv
PYTEST_ARGS ?=

BIN := $(VENV)/bin
REQUIREMENTS_STAMP := $(VENV)/.stamp-requirements
MESSAGES_STAMP := $(VENV)/.stamp-messages
CATALOGUES := $(wildcard locale/*/LC_MESSAGES/*.po)

.DEFAULT_GOAL := help
.PHONY: help setup migrate run test check format lock faults bench pictures messages

help:  ## say what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-10s %s\n", $$1, $$2 }'

setup: $(REQUIREMENTS_STAMP) $(MESSAGES_STAMP) migrate  ## install into .venv, prepare the database and the catalogues

$(REQUIREMENTS_STAMP): requirements/dev.txt
	@command -v $(PYTHON) >/dev/null 2>&1 || { echo "There is no $(PYTHON) here. Install Python 3.11 or newer, or name one: make setup PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11. Name a newer one: make setup PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv module is missing. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	@echo "Installing the packages of requirements/dev.txt"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

$(MESSAGES_STAMP): $(REQUIREMENTS_STAMP) $(CATALOGUES)
	@if [ -z "$(CATALOGUES)" ]; then :; \
	elif command -v msgfmt >/dev/null 2>&1; then for po in $(CATALOGUES); do msgfmt --check-format -o "$${po%.po}.mo" "$$po" || exit 1; done; \
	else $(BIN)/pybabel -q compile -D django -d locale; fi
	@touch $@

migrate: $(REQUIREMENTS_STAMP)
	@DEBUG=1 $(BIN)/python manage.py migrate --verbosity 0

run: setup  ## play: one process on http://127.0.0.1:8000 with a demo battle
	@DEBUG=1 DEMO=1 $(BIN)/python manage.py demo
	@echo "Umpire is at http://127.0.0.1:$(PORT)"
	@DEBUG=1 DEMO=1 exec $(BIN)/daphne --bind 127.0.0.1 --port $(PORT) --verbosity 0 config.asgi:application

test: setup check  ## all checks and all tests
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

check: $(REQUIREMENTS_STAMP)  ## format, lint, types, import contracts, migrations, templates, catalogues
	@$(BIN)/ruff format --check --quiet . || { echo "ruff format: these files are not formatted (make format)"; $(BIN)/ruff format --check .; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@PYTHONPATH=. $(BIN)/lint-imports
	@DEBUG=1 $(BIN)/python manage.py check --fail-level WARNING
	@DEBUG=1 $(BIN)/python manage.py makemigrations --check --dry-run
	@find templates -name '*.html' -print0 | xargs -0 $(BIN)/djade --check --target-version 5.2
	@$(BIN)/python bin/check-catalogue

format: $(REQUIREMENTS_STAMP)  ## put code and templates into shape
	@$(BIN)/ruff check --quiet --fix . || true
	@$(BIN)/ruff format --quiet .
	@find templates -name '*.html' -print0 | xargs -0 $(BIN)/djade --target-version 5.2 || true

lock:  ## exact versions with hashes from the ranges in pyproject.toml (needs uv)
	@command -v $(UV) >/dev/null 2>&1 || { echo "uv is missing. Install it anywhere outside .venv, or name it: make lock UV=/path/to/uv"; exit 1; }
	@$(UV) pip compile --quiet pyproject.toml --universal --generate-hashes --no-header -o requirements/base.txt
	@$(UV) pip compile --quiet pyproject.toml --extra dev --universal --generate-hashes --no-header -o requirements/dev.txt

messages: $(REQUIREMENTS_STAMP)  ## bring the Russian catalogue up to the code (needs gettext)
	@command -v xgettext >/dev/null 2>&1 || { echo "gettext is missing. On Debian and Ubuntu: apt-get install gettext"; exit 1; }
	@mkdir -p locale
	@DEBUG=1 $(BIN)/python manage.py makemessages --locale ru --extension html,txt,svg,py --no-location --no-wrap --ignore '.venv/*' --ignore 'staticfiles/*' --ignore 'tests/*'

faults: setup  ## the fault cases with real processes, 20 times each (needs Redis and PostgreSQL)
	@FAULT_ROUNDS=20 $(BIN)/python -m pytest -m fault $(PYTEST_ARGS)

bench: setup  ## measure orders and pushes against the bounds
	@$(BIN)/python -m bench

pictures: setup  ## the pictures of the README, from the running product (needs chromium)
	@$(BIN)/python bin/pictures
