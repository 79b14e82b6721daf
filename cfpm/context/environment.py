"""Where the agent runs, as two blocks for the end of its prompt: the machine with the time, and what git ignores."""

from __future__ import annotations

import os
import platform
from datetime import datetime, timedelta
from pathlib import Path

IGNORE_LINES = 100
"""Lines of a `.gitignore` that are shown; the figure of the reference."""

_MAX_BYTES = 65_536


def runtime_block(now: datetime, folder: Path | None = None) -> str:
    """System, architecture, shell, folder, and the time with its zone, a line each."""
    lines = {
        "OS": f"{platform.system()} {platform.release()}".strip() or os.name,
        "Architecture": platform.machine() or "unknown",
        "Shell": _shell(),
        "Working folder": str(folder or Path.cwd()),
        "Time": _time(now),
    }
    return "\n".join(["# Runtime environment", *(f"{name}: {value}" for name, value in lines.items())])


def ignore_block(folder: Path, lines: int = IGNORE_LINES) -> str:
    """The first lines of the folder's `.gitignore`; empty where there is none that can be read as text."""
    try:
        with (folder / ".gitignore").open("rb") as stream:
            text = stream.read(_MAX_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    written = text.splitlines()
    if not any(line.strip() for line in written):
        return ""
    more = [f"({len(written) - lines} more lines)"] if len(written) > lines else []
    return "\n".join(["# .gitignore", *written[:lines], *more])


def _shell() -> str:
    return os.environ.get("SHELL") or os.environ.get("COMSPEC") or "unknown"


def _time(now: datetime) -> str:
    """`2026-03-02 14:05:09 +01:00 (CET)`; a moment without a zone is one of this machine."""
    moment = now if now.tzinfo is not None else now.astimezone()
    offset = moment.utcoffset() or timedelta()
    minutes = int(offset.total_seconds()) // 60
    shown = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
    return f"{moment:%Y-%m-%d %H:%M:%S} {shown} ({moment.tzname() or 'local'})"
