"""Which of many literals stand in a text, and where: one pass of an Aho-Corasick automaton, whatever their number.

Not for what stands around a literal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ahocorasick import Automaton


class LiteralSet:
    """Literals that are looked for together, as they are: case counts, and words have no borders."""

    def __init__(self, literals: Iterable[str]) -> None:
        self._automaton = Automaton()
        for literal in literals:
            self._automaton.add_word(literal, literal)
        self._automaton.make_automaton()

    def any_in(self, text: str) -> bool:
        """Whether one of them stands in the text."""
        return bool(self._automaton) and next(self._automaton.iter(text), None) is not None

    def among(self, text: str) -> frozenset[str]:
        """Those that stand in the text, also inside of each other."""
        return frozenset([literal for _, literal in self._automaton.iter(text)]) if self._automaton else frozenset()

    def places(self, text: str) -> Iterator[tuple[int, str]]:
        """Where each of them begins, in the order in which they end, overlaps included."""
        if self._automaton:
            for last, literal in self._automaton.iter(text):
                yield last - len(literal) + 1, literal

    def ends(self, text: str) -> Iterator[int]:
        """Where each of them ends in the text, ascending."""
        if self._automaton:
            for last, _ in self._automaton.iter(text):
                yield last + 1
