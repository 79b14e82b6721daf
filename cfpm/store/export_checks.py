"""What cannot stand in an export that was not altered: a span outside of its message, an id that is not made of what it
names, a fact that its events do not lead to. One line at a time; writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cfpm.auditor.reasons import REASONS
from cfpm.model import Action, Category, Decision, Fact
from cfpm.model.ids import digest, fact_id
from cfpm.store.documents import document_id
from cfpm.store.rows import encode_json, fact_row
from cfpm.store.schema import FACT_COLUMNS

if TYPE_CHECKING:
    from cfpm.store.export_format import Kind

Values = Mapping[str, Any]

_ERASED = "erased"
"""The mark of a candidate that has no words any more."""

_IDENTITY = frozenset({"id", "namespace", "key"})
"""What no event repeats."""

_AT_FIRST = dict(zip(FACT_COLUMNS, fact_row(Fact("", "", Category.NOTE, "", "")), strict=True))
"""What a fact is before its first event says otherwise."""


class Examiner:
    """Examines the lines of one export in their order: messages first, facts before their events.

    `problem` answers what is wrong with a line, `problems_at_end` what is wrong with the whole; empty for nothing.
    """

    def __init__(self) -> None:
        self._lengths: dict[tuple[str, str, str], int] = {}
        self._facts: dict[str, tuple[int, dict[str, Any]]] = {}
        self._told: dict[str, dict[str, Any]] = {}
        self._ids: set[str] = set()
        self._chunks: dict[str, int] = {}
        """The next number of a chunk, by the ids of documents."""
        self._erased = False
        """True when something was erased: then facts changed without an event, and events say nothing."""
        self._checks: dict[str, Callable[[int, Values], str]] = {
            "message": self._message,
            "fact": self._fact,
            "candidate": self._candidate,
            "event": self._event,
            "recall": self._recall,
            "document": self._document,
            "chunk": self._chunk,
        }

    def problem(self, number: int, kind: Kind, values: Values) -> str:
        """What is wrong with the fields of a line, each of which has the right type."""
        check = self._checks.get(kind.name)
        return check(number, values) if check else ""

    def problems_at_end(self) -> Iterator[tuple[int, str]]:
        """The lines of facts that are not what the events say."""
        if self._erased:
            return
        for name, (number, fact) in self._facts.items():
            told = self._told.get(name)
            if told is None:
                yield number, f"no event tells how {name} came about"
            elif wrong := [column for column, value in told.items() if fact[column] != value]:
                yield number, f"the {', '.join(wrong)} of {name} is not what its events say"

    def _message(self, number: int, values: Values) -> str:
        del number
        place = (values["namespace"], values["session"], values["message_id"])
        if place in self._lengths:
            return f"the message {values['message_id']!r} comes twice"
        self._lengths[place] = len(values["text"])
        low = [name for name in ("turn", "position", "cut") if values[name] < 0]
        return f"the {low[0]} of a message cannot be {values[low[0]]}" if low else ""

    def _fact(self, number: int, values: Values) -> str:
        name = values["id"]
        if name in self._facts:
            return f"the fact {name} comes twice"
        if name != fact_id(values["namespace"], Category(values["category"]), values["key"]):
            return f"{name} is not the id of a fact with this namespace, category and key"
        self._facts[name] = (number, dict(values))
        return _out_of_range(values) or self._span_problem(values) or _reversed_times(values)

    def _candidate(self, number: int, values: Values) -> str:
        del number
        if values["marks"] == [_ERASED]:
            self._erased = True
            return ""
        place = f"{values['message_id']}:{values['span_start']}:{values['span_end']}"
        parts = (values["session"], place, values["category"], values["extractor"], values["content"])
        name, _, again = values["id"].removeprefix("cand_").partition("_")
        if name != digest(values["namespace"], *parts) or (again and not again.isdecimal()):
            return f"{values['id']} is not the id of a candidate with this place, category, rule and content"
        if values["id"] in self._ids:
            return f"the candidate {values['id']} comes twice"
        self._ids.add(values["id"])
        if values["reason"] not in REASONS:
            return f"there is no reason code {values['reason'][:80]!r}"
        if values["decision"] != Decision.REJECTED and not values["fact_id"]:
            return f"a candidate that was {values['decision']} names no fact"
        return _out_of_range(values) or self._span_problem(values)

    def _event(self, number: int, values: Values) -> str:
        del number
        if not values["before"] and not values["after"]:
            self._erased = True
            return ""
        name = values["fact_id"]
        known = self._facts.get(name)
        if known is None:
            return f"it is an event of {name}, which is not in the file"
        if values["namespace"] != known[1]["namespace"]:
            return f"{name} belongs to another namespace"
        told = self._told.get(name)
        if told is None:
            if values["action"] != Action.CREATE and not self._erased:
                return f"the first event of {name} is {values['action']}"
            told = self._told[name] = {column: _AT_FIRST[column] for column in FACT_COLUMNS if column not in _IDENTITY}
        elif not self._erased and (
            wrong := [column for column, value in values["before"].items() if told.get(column, value) != value]
        ):
            return f"the {', '.join(wrong)} of {name} was something else before this event"
        told.update(values["after"])
        return ""

    def _recall(self, number: int, values: Values) -> str:
        del number
        names = ("namespace", "session", "query", "block_hash")
        parts = (*(values[name] for name in names), encode_json(values["fact_ids"]), values["at"] or "")
        return "" if values["id"] == f"rec_{digest(*parts)}" else f"{values['id']} is not the id of such a recall"

    def _document(self, number: int, values: Values) -> str:
        del number
        name = values["id"]
        if name in self._chunks:
            return f"the document {name} comes twice"
        if name != document_id(values["namespace"], values["name"]):
            return f"{name} is not the id of a document of this namespace and name"
        self._chunks[name] = 0
        low = [column for column in ("size", "lines", "characters") if values[column] < 0]
        return f"the {low[0]} of a document cannot be {values[low[0]]}" if low else ""

    def _chunk(self, number: int, values: Values) -> str:
        del number
        name = values["document"]
        if name not in self._chunks:
            return f"it is a chunk of {name}, which is not in the file"
        if values["number"] != self._chunks[name]:
            return f"chunk {values['number']} of {name} does not come after chunk {self._chunks[name] - 1}"
        self._chunks[name] += 1
        ordered = 1 <= values["first_line"] <= values["last_line"]
        return "" if ordered else f"there are no lines from {values['first_line']} to {values['last_line']}"

    def _span_problem(self, values: Values) -> str:
        start, end = values["span_start"], values["span_end"]
        length = self._lengths.get((values["namespace"], values["session"], values["message_id"]))
        if not 0 <= start <= end:
            return f"there is no span from {start} to {end}"
        if length is not None and end > length:
            return f"its span ends at {end}, the message {values['message_id']!r} has {length} characters"
        return ""


def _out_of_range(values: Values) -> str:
    if not 0 <= values["confidence"] <= 1:
        return f"the confidence cannot be {values['confidence']}"
    return "an evidence_count cannot be below 1" if values.get("evidence_count", 1) < 1 else ""


def _reversed_times(values: Values) -> str:
    # `valid_to` may be before `valid_from`: sessions are read in any order, and an older one may end a newer fact.
    created, updated = values["created_at"], values["updated_at"]
    return "its updated_at is before its created_at" if created and updated and updated < created else ""
