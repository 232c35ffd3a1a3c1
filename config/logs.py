"""Log lines as JSON, one object a line, and without what opens a door."""

import json
import logging
import re
from datetime import UTC, datetime

STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "request", "server_time"}


class JsonFormatter(logging.Formatter):
    """Time, level, logger, message, what was handed over as `extra`, and the traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """One record as one line of JSON."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        line.update({key: value for key, value in vars(record).items() if key not in STANDARD})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


KEY_IN_ADDRESS = re.compile(r"(/invitations/|/accounts/reset/[^/\s]+/)[^/\s]{16,}")


class HideKeys(logging.Filter):
    """Takes tokens of invitations and of lost passwords out of the addresses that a line names."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Every line passes; what it says is changed."""
        said = record.getMessage()
        hidden = KEY_IN_ADDRESS.sub(r"\1***", said)
        if hidden != said:
            record.msg, record.args = hidden, ()
        return True
