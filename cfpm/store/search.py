"""Full-text search over the log and the facts: how a text is indexed, how a question is asked. Ranks by BM25 only.

What a user typed never reaches SQLite's query syntax: every term is quoted. Messages are indexed whole, as long as the
log keeps them: measured, that costs 0.04 microseconds a character, a tenth of what there is for a turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from cfpm.model import Fact, LoggedMessage, Origin
from cfpm.model.patterns import lazy_pattern
from cfpm.store.rows import fact_from, message_from
from cfpm.store.schema import FACT_COLUMNS, MESSAGE_COLUMNS, listed, marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from cfpm.store.arrays import Floats
    from cfpm.store.connection import Connection
    from cfpm.store.namespace_arrays import FactArrays, TurnArrays
    from cfpm.store.tombstones import Tombstones

NOT_SEARCHED = frozenset({Origin.SYSTEM_PROMPT, Origin.BOOT_FILE, Origin.MEMORY_BLOCK, Origin.REWOUND})
"""Kept in the log but not indexed: they come back in every session and would crowd out what was said."""

SEARCHED = "origin NOT IN ({})".format(", ".join(f"'{origin.value}'" for origin in sorted(NOT_SEARCHED)))
"""The condition that a message is indexed."""

MAX_TERMS = 64
"""Terms of one query; a question has fewer, and a pasted document must not cost a scan per word."""

_SENTENCE = 600
"""Characters of a text whose words are kept: a long sentence, or a fact."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_RUN = lazy_pattern(f"[{_CJK}]+")
_BELOW_CJK = lazy_pattern("[\0-\u303f]*+")
"""Sooner told than the ranges above; most texts that are not ASCII have a dash or an arrow, and nothing beyond."""
_TERM = lazy_pattern(f"[{_CJK}]+|[^\\W_{_CJK}]+")

_SCORED = "SELECT rowid, -bm25({kind}_text) FROM {kind}_text WHERE {kind}_text MATCH ?"
_SAID = f"""
SELECT {listed(FACT_COLUMNS, "f")} FROM facts_text JOIN memory_facts f ON f.seq = facts_text.rowid
WHERE facts_text MATCH ? AND f.namespace = ? AND f.status = 'active'
  AND (f.pinned = 1 OR f.source = 'user' OR f.role = 'user') ORDER BY f.pinned DESC, f.seq DESC LIMIT ?
"""
_ARTIFACTS = f"""
SELECT {listed(FACT_COLUMNS, "f")} FROM facts_text JOIN memory_facts f ON f.seq = facts_text.rowid
WHERE facts_text MATCH ? AND f.namespace = ? AND f.status = 'active' AND f.category = 'artifact'
ORDER BY f.seq DESC LIMIT ?
"""
# Ranked first, so that only the best messages are read with their text.
_TURNS = f"""
WITH best AS (
  SELECT t.seq AS seq, -bm25(turns_text) AS score FROM turns_text JOIN memory_turns t ON t.seq = turns_text.rowid
  WHERE turns_text MATCH ? AND t.namespace IN ({{spaces}})
  ORDER BY bm25(turns_text), t.seq LIMIT ?
)
SELECT {listed(MESSAGE_COLUMNS, "t")}, best.score FROM best CROSS JOIN memory_turns t ON t.seq = best.seq
ORDER BY best.score DESC, t.seq
"""


def index_text(text: str) -> str:
    """The text as it is indexed: every CJK character a word of its own."""
    if text.isascii() or _BELOW_CJK.fullmatch(text) is not None:
        return text
    return _CJK_RUN.sub(lambda run: f" {' '.join(run[0])} ", text)


def match_expression(question: str, *, single: bool = False) -> str:
    """The FTS5 query for a question: its content words, each quoted, any of them; empty if it has no word at all.

    CJK text is asked for as phrases of two characters; with `single`, and as far as there is room, as its characters
    too: some words are one character long, and two words of one sense often share one. Never raises, whatever the text.
    """
    words = dict.fromkeys(content_words(question))
    if single:
        words |= dict.fromkeys(sign for word in words if " " in word for sign in word.split())
    return " OR ".join(f'"{term}"' for term in list(words)[:MAX_TERMS])


def content_text(question: str) -> str:
    """The question without the words that say nothing of its subject, CJK text in runs; the whole if nothing is left.

    For what knows words of several characters.
    """
    return " ".join(_first(_runs(question))) or question


def content_words(question: str) -> list[str]:
    """The words of a question without those that say nothing of its subject; all of them if no other is left."""
    return list(_of_sentence(question) if len(question) <= _SENTENCE else _content_terms(question))


def _content_terms(text: str) -> dict[str, None]:
    return _first(_terms(text, stop=True)) or _first(_terms(text, stop=False))


# The same messages are found again and again.
_of_sentence = lru_cache(maxsize=4_096)(_content_terms)


def _first(terms: Iterator[str]) -> dict[str, None]:
    """The first different terms, as many as a query may have."""
    different: dict[str, None] = {}
    for term in terms:
        different[term] = None
        if len(different) == MAX_TERMS:
            break
    return different


def _terms(question: str, *, stop: bool) -> Iterator[str]:
    for found in _TERM.finditer(question):
        word = found[0]
        if not _CJK_RUN.match(word):
            word = word.lower()
            if not (stop and word in _stop_words()):
                yield word
            continue
        for part in _zh_stops().split(word) if stop else (word,):
            if len(part) == 1:
                yield part
            for first, second in pairwise(part):
                yield f"{first} {second}"


def _runs(question: str) -> Iterator[str]:
    """As `_terms` without stop words, but CJK text as long as it runs."""
    for found in _TERM.finditer(question):
        word = found[0]
        if _CJK_RUN.match(word):
            yield from filter(None, _zh_stops().split(word))
        elif word.lower() not in _stop_words():
            yield word.lower()


def _word_list(name: str) -> list[str]:
    text = resources.files("cfpm.store").joinpath("stopwords", name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(_word_list("en.txt"))


@cache
def _zh_stops() -> re.Pattern[str]:
    longest_first = sorted(_word_list("zh.txt"), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))


@dataclass(frozen=True, slots=True)
class Search:
    """Finds facts and messages by words."""

    db: Connection
    tombstones: Tombstones

    def word_scores(self, query: str, rows: TurnArrays | FactArrays, kind: Literal["turns", "facts"]) -> Floats:
        """BM25 of these rows, which are all messages or facts of a namespace; 0 without a word of the query."""
        import numpy as np

        scores = np.zeros(len(rows), dtype=np.float32)
        expression = match_expression(query, single=True)
        if len(rows) and expression:
            found = self.db.rows(_SCORED.format(kind=kind), (expression,))
            table = np.fromiter(chain.from_iterable(found), np.float64, 2 * len(found)).reshape(-1, 2)
            seqs = table[:, 0].astype(np.int64)
            places, here = rows.rows_of(seqs)
            scores[places[here]] = table[here, 1]
            if len(seqs) and seqs.min() < 0:
                # The words of a message's calls stand under its negative number, once for each message.
                places, here = rows.rows_of(-seqs)
                scores[places[here]] += table[here, 1].astype(np.float32)
        return scores

    def said_by_user(self, namespace: str, words: str, limit: int) -> list[Fact]:
        """Active facts with any of these words that a user said, wrote or pinned: pinned first, then the newest."""
        return self._with_words(_SAID, namespace, words, limit)

    def artifacts_named(self, namespace: str, words: str, limit: int) -> list[Fact]:
        """Active artifacts with any of these words in their path, the newest first."""
        return self._with_words(_ARTIFACTS, namespace, words, limit)

    def _with_words(self, sql: str, namespace: str, words: str, limit: int) -> list[Fact]:
        expression = match_expression(words)
        return [fact_from(row) for row in self.db.rows(sql, (expression, namespace, limit))] if expression else []

    def messages(self, namespaces: Sequence[str], query: str, k: int) -> list[tuple[LoggedMessage, float]]:
        """The `k` messages of the log that match best, with scores, best first; ties in order of learning.

        Fewer when some of them say what was forgotten.
        """
        expression = match_expression(query)
        if not expression:
            return []
        found = self.db.rows(_TURNS.format(spaces=marks(len(namespaces))), (expression, *namespaces, k))
        messages = [(message_from(row[:-1]), row[-1]) for row in found]
        return [one for one in messages if not self._is_forgotten(one[0])]

    def _is_forgotten(self, turn: LoggedMessage) -> bool:
        return self.tombstones.hides(turn.namespace, turn.message.text, turn.message.name)
