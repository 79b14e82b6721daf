"""Erases messages from what waits for providers, on behalf of `cfpm erase`. Sends nothing: the next save does."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from cfpm.errors import StoreError
from cfpm_adapters.ledger import FILE_NAME, Ledger, default_file
from cfpm_adapters.webhook.outbox import Outbox

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cfpm.model import LoggedMessage

_PROVIDERS = (
    "SELECT provider FROM waiting UNION SELECT provider FROM batches UNION SELECT provider FROM taken ORDER BY 1"
)
_MENDED = "Close what uses it, then say the same command again; nothing was erased yet"


def erase_in_outboxes(database: Path | None, messages: Sequence[LoggedMessage]) -> int:
    """Takes the messages out of the outboxes of this user and of one beside the database.

    Returns how many the other sides are asked to erase. Raises StoreError when a file cannot be cleaned.
    """
    files = [default_file(), *([database.parent / FILE_NAME] if database is not None else [])]
    return sum(_erase(file, messages) for file in dict.fromkeys(path.absolute() for path in files) if file.is_file())


def _erase(file: Path, messages: Sequence[LoggedMessage]) -> int:
    ledger = Ledger(file)
    with closing(ledger):
        try:
            with ledger.writing() as db:
                providers = [name for (name,) in db.execute(_PROVIDERS)]
            asked = 0
            for provider in providers:
                gone = ((one.session, one.message.id, one.message.text) for one in messages)
                asked += Outbox(ledger, provider).erase(gone)
            if providers and not ledger.clean():
                raise StoreError(str(file), "another process reads it", _MENDED)
        except sqlite3.Error as error:
            raise StoreError(str(file), str(error), _MENDED) from error
    return asked
