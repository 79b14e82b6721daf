"""Rules for one sentence, by the kind of fact that it may be: decision, profile, event, open item, note, claim.

Those that need more words have modules of their own: `goals`, `instructions`, `preferences`.
"""

from __future__ import annotations

from cfpm.extractor.evidence import Evidence
from cfpm.extractor.tools import Work
from cfpm.extractor.utterance import Hit, Utterance
from cfpm.model import Category, Mark, Role
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.predicates import is_clean_path_line
from cfpm.text import (
    Cue,
    Kind,
    content_words,
    has_cjk,
    is_acknowledgement,
    is_low_information,
    lexicon,
    marks_around,
)

_UNDECIDED = lazy_pattern(r"n['’]t\b|\b(?:not|never)\b")

_MAYBE = lazy_pattern(r"也许|可能|或许|会|想|打算|考虑")
_FIRST_STEP = lazy_pattern(
    r"\b(?:to|with) (?:first |now )?(?:start|begin|try|look|check|proceed|continue|take|tackle|read|run|go|"
    r"focus|keep|leave|skip|inspect)\b|先|试试|看看|从.{1,10}开始"
)
"""What an agent decides to do next is its plan."""


def decision(unit: Utterance) -> Hit | None:
    """A choice as a done thing. 'Let's use X' decides when the user says it; from the agent it is a proposal."""
    cue = unit.find("decision.made")
    if cue is None or unit.lower.startswith(("把", "将")):
        return None
    marks = marks_around(unit.lower, cue.start, cue.end)
    said = unit.lower[cue.start : cue.end]
    if _MAYBE.search(said):
        marks |= {Mark.HYPOTHETICAL}
    if _UNDECIDED.search(said):
        marks |= {Mark.NEGATED}
    elif said.startswith(("no longer", "不再")):
        marks -= {Mark.NEGATED}
    if unit.message.role is Role.ASSISTANT and said.startswith(
        ("let", "i'll", "i’ll", "we'll", "we’ll", "i will", "we will", "go with", "就", "还是")
    ):
        marks |= {Mark.HYPOTHETICAL}
    if unit.message.role is Role.ASSISTANT and _FIRST_STEP.search(unit.lower, cue.start):
        marks |= {Mark.TRANSIENT}
    return Hit(Category.DECISION, "decision.made", 0.7, marks)


_OPENS = lazy_pattern(r"(?:^|[,;:.!?—–-]|\b(?:and|but|so|that|because|since|when|while|also|both))[\s*\"'(]*$")
"""'My daughter plays' tells of her; 'it is in my email' tells nothing of oneself."""


def profile(unit: Utterance) -> Hit | None:
    """A first-person statement about oneself. 'I'm not a doctor' says something too, so negation is no mark here."""
    cue = unit.find("profile.self")
    if cue is None or (is_low_information(unit.text) and not _says_all(unit, cue)):
        return None
    said = unit.lower[cue.start : cue.end]
    owned = said.startswith(("my ", "our "))
    if owned and not _OPENS.search(unit.lower[: cue.start]):
        return None
    marks = marks_around(unit.lower, cue.start, cue.end) & {Mark.QUOTED, Mark.QUESTION, Mark.HYPOTHETICAL}
    if (owned or said.startswith(("i'", "i’"))) and not unit.lower.startswith(("if ", "如果")):
        marks -= {Mark.HYPOTHETICAL}
    return Hit(Category.PROFILE, "profile.self", 0.7, marks)


def _says_all(unit: Utterance, cue: Cue) -> bool:
    """Few words that are enough: 'I got engaged', '我会弹吉他'."""
    alone = cue.end >= len(unit.lower.rstrip(" .!")) or has_cjk(unit.text)
    return alone and bool(content_words(unit.text)) and not is_acknowledgement(unit.text)


_PERSON = lazy_pattern(r"\b(?:i|we|my|our|me|us|he|she|they|his|her|their)\b|我|咱|他|她")


def event(unit: Utterance) -> Hit | None:
    """A past action of the speaker, or a person with a named time."""
    cue = unit.find("event.past")
    if cue is None or is_low_information(unit.text) or not _PERSON.search(unit.lower):
        return None
    marks = marks_around(unit.lower, cue.start, cue.end) & {Mark.QUOTED, Mark.QUESTION, Mark.HYPOTHETICAL}
    if not unit.lower.startswith(("if ", "what if ", "如果", "假如")):
        marks -= {Mark.HYPOTHETICAL}
    return Hit(Category.EVENT, "event.past", 0.65, marks)


_EMPTY_BOX = lazy_pattern(r"\[ \]\s+$")


def open_item(unit: Utterance) -> Hit | None:
    """A line that opens with TODO or the like, an empty check box, or a sentence that says something remains."""
    if _EMPTY_BOX.search(unit.message.text, max(0, unit.start - 6), unit.start):
        return Hit(Category.OPEN_ITEM, "open_item.box", 0.7)
    if cue := unit.starts("open.prefix"):
        head = unit.text[cue.start : cue.end]
        rest = unit.text[cue.end :]
        if head.endswith((":", "：")) or rest.startswith((":", "：", "(")) or _to_do(rest):
            marks = marks_around(unit.lower, cue.start, cue.end) & {Mark.QUESTION, Mark.QUOTED}
            return Hit(Category.OPEN_ITEM, "open_item.prefix", 0.7, marks)
    if cue := unit.find("open.cue"):
        marks = marks_around(unit.lower, cue.start, cue.end) - {Mark.NEGATED, Mark.TRANSIENT}
        if Mark.HYPOTHETICAL in marks and not unit.lower.startswith(("if ", "如果")):
            marks -= {Mark.HYPOTHETICAL}
        return Hit(Category.OPEN_ITEM, "open_item.remains", 0.6, marks)
    return None


def _to_do(rest: str) -> bool:
    """Without a colon only an imperative says what to do: 'TODO write tests', but not 'TODO management'."""
    lower = rest.lstrip().lower()
    return any(lexicon(language)["verb.imperative"].starts(lower) for language in ("en", "zh"))


_SPOKEN = (Kind.PLAIN, Kind.BULLET)
_SPECIFIC = lazy_pattern(
    r"\d|`[^`]+`|(?<=[a-z,;] )[A-Z][A-Za-z]{2,}|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+|[\u3400-\u9fff].*[是在有为]"
)
_STATES = lazy_pattern(
    r"\b(?:is|are|was|were|has|have|had|uses?|used|needs?|runs?|lives?|works?|contains?|means|costs?|takes?|supports?|requires?|"
    r"returns?|makes?|gets?|goes|went|said|says|wants?|likes?|comes?|came|will|can|does|did|should|must|'s|'re|'m|'ve|[a-z]{3,}(?:s|ed))\b|[是在有为要会]"
)
_TO_THE_OTHER = lazy_pattern(
    r"\b(?:you|your|you're|yours)\b|^(?:wow|woah|whoa|yep|yeah|congrats|that's|thanks|thank)\b|你"
)
"""Between two people, what is said of the other is a reaction; the other says it of themselves."""
_MIN_CONTENT_WORDS = 3
"""Shorter statements were, read in real sessions, remarks about the moment."""


def note(unit: Utterance) -> Hit | None:
    """A statement with a verb, three content words and something specific: a number, a name, an identifier."""
    if unit.kind not in _SPOKEN or len(unit.text) < 16:
        return None
    if unit.message.name and _TO_THE_OTHER.search(unit.lower):
        return None
    if is_clean_path_line(unit.text):
        # A line that is nothing but a path is an artifact, not a statement about one.
        return None
    if not _SPECIFIC.search(unit.text) or not _STATES.search(unit.lower):
        return None
    if len(content_words(unit.text)) < _MIN_CONTENT_WORDS:
        return None
    marks = marks_around(unit.lower, 0, 0) & {Mark.QUESTION, Mark.TRANSIENT, Mark.QUOTED}
    if unit.lower.startswith(
        ("if ", "what if ", "suppose ", "imagine ", "maybe ", "perhaps ", "如果", "假如", "也许", "可能")
    ):
        marks |= {Mark.HYPOTHETICAL}
    return Hit(Category.NOTE, "note.statement", 0.5, marks)


_CONCLUDES = lazy_pattern(
    r"\b(?:confirm(?:s|ed|ing)?|prov(?:es|ed|en|ing)|demonstrat(?:es|ed|ing)|verif(?:ies|ied|ying)|"
    r"show(?:s|ed|ing)) that\b|"
    r"\b(?:the|our|this|final|correct) (?:\w+ )?(?:task|problem|question|puzzle|answer|solution|result|conclusion|"
    r"verification|analysis|calculation|research)s? "
    r"(?:(?:is|are|was|were|has been|have been|been) )?(?:now |indeed |thus |fully |successfully )?"
    r"(?:correct|right|accurate|solved|answered|resolved|complete|completed|verified|confirmed|validated|valid|final)\b|"
    r"\bsolved the (?:task|problem|question|puzzle)\b|\bcorrect(?:ly)? (?:answer|answered|solved)\b|"
    r"(?:问题|任务|题目)(?:已|已经)(?:解决|完成)|答案(?:是)?正确",
)
"""What is concluded from a result, above all that the task is solved: no program reports that."""


def claim(unit: Utterance, evidence: Evidence) -> Hit | None:
    """A statement that something was done, with the marks that language and evidence give it."""
    cue = unit.starts("claim.opening") or unit.find("claim.done")
    if cue is None:
        return None
    marks = marks_around(unit.lower, cue.start, cue.end)
    if unit.kind in (Kind.TABLE, Kind.HEADING):
        marks |= {Mark.QUOTED}
    if _CONCLUDES.search(unit.lower):
        marks |= {Mark.UNCONFIRMED}
    needs = Work.CHECK if unit.find("claim.check") else Work.EDIT
    return Hit(Category.VERIFIED_ACTION, f"claim.{needs.value}", 0.6, marks | evidence.judge(needs))
