"""SQLite with connections that are used again: Django's own backend, and a small pool behind it."""
