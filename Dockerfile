FROM python:3.11-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN apt-get update && apt-get install -y --no-install-recommends gettext && rm -rf /var/lib/apt/lists/*
RUN python -m venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH
COPY requirements/base.txt /tmp/base.txt
RUN pip install --require-hashes -r /tmp/base.txt
WORKDIR /app
COPY . .
RUN for po in locale/*/LC_MESSAGES/*.po; do [ ! -e "$po" ] || msgfmt --check-format -o "${po%.po}.mo" "$po" || exit 1; done
RUN SECRET_KEY=only-for-the-build ALLOWED_HOSTS=localhost python manage.py collectstatic --noinput

FROM python:3.11-slim
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
RUN useradd --system --uid 10001 --home-dir /app --shell /usr/sbin/nologin umpire && install -d -o umpire -g umpire /data
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
WORKDIR /app
USER umpire
# One container alone keeps its battles in SQLite under /data; DATABASE_URL names another place.
ENV DATABASE_URL=sqlite:////data/umpire.sqlite3
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "deploy/healthcheck.py"]
CMD ["sh", "deploy/start.sh"]
