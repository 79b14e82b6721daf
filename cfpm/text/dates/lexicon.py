"""The forms of time expressions per language, read from data files and compiled to one regex each. Resolves nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

LANGUAGES = ("en", "zh")
"""Each has a file `data/<language>.toml`, which says how it is to be read."""

LONGEST_GAP = 240
"""Characters between two expressions that can belong together; so that no text takes longer than its length."""

Value = int | float | str | tuple[int, int]
_SLOT = lazy_pattern(r"\{([a-z_]+)(?::([a-z_]+))?\}")
_PART = lazy_pattern(r"%([a-z_]+)%")
_FIRST = lazy_pattern(r"\w+")
_KEYS = frozenset({"means", "says", "capital", "behind", "ahead"})


@dataclass(frozen=True, slots=True)
class Form:
    """One way to name a time. `sets` are the roles that it has without a word for them."""

    means: str
    sets: dict[str, Value]
    capital: str
    behind: str
    ahead: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a form: a role, and the table or pattern that its word comes from."""

    role: str
    source: str


@dataclass(frozen=True, slots=True)
class TimeCues:
    """What a text must hold to name a time in a language: one of `anchors`, or something that `alone` finds."""

    anchors: frozenset[str]
    alone: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class TimeLexicon:
    """A language. `regex` has a group for each form and one for each slot; both by their name.

    Where words have bounds, only `starts` and numbers begin an expression, near what `near` finds.
    """

    bounded: bool
    near: re.Pattern[str]
    starts: frozenset[str]
    regex: re.Pattern[str]
    forms: dict[str, Form]
    slots: dict[str, Slot]
    tables: dict[str, dict[str, Value]]
    leads: dict[str, re.Pattern[str]]
    follows: dict[str, re.Pattern[str]]
    not_before: re.Pattern[str]
    sentence: dict[str, re.Pattern[str]]
    beside: dict[str, re.Pattern[str]]
    between: dict[str, re.Pattern[str]]
    clause: re.Pattern[str]
    sentence_end: re.Pattern[str]

    def said(self, what: str, stretch: str) -> bool:
        """Whether the stretch of a sentence has words of that kind: `past`, `future`, `recurs` ..."""
        return self.sentence[what].search(stretch) is not None

    def around(self, what: str, left: str) -> bool:
        """Whether what stands left of an expression ends with words of that kind: `planned`, `denied` ..."""
        return self.beside[what].search(left) is not None

    def joined(self, what: str, gap: str) -> bool:
        """Whether two expressions with that between them stand to each other so: `range`, `choice`, `moved`."""
        return len(gap) <= LONGEST_GAP and self.between[what].fullmatch(gap) is not None

    def value(self, slot: Slot, word: str) -> Value:
        """What the word stands for in that slot."""
        table = self.tables.get(slot.source)
        if table is not None:
            return table[" ".join(word.split()).replace("’", "'")]
        if slot.source.startswith("numeral"):
            return _numeral(word, self.tables["numeral"])
        if word[0].isdigit():
            return float(word) if "." in word else int(word)
        numbers = self.tables.get("number", {})
        parts = [numbers[part] for part in re.split(r"[-\s]+", word) if part in numbers]
        return sum(part for part in parts if isinstance(part, int)) if parts else word


def _numeral(word: str, digits: dict[str, Value]) -> int:
    """A number written with signs for ten and hundred, or digit by digit."""
    total, current = 0, 0
    for sign in word:
        value = digits[sign]
        assert isinstance(value, int)
        if value >= 10:
            total += (current or 1) * value
            current = 0
        else:
            current = current * 10 + value
    return total + current


def _data(language: str) -> dict[str, Any]:
    return toml_table("cfpm.text.dates", f"data/{language}")


@cache
def movable_days() -> dict[str, dict[int, date]]:
    """For each holiday that moves, its day by year."""
    days = {name: map(date.fromisoformat, listed.split()) for name, listed in _data("movable").items()}
    return {name: {day.year: day for day in listed} for name, listed in days.items()}


@cache
def time_cues(language: str) -> TimeCues:
    """What tells texts without a time, which most are: they need not wait until the lexicon is compiled."""
    data = _data(language)
    alone = compiled(data["alone"], re.ASCII) if data["bounded"] else None
    return TimeCues(frozenset(data["anchors"].split()), alone)


@cache
def time_lexicon(language: str) -> TimeLexicon:
    """Compiles a language's file once, which takes some 30 ms."""
    return _Builder(_data(language)).build()


def _any(words: Iterable[str]) -> str:
    """The words as the inside of an alternation, longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


class _Builder:
    """Turns the file into one regex, numbering groups as they come."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.tables: dict[str, dict[str, Value]] = {
            name: {word: tuple(v) if isinstance(v, list) else v for word, v in table.items()}
            for name, table in data["tables"].items()
        }
        self.count = 0
        self.roles: dict[str, Slot] = {}

    def build(self) -> TimeLexicon:
        modifiers, forms, kinds = self.data["modifiers"], [], {}
        before = "|".join(map(self.pattern, modifiers["before"]))
        after = "|".join(map(self.pattern, modifiers["after"]))
        approximately = self.pattern(modifiers["approximately"])
        for number, form in enumerate(self.data["form"]):
            name = f"form_{number}"
            forms.append(f"(?P<{name}>{self.pattern(form['says'])})")
            sets = {role: tuple(v) if isinstance(v, list) else v for role, v in form.items() if role not in _KEYS}
            kinds[name] = Form(
                form["means"], sets, form.get("capital", ""), form.get("behind", ""), form.get("ahead", "")
            )
        bounded, anchors = self.data["bounded"], frozenset(self.data["anchors"].split())
        left, right, gap = (r"(?<!\w)", r"(?!\w)", r"\s{1,3}") if bounded else (f"(?=[{self.data['starts']}])", "", "")
        regex = lazy_pattern(
            f"{left}(?:(?P<approximately>{approximately}){gap})?"
            f"(?P<before>(?:{before}){{1,2}})??(?:{'|'.join(forms)}){right}"
            f"(?:(?:{after}){right}){{0,2}}(?!{self.pattern(self.data['not_after'])})",
            re.ASCII,
        )
        sentence = {key: lazy_pattern(self.filled(says), re.ASCII) for key, says in self.data["sentence"].items()}
        return TimeLexicon(
            bounded=bounded,
            near=lazy_pattern(f"(?<![a-z0-9])(?:{_any(anchors)})(?![a-z0-9])|[0-9]+"),
            starts=self.starts() if bounded else frozenset(),
            regex=regex,
            forms=kinds,
            slots=self.roles,
            tables=self.tables,
            leads={name: self.ending(lead) for name, lead in self.data["leads"].items()},
            follows={name: lazy_pattern(says, re.ASCII) for name, says in self.data["follows"].items()},
            not_before=self.ending(self.data["not_before"]),
            sentence=sentence,
            beside={name: lazy_pattern(f"(?:{says})\\s*$", re.ASCII) for name, says in self.data["beside"].items()},
            between={name: lazy_pattern(says, re.ASCII) for name, says in self.data["between"].items()},
            clause=sentence["clause"],
            sentence_end=sentence["end"],
        )

    def starts(self) -> frozenset[str]:
        """The first words of the tables and those that the file names."""
        inner = self.data["inner"].split()
        words = [word for name, table in self.tables.items() if name not in inner for word in table]
        return frozenset(_FIRST.match(word)[0] for word in words) | frozenset(self.data["starts"].split())  # type: ignore[index]

    def pattern(self, says: str) -> str:
        """A form as a regex: parts and slots filled in, a space is white space, `~` ends what only leads up to it."""
        says = self.filled(says).replace(" ?", r"\s{0,3}").replace(" ", r"\s{1,3}")
        says = says if "['" in says else says.replace("'", "['’]")
        return _SLOT.sub(self._slot, says)

    def filled(self, says: str) -> str:
        """With its shared parts filled in."""
        parts: dict[str, str] = self.data["parts"]
        while _PART.search(says):
            says = _PART.sub(lambda found: parts[found[1]], says)
        return says

    def ending(self, says: str) -> re.Pattern[str]:
        """A pattern for the end of what stands before an expression."""
        left, gap = (r"(?<!\w)", r"\s{1,3}") if self.data["bounded"] else ("", "")
        return lazy_pattern(f"{left}{self.pattern(says)}{gap}$", re.ASCII)

    def _slot(self, found: re.Match[str]) -> str:
        role, source = found[1], found[2] or found[1]
        if source in self.tables:
            body = _any(self.tables[source]).replace(r"\ ", r"\s{1,3}").replace("'", "['’]")
        else:
            body = self.data["patterns"][source]
        return f"(?P<{self._named(role, source)}>{body})"

    def _named(self, role: str, source: str) -> str:
        self.count += 1
        name = f"{role}_{self.count}"
        self.roles[name] = Slot(role, source)
        return name
