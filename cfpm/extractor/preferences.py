"""Preferences: what the user likes, dislikes, keeps to, cannot bear, or would rather have. An interest is profile."""

from __future__ import annotations

from collections.abc import Iterator

from cfpm.extractor.utterance import Hit, Utterance
from cfpm.model import Category, Mark
from cfpm.model.patterns import lazy_pattern
from cfpm.text import Cue, lexicon, marks_around

_I = lazy_pattern(r"(?<![a-z0-9_])i(?:['’](m|d|ve)|\s+(am|would|have))?\s+(?=\w)")
_ADVERBS = lazy_pattern(
    r"(?:(?:\w+ly|just|also|do(?! not)|still|much|always|quite|so|too|even|often|already|kinda)\s+){0,2}"
)
_SECTIONS = {
    None: "preference.do",
    "m": "preference.am",
    "am": "preference.am",
    "d": "preference.would",
    "would": "preference.would",
    "ve": "preference.have",
    "have": "preference.have",
}
"""What may follow 'I', by the verb that 'I' is joined to."""

_OPENS_CLAUSE = lazy_pattern(
    r"(?:^|[.,;:!?()—–-]|\b(?:and|but|so|or|also|then|we|just|still|because|since))[\s*_\"'`]*$"
)
"""Before a 'prefer' without 'I': 'those who prefer tea' tells of others, '..., and prefer tea' of the speaker."""

_ASKED = lazy_pattern(
    r"\b(?:do|does|did|can|could|should|would|will|may|might|must|shall|if|whether|unless|as if|like|how|than|what|"
    r"whom|which|sure|sure that|ones|anything|everything|something)\s+$"
)
"""'How do I avoid', 'if I like', 'people like I': nothing is said to be so."""

_ASSERTED = lazy_pattern(
    r"(?:\b(?:since|as|because|given that|considering(?: that)?|seeing(?: as| that)?|although|though|but|and|"
    r"knowing(?: that)?)|[,;:—–-])\s*(?:\w+ly,?\s+)?$"
)
"""A clause that states something even inside a question: 'Where should we eat, since I ...?'"""


def find(unit: Utterance) -> Hit | None:
    """A first-person statement of taste. Its negation is a preference too; liking an answer just given is not."""
    if taste := next(_cues(unit), None):
        return Hit(Category.PREFERENCE, "preference.like", 0.75, _marks(unit, taste))
    if interest := unit.find("preference.interest"):
        return Hit(Category.PROFILE, "profile.interest", 0.65, _marks(unit, interest))
    return None


def _cues(unit: Utterance) -> Iterator[Cue]:
    if "i" in unit.words:
        yield from _of_the_speaker(unit)
    if cue := unit.find("preference.other"):
        excluded = any(
            each["preference.excluded"].starts(unit.lower[cue.start :], unit.words) for each in unit.lexicons
        )
        if not excluded:
            yield cue
    if (bare := unit.find("preference.bare")) and _OPENS_CLAUSE.search(unit.lower, 0, bare.start):
        yield bare


def _of_the_speaker(unit: Utterance) -> Iterator[Cue]:
    """'I' with what follows it, looked up only there: sentences are full of the words that follow."""
    excluded = lexicon("en")["preference.excluded"].regex
    for subject in _I.finditer(unit.lower):
        after = subject.end()
        plain = subject[1] is None and subject[2] is None
        skipped = _ADVERBS.match(unit.lower, after).end()  # type: ignore[union-attr]
        said = _at(unit, "preference.habit", after) if plain else None
        said = said or _at(unit, _SECTIONS[subject[1] or subject[2]], after if not plain else skipped)
        if said is None or any(excluded.match(unit.lower, at) for at in {after, skipped}):
            continue
        if not _ASKED.search(unit.lower, max(0, subject.start() - 12), subject.start()):
            yield Cue(subject.start(), said)


def _at(unit: Utterance, section: str, at: int) -> int | None:
    """The end of a phrase of a section that begins at an offset."""
    match = lexicon("en")[section].regex.match(unit.lower, at)
    return match.end() if match else None


def _marks(unit: Utterance, cue: Cue) -> frozenset[Mark]:
    marks = marks_around(unit.lower, cue.start, cue.end) & {Mark.QUOTED, Mark.QUESTION, Mark.HYPOTHETICAL}
    if "if" not in unit.words and "如果" not in unit.lower:
        marks -= {Mark.HYPOTHETICAL}
    if Mark.QUESTION in marks and _ASSERTED.search(unit.lower, max(0, cue.start - 40), cue.start):
        marks -= {Mark.QUESTION}
    return marks
