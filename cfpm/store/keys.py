"""Keyed hashes: names for what must be recognised again although no word of it may be kept.

The key is random, one for each file, and stands in the file, so that a copy still recognises. Whoever has the file can
therefore test a guess, but look nothing up in tables made beforehand. It is never exported.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cfpm.store.connection import Connection

_KEY = "SELECT key FROM database_keys WHERE name = ?"
_ADD_KEY = "INSERT INTO database_keys (name, key) VALUES (?, ?) ON CONFLICT DO NOTHING"
_NAME = "recognition"
_BYTES = 32
_HEX_BYTES = 16
_WORD_BYTES = 2
"""16 bits: every value stands for many words, names and numbers, so that it cannot be told which was meant."""


@dataclass(slots=True)
class KeyedHashes:
    """Hashes under the key of one file."""

    db: Connection
    _key: bytes = field(default=b"", init=False, repr=False)

    def name(self, *parts: str) -> str:
        """A name for these parts, 32 hex digits; the key is made when there is none. Inside a transaction."""
        return self._digest(parts).hex()[: 2 * _HEX_BYTES]

    def word(self, *parts: str) -> int:
        """A number of 16 bits for these parts."""
        return int.from_bytes(self._digest(parts)[:_WORD_BYTES], "big")

    def exists(self) -> bool:
        """False while nothing was ever hashed in this file."""
        return bool(self._key) or self.db.row(_KEY, (_NAME,)) is not None

    def _digest(self, parts: tuple[str, ...]) -> bytes:
        import hmac

        # Lengths before the parts: no two different lists of parts are joined to the same bytes.
        raw = [part.encode("utf-8", "surrogatepass") for part in parts]
        joined = b"".join(len(part).to_bytes(8, "big") + part for part in raw)
        return hmac.digest(self._key or self._load(), joined, "sha256")

    def _load(self) -> bytes:
        row = self.db.row(_KEY, (_NAME,))
        if row is None:
            import secrets

            with self.db.atomic():
                self.db.run(_ADD_KEY, (_NAME, secrets.token_bytes(_BYTES)))
            row = self.db.row(_KEY, (_NAME,))
        assert row is not None, "it was written in this transaction, or before"
        # What is not committed yet may be rolled back, and another process make another key.
        if not self.db.may_roll_back:
            self._key = bytes(row[0])
        return bytes(row[0])
