"""What is not to be learnt or shown again, recognised by keyed hashes: the same words, or most of what they say.

Without words and without a limit: one look-up by the content words of a text finds the tombstones that it may fall
under, however many there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.model import PATH_CATEGORIES, Category
from cfpm.store.schema import insert_into

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfpm.store.connection import Connection
    from cfpm.store.keys import KeyedHashes

_ANY = "SELECT 1 FROM tombstones LIMIT 1"
_ADD = insert_into("tombstones")
_ADD_WORD = "INSERT INTO tombstone_words (word, tombstone, weight, number) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_OF_FACT = "SELECT seq FROM tombstones WHERE fact_id = ?"
_EXACT = "SELECT seq, fact_id, speaker FROM tombstones WHERE space = ? AND exact = ? ORDER BY seq"
_LIKE = (
    "SELECT t.seq, t.fact_id, t.speaker, t.weight, t.words, t.numbers,"
    " sum(w.weight), count(*), sum(w.number)"
    " FROM tombstone_words w CROSS JOIN tombstones t ON t.seq = w.tombstone"
    " WHERE t.space = ? AND w.word IN ({wanted}) GROUP BY t.seq ORDER BY t.seq"
)
_DROP = ("DELETE FROM tombstone_words WHERE tombstone = ?", "DELETE FROM tombstones WHERE seq = ?")
_SAID = Category.NOTE
"""Any kind of statement has the same canonical text."""
_WITHOUT_FACT = "UPDATE tombstones SET fact_id = '' WHERE fact_id = ?"


@dataclass(frozen=True, slots=True)
class Found:
    """A tombstone that a text falls under; `fact_id` is empty for one whose words were erased."""

    seq: int
    fact_id: str


@dataclass(frozen=True, slots=True)
class Tombstones:
    """Keeps tombstones."""

    db: Connection
    hashes: KeyedHashes

    def exist(self) -> bool:
        """Whether there is any, of whatever namespace: mostly there is none, and nothing need be looked up."""
        return self.db.row(_ANY) is not None

    def add(self, namespace: str, category: Category, content: str, *, speaker: str = "", fact_id: str = "") -> None:
        """Buries a statement, or a path in whatever spelling."""
        from cfpm.text.gist import gist, measure

        exact = self._exact(namespace, category, content)
        whose = self._speaker(speaker)
        if any(self.db.rows(f"{_OF_FACT} AND exact = ? AND speaker = ?", (fact_id, exact, whose))):
            return
        is_path = category in PATH_CATEGORIES
        read = gist("" if is_path else content)
        of = measure(read)
        with self.db.atomic():
            row = (self._space(namespace), fact_id, exact, whose, of.weight, of.words, of.numbers)
            seq = self.db.insert(_ADD, row)
            words = (
                (self.hashes.word(namespace, word), seq, weight, word in read.numbers)
                for word, weight in read.words.items()
            )
            self.db.many(_ADD_WORD, words)

    def lift(self, fact_id: str) -> None:
        """Takes away the tombstones of a fact."""
        self.drop(seq for (seq,) in self.db.rows(_OF_FACT, (fact_id,)))

    def drop(self, seqs: Iterable[int]) -> None:
        """Takes tombstones away."""
        gone = [(seq,) for seq in seqs]
        with self.db.atomic():
            for sql in _DROP:
                self.db.many(sql, gone)

    def disown(self, fact_id: str) -> None:
        """The fact is no more, its tombstones stay."""
        self.db.run(_WITHOUT_FACT, (fact_id,))

    def over(self, namespace: str, category: Category, content: str, speaker: str = "") -> list[Found]:
        """The tombstones that a statement or a path falls under; those of another speaker not."""
        if not self.exist():
            return []
        whose = self._speaker(speaker)
        rows = self.db.rows(_EXACT, (self._space(namespace), self._exact(namespace, category, content)))
        found = {seq: Found(seq, fact_id) for seq, fact_id, of in rows if _fits(of, whose)}
        if category not in PATH_CATEGORIES:
            from cfpm.text.sentences import sentences

            for part in sentences(content):
                found.update({one.seq: one for one in self._like(namespace, part.text, whose)})
        return list(found.values())

    def hides(self, namespace: str, text: str, speaker: str = "") -> bool:
        """Whether any sentence of a message says what is not to be shown again."""
        if not self.exist():
            return False
        from cfpm.text.sentences import sentences

        whose = self._speaker(speaker)
        space = self._space(namespace)
        return any(
            any(_fits(of, whose) for _, _, of in self.db.rows(_EXACT, (space, self._exact(namespace, _SAID, part))))
            or any(True for _ in self._like(namespace, part, whose))
            for part in dict.fromkeys(part.text for part in sentences(text))
        )

    def _like(self, namespace: str, text: str, whose: str) -> Iterable[Found]:
        from cfpm.text.gist import Measure, covered, gist

        read = gist(text)
        if not read.words:
            return
        wanted = {self.hashes.word(namespace, word) for word in read.words}
        for seq, fact_id, of, weight, words, numbers, has, many, figures in self.db.among(
            _LIKE, (self._space(namespace),), sorted(wanted)
        ):
            told = Measure(weight, words, numbers)
            if _fits(of, whose) and covered(told, len(read.words), weight=has, words=many, numbers=figures):
                yield Found(seq, fact_id)

    def _space(self, namespace: str) -> str:
        return self.hashes.name("namespace", namespace)

    def _speaker(self, speaker: str) -> str:
        return self.hashes.name("speaker", _canonical(_SAID, speaker)) if speaker else ""

    def _exact(self, namespace: str, category: Category, content: str) -> str:
        kind = "path" if category in PATH_CATEGORIES else "text"
        return self.hashes.name(kind, namespace, _canonical(category, content))


def _canonical(category: Category, content: str) -> str:
    # Language is read where something was forgotten, which is in few stores.
    from cfpm.text.canonical import canonical_key

    return canonical_key(category, content)


def _fits(of: str, whose: str) -> bool:
    """False for what was forgotten of one person and is said by another."""
    return not of or not whose or of == whose
