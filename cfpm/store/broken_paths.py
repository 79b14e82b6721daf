"""One quick look into a store by a process that has no time to open it: is a broken path named?"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from cfpm.errors import CFPMError
from cfpm.store.driver import connect

if TYPE_CHECKING:
    from pathlib import Path

LOOKED_AT = 500
"""Reports, newest first, as many as the gate itself looks at."""

_REPORTED = """
SELECT content FROM memory_facts
WHERE namespace = ? AND category = 'invalid_path' AND status = 'active' ORDER BY seq DESC LIMIT ?
"""


def names_broken_path(file: Path, namespace: str, command: str) -> bool:
    """True when a path that this namespace knows to be broken stands in the command; False for a store that cannot be
    read at once."""
    folded = command.casefold()
    try:
        opened = connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=0.01)
    except (sqlite3.Error, CFPMError):
        return False
    with closing(opened.connection) as connection:
        try:
            rows = connection.execute(_REPORTED, (namespace, LOOKED_AT))
            return any(content.casefold() in folded for (content,) in rows)
        except opened.errors:
            return False
