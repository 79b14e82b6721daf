"""What users asked for and what they bound the agent to, found by plain words. Our extractor has no part in it."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from benchmarks.compaction.names import word_list

FEWEST_WORDS = 3
"""Content words of a sentence. What has fewer (`fix it`, `yes, do that`) cannot be told from anything else."""

LONG = 1_500
"""Characters of a message up to which all of it counts as the user's own words."""

ENDS = 500
"""Characters at either end of a longer message that count: what is between is mostly something pasted."""

HELD = 0.6
"""Share of the content words that must stand together in one line."""

_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_HUNK = re.compile(
    r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*(?:\n(?:[ +\-@\\\t].*|diff --git .*|index [0-9a-f]+\.\..*)?$)*", re.MULTILINE
)
"""A pasted diff, fenced or not: from the head of its first hunk on all lines that begin as those of a diff do."""
_PASTED_LINE = re.compile(
    r"[ \t]{3,}|={3,}\s|-{3,}\s|\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d"
    r"|[ \t]*(?:[>|+@<{}\[]|diff |\d+[:→|]|return [\w.]+\()"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[\"'`(A-Z])")
_CLAUSE_END = frozenset(",;:.!?-–—(")
_BULLET = re.compile(r"^(?:[-*•]|\d+[.)])\s+")
_WORD = re.compile(r"[^\W_](?:[\w'./-]*\w)?")
_SIGNS = re.compile(r"[^\w\s.,;:!?'\"`()-]")


class Sentence(NamedTuple):
    """A sentence of gold. `kind` is `goal`, `rule` or `decision`; `negative` says that it forbids."""

    kind: str
    text: str
    words: frozenset[str]
    negative: bool = False


def content_words(text: str) -> frozenset[str]:
    """The words of a text that say something, in lower case, with a plural's or a verb's -s taken off."""
    found = (word.lower().replace("’", "'") for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in found if word not in _stop())


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@cache
def _stop() -> frozenset[str]:
    return frozenset(word_list("stop"))


def sentences(text: str) -> list[str]:
    """The sentences of what somebody wrote, without fenced blocks and lines that look like data; bullets taken off."""
    found: list[str] = []
    for line in without_pasted(text).splitlines():
        if _PASTED_LINE.match(line) or 5 * len(_SIGNS.findall(line)) > len(line):
            continue
        found += [_BULLET.sub("", part).strip() for part in _SENTENCE_END.split(line.strip())]
    return [sentence for sentence in found if sentence]


def without_pasted(text: str) -> str:
    """The text with blanks for fenced blocks and diffs, as long as before."""
    for block in (_FENCED, _HUNK):
        text = block.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return text


def own_words(text: str) -> list[str]:
    """The sentences of a user's message; of a long one those near its ends."""
    text = without_pasted(text)
    if len(text) <= LONG:
        return sentences(text)
    return [*sentences(text[:ENDS].rsplit("\n", 1)[0]), *sentences(text[-ENDS:].split("\n", 1)[-1])]


def asked(text: str) -> list[Sentence]:
    """The requests (`goal`) and the binding sentences (`rule`) in a message of the user. A sentence is one of them:
    a rule when it binds."""
    found: list[Sentence] = []
    for sentence in own_words(text):
        words = content_words(sentence)
        if len(words) < FEWEST_WORDS:
            continue
        lowered = sentence.lower().replace("’", "'")
        if not lowered.endswith("?") and (forbids := _binds(lowered)) is not None:
            found.append(Sentence("rule", sentence, words, negative=forbids))
        elif _opening().match(lowered):
            found.append(Sentence("goal", sentence, words))
    return found


def opening(text: str) -> list[Sentence]:
    """The first sentence that says something, as a goal; none when there is no such sentence."""
    found = ((sentence, content_words(sentence)) for sentence in own_words(text))
    return [Sentence("goal", sentence, words) for sentence, words in found if len(words) >= FEWEST_WORDS][:1]


def decided(text: str) -> list[Sentence]:
    """The sentences in which something is decided."""
    if not _pattern("deciding").search(text.lower()):
        return []
    found = ((sentence, content_words(sentence)) for sentence in sentences(text))
    return [
        Sentence("decision", sentence, words)
        for sentence, words in found
        if len(words) >= FEWEST_WORDS and _pattern("deciding").search(sentence.lower().replace("’", "'"))
    ]


def _binds(lowered: str) -> bool | None:
    """Whether a sentence forbids something, or None when it does not bind at all."""
    if _pattern("forbidding").search(lowered):
        return True
    for match in _pattern("commanding").finditer(lowered):
        before = lowered[: match.start()].rstrip()
        if not before or before[-1] in _CLAUSE_END or before.split()[-1] in word_list("commanded"):
            return match[0] not in ("always", "ensure")
    return False if _pattern("binding").search(lowered) else None


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, word_list(name)))})\b")


@cache
def _opening() -> re.Pattern[str]:
    before = "|".join(map(re.escape, word_list("before_asking")))
    return re.compile(rf"(?:(?:{before})\b[,.!:\s-]*){{0,3}}(?:{'|'.join(map(re.escape, word_list('asking')))})\b")


def holds(line: str, words: frozenset[str], sentence: Sentence) -> bool:
    """Whether a line, whose content words are `words`, says the sentence: enough of its words, and `no` as it says."""
    if len(sentence.words & words) < HELD * len(sentence.words):
        return False
    return not sentence.negative or bool(_pattern("no").search(line.lower().replace("’", "'")))
