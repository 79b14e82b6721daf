"""The words of tool calls in the full-text index of messages, apart from what the messages say.

They stand under the negative number of their message, so that whether they are there can be told, and erasing takes out
exactly what was put in: an older file has none until `reindex`. Ranks nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.store.rows import calls_if_sound
from cfpm.store.search import SEARCHED, index_text
from cfpm.store.vectors import AT_ONCE, searched_words, with_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from cfpm.model import Message
    from cfpm.store.connection import Connection
    from cfpm.store.vectors import Vectors

_ADD = "INSERT INTO turns_text (rowid, text) VALUES (?, ?)"
_REMOVE = "INSERT INTO turns_text (turns_text, rowid, text) VALUES ('delete', ?, ?)"
_INDEXED = "SELECT -rowid FROM turns_text WHERE rowid IN ({wanted})"
_BEHIND = (
    f"FROM memory_turns t WHERE t.tool_calls <> '' AND t.{SEARCHED} AND t.seq > ?"
    " AND NOT EXISTS (SELECT 1 FROM turns_text_docsize d WHERE d.id = -t.seq)"
)


@dataclass(frozen=True, slots=True)
class CallIndex:
    """Keeps the words of calls."""

    db: Connection
    vectors: Vectors

    def add(self, words: Mapping[int, str]) -> None:
        """Indexes the words of calls, by the `seq` of their message; inside the transaction that wrote its row."""
        self.db.many(_ADD, ((-seq, index_text(text)) for seq, text in words.items()))

    def remove(self, messages: Iterable[tuple[int, Message]]) -> None:
        """Takes out what `add` put in; before the rows are deleted."""
        calling = {seq: one.tool_calls for seq, one in messages if one.tool_calls}
        indexed = [seq for (seq,) in self.db.among(_INDEXED, (), (-seq for seq in calling))]
        # Words that another version of the program gave a command are left over: they are no user's.
        self.db.many(_REMOVE, ((-seq, index_text(searched_words(calling[seq]))) for seq in indexed))

    def behind(self) -> int:
        """How many messages have calls that are not indexed."""
        return self.db.number(f"SELECT count(*) {_BEHIND}", (-1,))

    def reindex(self, progress: Callable[[int], None] | None = None) -> int:
        """Indexes the calls of an older file, makes those vectors anew, and returns how many messages they were of.

        Goes on where it was stopped; `progress` gets the messages done so far.
        """
        done, last = 0, -1
        while rows := self.db.rows(
            f"SELECT t.seq, t.text, t.tool_calls {_BEHIND} ORDER BY t.seq LIMIT ?", (last, AT_ONCE)
        ):
            words = {seq: searched_words(calls_if_sound(calls)) for seq, _, calls in rows}
            with self.db.atomic():
                self.add(words)
                self.vectors.renew([(seq, with_calls(text, words[seq])) for seq, text, _ in rows])
            last = rows[-1][0]
            done += len(rows)
            if progress:
                progress(done)
        return done
