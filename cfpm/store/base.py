"""What every part of the store shares: the connection, and the promise that one call is all or nothing."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfpm.store.connection import Connection


class Part:
    """A part of the store, over a connection that the store opened."""

    _db: Connection

    @contextmanager
    def _atomic(self) -> Iterator[None]:
        """The running transaction, or one of its own for a call outside `Store.writing()`."""
        if self._db.in_transaction:
            yield
        else:
            with self._db.writing():
                yield
