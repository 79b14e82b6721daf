"""What a sentence says, in the parts that must agree before two count as one. No judgement: see `similarity`."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from cfpm.text.grammar.lexicon import lexicon
from cfpm.text.grammar.reader import CHINESE, Reader

if TYPE_CHECKING:
    from cfpm.text.grammar.clauses import Clause

MAX_CHARS = 4_000
"""Longer texts are documents: they are the same only when they are equal. A learnt fact has at most 600."""

_QUOTED = re.compile(r"[\"“`「]([^\"“”`「」\n]{1,120})[\"”`」]")
_ANSWER = re.compile(
    r"\s*(?:(?:no|yes|nope|yeah|well|ok|okay|oh|so|actually|sure)\s*[,:;.!]|(?:不|不是|是的|好的|对)[，。！,]"
    r"|(?:(?:as|like) i (?:already )?(?:said|mentioned|told you)(?: before| earlier)?|once (?:more|again)|again"
    r"|to repeat|i repeat|remember|reminder|please remember|don'?t forget)\s*[,:]"
    r"|(?:记住|请记住|别忘了|如前所述|(?:我)?(?:之前)?说过|再说一[遍次])\s*[，：:,])\s*",
    re.IGNORECASE,
)
"""What an answer or a repetition opens with, which is no part of what it says."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sentence says. All tuples are sorted where order means nothing, so that they can be compared."""

    text: str
    """Without what opens an answer."""
    folded: str
    words: tuple[str, ...]
    """Content stems in order, numbers and identifiers among them."""
    sequence: tuple[str, ...]
    """The same with comparisons, quantities and directions."""
    clauses: tuple[Clause, ...]
    passives: int
    adverbs: frozenset[str]
    """Adverbs that one text may not have more than the other."""
    spare: tuple[str, ...]
    """Adverbs that only colour what is being done and participles that say nothing: "made for reading"."""
    numbers: tuple[str, ...]
    exact: tuple[str, ...]
    """Paths and identifiers."""
    names: frozenset[str]
    quoted: frozenset[str]
    negated: tuple[str, ...]
    """The content word that follows each negation."""
    persons: tuple[str, ...]
    modality: tuple[str, ...]
    weights: tuple[str, ...]
    past: bool
    """A state is said to be over: was, used to."""
    told: bool
    """A verb stands in the simple past."""
    ongoing: bool
    """A verb stands in the progressive."""
    question: bool
    chinese: bool
    indefinite: bool
    """It begins with "a", "some" or a number: it speaks of any such thing, not of a known one."""
    dropped: str = ""
    """The word of `spare` that was left out for a comparison."""


@lru_cache(maxsize=1_024)
def read(text: str) -> Reading:
    """Reads one sentence or a few. Linear in its length; never fails."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("’", "'")
    opening = _ANSWER.match(text)
    text = text[opening.end() :] if opening else text
    reader = Reader(lexicon())
    reader.read(text)
    opens = text.lstrip()[:12].lower().partition(" ")[0]
    return Reading(
        text=text,
        folded=" ".join(text.casefold().split()),
        words=tuple(reader.words),
        sequence=tuple(reader.clauses.words),
        clauses=tuple(sorted(reader.clauses.clauses)),
        passives=reader.clauses.passives,
        adverbs=frozenset(reader.adverbs),
        spare=tuple(sorted(reader.spare)),
        numbers=tuple(sorted(reader.numbers)),
        exact=tuple(sorted(reader.exact)),
        names=frozenset(reader.names),
        quoted=frozenset(" ".join(part.casefold().split()) for part in _QUOTED.findall(text)),
        negated=tuple(sorted([*reader.negated, *reader.negations])),
        persons=tuple(dict.fromkeys(reader.persons)),
        modality=tuple(sorted(reader.modality)),
        weights=tuple(sorted(reader.weights)),
        past=reader.past,
        told=reader.told,
        ongoing=reader.ongoing,
        question=text.rstrip().endswith(("?", "？")),
        chinese=CHINESE.search(text) is not None,
        indefinite=opens in ("a", "an", "some", "several", "many") or opens in lexicon().number,
    )
