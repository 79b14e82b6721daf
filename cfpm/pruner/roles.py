"""Whether two English texts give their words the same roles: "the cook peels it" and "it is peeled by the cook".

Asked only when the texts have the same words in another order. No judgement about the words themselves.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from cfpm.text.grammar.lexicon import lexicon
from cfpm.text.grammar.parsing import clauses
from cfpm.text.grammar.parts import NAMED, Clause, Noun, Phrase, Token, parts

_TURNING = re.compile(r"\b(?:who|which|that|of|for|made|by|to|and)\b")
"""What one order is told from another by: where both texts have the same of these, a word has changed its role."""

NOBODY = "\0"
"""The doer of a passive clause that names none: "it is eaten" is not "it eats"."""


class Role(NamedTuple):
    """Doer, verb and object in order, and the phrases: places and words to compare, and what each can hang on."""

    frame: tuple[str, ...]
    phrases: tuple[tuple[str, tuple[str, ...]], ...]
    hangs: tuple[frozenset[str], ...]


def may_be_turned(one: str, other: str) -> bool:
    """False when nothing in the texts could give the same words another order. Cheap."""
    mine, yours = Counter(_TURNING.findall(one)), Counter(_TURNING.findall(other))
    return mine != yours or "and" in mine


def same_roles(one: str, other: str, *, renamed: tuple[tuple[str, str], ...], spared: tuple[str, ...]) -> bool:
    """True when both say the same of the same; words in `spared` do not count, those in `renamed` stand for others."""
    mine, yours = _roles(one, renamed, spared), _roles(other, renamed, spared)
    return len(mine) == len(yours) and all(map(_agree, mine, yours))


def _agree(one: Role, other: Role) -> bool:
    return (
        one.frame == other.frame
        and one.phrases == other.phrases
        and all(mine & yours or not mine or not yours for mine, yours in zip(one.hangs, other.hangs, strict=True))
    )


@lru_cache(maxsize=256)
def _roles(text: str, renamed: tuple[tuple[str, str], ...], spared: tuple[str, ...]) -> tuple[Role, ...]:
    tokens = parts(text)
    if renamed or spared:
        names = dict(renamed)
        tokens = [
            Token(token.part, names.get(token.value, token.value)) if token.part in NAMED else token
            for token in tokens
            if token.part not in NAMED or token.value not in spared
        ]
    return tuple(sorted(map(_role, clauses(tokens)), key=_frame_and_phrases))


def _frame_and_phrases(role: Role) -> tuple[object, ...]:
    return role[:2]


def _role(clause: Clause) -> Role:
    clause = _turned(clause) if clause.passive else clause
    nouns = [word for noun in clause.objects for word in _listed(noun.words)]
    phrases = sorted(
        (
            (phrase.place, tuple(_listed(phrase.noun.words)), phrase.hangs)
            for phrase in clause.phrases
            if phrase.noun.words
        ),
        key=lambda phrase: phrase[:2],
    )
    return Role(
        tuple(filter(None, [*_listed(clause.doer.words), clause.verb, *nouns])),
        tuple((place, words) for place, words, _ in phrases),
        tuple(hangs for _, _, hangs in phrases),
    )


def _turned(clause: Clause) -> Clause:
    """A passive clause as an active one: "they are sent a report by the bot" as "the bot sends a report to them"."""
    doers = [phrase.noun for phrase in clause.phrases if phrase.place == "doer" and phrase.noun.words]
    phrases = [phrase for phrase in clause.phrases if phrase.place != "doer"]
    objects = clause.objects
    if objects:
        phrases.append(Phrase("to", clause.doer, frozenset([clause.verb or ""])))
    else:
        objects = [clause.doer]
    return Clause(doers[0] if doers else Noun([NOBODY]), clause.verb, objects, phrases)


def _listed(words: list[str]) -> list[str]:
    """The words of a noun with adjectives that follow each other in one order."""
    adjectives, done, start = lexicon().adjective, list(words), 0
    for at in range(len(done) + 1):
        if at == len(done) or done[at] not in adjectives:
            done[start:at] = sorted(done[start:at])
            start = at + 1
    return done
