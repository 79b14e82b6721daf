"""What a view of a session, cut somewhere, ought to hold: what the rest uses again, and what the user asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.compaction.names import Name, called, command, names, texts
from benchmarks.compaction.requests import FEWEST_WORDS, Sentence, asked, content_words, decided, opening
from cfpm.model import Origin, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.context.history import Entry

WRITTEN = 400
"""Characters of an argument of a call up to which it names things. What is longer is a text being written, such as a
whole file, whose words are mostly those of its language and libraries."""

AGAIN = 0.5
"""Share of a decision's content words that one message of the rest must hold to use it again."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What one message of a session holds.

    `names` is everything; `used` what the agent or the user said or named in a call: neither tool results nor what is
    written into files.
    """

    names: frozenset[Name]
    used: frozenset[Name]
    asked: tuple[Sentence, ...]
    opening: tuple[Sentence, ...]
    """The first sentence of a user, as a goal: that of the first message says what a session is for."""
    decided: tuple[Sentence, ...]
    words: frozenset[str]
    """The content words of what was said and called."""


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold of one cut. `known` are all names before it, for telling a command from other words."""

    names: frozenset[Name]
    decisions: tuple[Sentence, ...]
    asked: tuple[Sentence, ...]
    known_commands: frozenset[str]

    @property
    def reused(self) -> int:
        """How many things the rest uses again."""
        return len(self.names) + len(self.decisions)


def hear(entry: Entry) -> Heard:
    """Reads one message."""
    every: set[Name] = set()
    used: set[Name] = set()
    said: list[str] = []
    for part in entry.parts:
        found = {name for text in texts(part) for name in names(text)}
        found |= {name for call in part.tool_calls if (name := command(call))}
        every |= found
        if part.tool_result is None and part.origin is Origin.SAID:
            own = [part.text, *(text for text in called(part) if len(text) <= WRITTEN)]
            used |= {name for text in own for name in names(text)} | {name for name in found if name.kind == "command"}
            said += own
    of_user = bool(entry.parts) and entry.parts[0].role is Role.USER
    spoken = entry.said
    return Heard(
        frozenset(every),
        frozenset(used),
        tuple(asked(spoken)) if of_user else (),
        tuple(opening(spoken)) if of_user else (),
        tuple(decided(spoken)),
        content_words("\n".join(said)),
    )


def gold(heard: Sequence[Heard], cut: int) -> Gold:
    """The gold of a session cut before message `cut`."""
    before, rest = heard[:cut], heard[cut:]
    known = frozenset(name for one in before for name in one.names)
    again = frozenset(name for one in rest for name in one.used)
    begins = next((one for one in before if one.opening), None)
    first = begins.opening if begins and not begins.asked else ()
    return Gold(
        known & again,
        tuple(
            sentence
            for sentence in dict.fromkeys(s for one in before for s in one.decided)
            if any(_again(sentence, one) for one in rest)
        ),
        tuple(dict.fromkeys((*first, *(s for one in before for s in one.asked)))),
        frozenset(name.text for name in known if name.kind == "command"),
    )


def _again(sentence: Sentence, later: Heard) -> bool:
    shared = len(sentence.words & later.words)
    return shared >= FEWEST_WORDS and shared >= AGAIN * len(sentence.words)
