"""What was asked, ruled, decided and approved in a stretch of a history, sentence by sentence, in the words in which it
was said, and whether it was said before. What was done is the business of `activity`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from cfpm.context.approvals import refused
from cfpm.context.checkpoint.checkpoint import MAX_LINE
from cfpm.context.history import Group, Kind
from cfpm.context.plans import Progress, kind_of, listed_steps
from cfpm.model import Role
from cfpm.model.patterns import lazy_pattern
from cfpm.secrets import redact
from cfpm.text import Cue, Phrases, is_low_information, lexicon, lexicons_for, plain_words, sentences
from cfpm.text import Kind as SentenceKind

_SIGNS = lazy_pattern(r"[\W_]+")
_BLANKS = {code: " " for code in range(128) if not chr(code).isalnum()}


@dataclass(slots=True)
class KnownWords:
    """The words that stand in a view already, blanks around each; grows with what is new."""

    _texts: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    """With the different words of each."""
    _lines: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, *texts: str) -> KnownWords:
        """With the words of these texts, which are one after the other."""
        known = cls()
        known._add(_words(" ".join(texts)))
        return known

    def is_new(self, line: str) -> bool:
        """Whether no text says these words in this order; from then on, one does."""
        words = _words(line)
        if not words.strip() or words in self._lines or self._says(words):
            return False
        self._lines.add(words)
        return True

    def settle(self) -> None:
        """From now on, a part of a line that was new is not new any more."""
        self._add("\n".join(sorted(self._lines)))

    def _says(self, words: str) -> bool:
        several = words.split()
        return any(known.issuperset(several) and words in text for text, known in self._texts)

    def _add(self, text: str) -> None:
        self._texts.append((text, frozenset(text.split())))

    def packed(self, sentences: Iterable[str], limit: int = MAX_LINE // 2) -> Iterator[str]:
        """The sentences that are new, put together to lines of so many characters."""
        line = ""
        for sentence in sentences:
            if not self.is_new(sentence):
                continue
            if line and len(line) + len(sentence) >= limit:
                yield line
                line = ""
            line = f"{line} {sentence}" if line else sentence
        if line:
            yield line


def _words(text: str) -> str:
    lower = text.lower()
    plain = " ".join(lower.translate(_BLANKS).split()) if lower.isascii() else _SIGNS.sub(" ", lower).strip()
    return f" {plain} "


LONG = 1_500
"""Characters of a user's message up to which all of it counts as the user's own words."""

ENDS = 500
"""Characters at either end of a longer message that count: what is between is mostly something pasted."""

_SHORT = 60
"""Characters of an answer that may be nothing but a yes."""

_SAYS_ENOUGH = 4
"""Words of the sentence with which a session opens."""

_SHORT_OPENING = 200
"""Characters of a session's first message up to which it is one request, whatever its sentences are."""

_MAX_SAID = 20_000
"""Characters of an agent's message that are read for decisions."""

_HEAD, _TAIL = 400, 190
"""Characters that are left of both ends of a sentence which is too long for a line."""

_DATA = lazy_pattern(
    r"\s*(?:[>|+@<{}\[]|={3,}|-{3,}|diff |\d+[:→|]|\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:"
    r"|return (?:[\w.]+(?:[(,;]|$| return)|[\"'`\[({&!-])|\S+\s*$)"
)
"""How a line begins that is pasted, or that is only one word."""

_INDENT = 4
_ITEM = lazy_pattern(r"(?:[-*•]|\d+[.)])\s")
_CODE_SIGNS = lazy_pattern(r"[{}()\[\]=<>;|&*$#\\]")
_PLAIN = lazy_pattern(r"(?<!\S)[A-Za-z'’]{2,}(?=[\s,.;:!?]|$)")
_CODE_DENSITY = 15
"""Characters of a sentence for each sign that is usual in code; with more signs and hardly a plain word it is code."""


@dataclass(slots=True)
class Statements:
    """What was said, oldest first. `asked` and `rules`, the sentences of each line, must not be lost; `other` are
    lines with the rest of the user's words, `steps` what the agent ended each message with."""

    asked: list[Sequence[str]] = field(default_factory=list)
    rules: list[Sequence[str]] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    approvals: list[str] = field(default_factory=list)
    open: dict[str, list[str]] = field(default_factory=dict)
    """The unfinished steps of each kind of list."""
    steps: list[str] = field(default_factory=list)
    next: list[str] = field(default_factory=list)
    request: str = ""


def read_statements(groups: Sequence[Group], *, opening: bool, old: int = 0) -> Statements:
    """Reads the users' and the agents' words of a stretch; `opening` says that nothing was said before it.

    What a session opens with is what it is for, whether it asks for anything or not. What an agent ended its messages
    with is not told of the first `old` groups.
    """
    said = Statements()
    before = ""
    for number, group in enumerate(groups):
        for entry in group.entries:
            if group.kind is Kind.USER and (words := entry.said):
                # Redacted before it is cut into lines: half a secret looks like none.
                text = redact(words).text
                _user(text, before, said, opening=opening and not said.request)
                said.request = text
            elif group.kind in (Kind.ASSISTANT, Kind.CALLS) and entry.parts and entry.parts[0].role is Role.ASSISTANT:
                text = redact(entry.said[:_MAX_SAID]).text
                before = text or before
                _agent(text, said, old=number < old)
        _lists(group, said)
    if before:
        said.next = [part for part in _last_sentence(before) if _begins("next", part)]
    return said


def _user(text: str, before: str, said: Statements, *, opening: bool) -> None:
    if len(text) <= _SHORT and _begins("approving", text):
        proposal = _last_sentence(before)
        said.approvals += [f'"{text}" to: {part}' for part in proposal]
    own = list(own_words(text))
    asked, rules = _demands(own, opening=opening, short=len(text) <= _SHORT_OPENING)
    said.asked += by_line(text, asked)
    said.rules += by_line(text, rules)
    for sentence, is_own in own:
        if sentence not in asked and sentence not in rules:
            said.other.append(sentence)
        if is_own and _decides(sentence):
            said.decisions.append(sentence)


def demands(text: str, *, opening: bool = False) -> tuple[list[str], list[str]]:
    """The sentences of a user's message that ask, and those that bind; of the `opening` one, at least the first,
    and all when it is short."""
    return _demands(own_words(text), opening=opening, short=len(text) <= _SHORT_OPENING)


def _demands(found: Iterable[tuple[str, bool]], *, opening: bool, short: bool) -> tuple[list[str], list[str]]:
    asked: list[str] = []
    rules: list[str] = []
    for sentence, own in found:
        if own and _holds("binding", sentence):
            rules.append(sentence)
        elif own and (_asks(sentence) or (opening and (short or not asked) and len(sentence.split()) >= _SAYS_ENOUGH)):
            asked.append(sentence)
    return asked, rules


def by_line(text: str, found: Sequence[str]) -> list[list[str]]:
    """These sentences of a text, those together that stand one after the other on one line."""
    lines: list[list[str]] = []
    whole = "\n".join(" ".join(line.split()) for line in text.splitlines()) if len(found) > 1 else ""
    for sentence in found:
        if lines and f"{lines[-1][-1]} {sentence}" in whole:
            lines[-1].append(sentence)
        else:
            lines.append([sentence])
    return lines


def _agent(text: str, said: Statements, *, old: bool) -> None:
    if text and _may_hold("deciding", text):
        said.decisions += filter(_decides, _sentences(text))
    if text and _may_hold("trying", text):
        said.tried += (one for one in _sentences(text) if not one.endswith("?") and _holds("trying", one))
    if not old:
        said.steps += _last_sentence(text)


def _lists(group: Group, said: Statements) -> None:
    """The unfinished steps of the lists that a group writes down and that came back well; a plan and a list of things
    to do stand beside each other."""
    results = group.results
    for name, call in group.calls.items():
        kind, result = kind_of(call), results.get(name)
        if not kind or result is None or (result.tool_result and result.tool_result.failed) or refused(call, result):
            continue
        if steps := listed_steps(call):
            said.open[kind] = [step.text for step in steps if step.progress in (Progress.OPEN, Progress.ACTIVE)]


_ALIKE = lazy_pattern(r" \(and (\d+) alike before\)$")
_VARIES = lazy_pattern(r"\S*[\d/\\._`:-]\S*")
"""What tells steps of one kind from each other: numbers, paths, names in code."""


def merged_steps(steps: Iterable[str]) -> list[str]:
    """What an agent ended its messages with: of steps that differ only in numbers, paths and the like the last, with
    how many came before; none that says nothing."""
    last: dict[str, tuple[str, int]] = {}
    for step in steps:
        before = _ALIKE.search(step)
        text = step[: before.start()] if before else step
        if is_low_information(text):
            continue
        kind = _VARIES.sub("#", text.lower())
        _, times = last.pop(kind, ("", 0))
        last[kind] = text, times + 1 + int(before[1] if before else 0)
    return [f"{text} (and {times - 1} alike before)" if times > 1 else text for text, times in last.values()]


def own_words(text: str) -> Iterator[tuple[str, bool]]:
    """The sentences of a user's message, each with whether it stands where a user's own words are."""
    cut = len(text) > LONG
    for start, end in _whole(text):
        part = " ".join(text[start:end].split())
        if len(part) > MAX_LINE:
            part = f"{part[:_HEAD]} … {part[-_TAIL:]}"
        if part:
            middle = cut and start >= ENDS and end <= len(text) - ENDS
            yield part, not (middle or _is_code(part) or _DATA.match(part) or _is_indented(text, start))


def _is_indented(text: str, start: int) -> bool:
    """Whether four blanks or a tab stand before it on its line, as before pasted code; an item of a list is none."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return len(before.expandtabs(4)) >= _INDENT and not before.strip() and not _ITEM.match(text, start)


def _is_code(part: str) -> bool:
    dense = _CODE_DENSITY * len(_CODE_SIGNS.findall(part)) > len(part)
    return dense and len(_PLAIN.findall(part)) < _SAYS_ENOUGH


def _whole(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences stand; what goes on in small letters, as behind `e.g.`, belongs to what is before it."""
    begin = end = 0
    for sentence in sentences(text):
        if sentence.kind is SentenceKind.CODE:
            continue
        if end and "\n" not in text[end : sentence.start] and not text[sentence.start].isupper():
            end = sentence.end
            continue
        if end:
            yield begin, end
        begin, end = sentence.start, sentence.end
    if end:
        yield begin, end


def _decides(sentence: str) -> bool:
    return not sentence.endswith("?") and _holds("deciding", sentence)


def _asks(sentence: str) -> bool:
    if _holds("asking_inside", sentence):
        return True
    rest = _without_openers(sentence.lower().replace("’", "'").lstrip(" *_\"'`-"))
    return _begins("asking", rest) or lexicon("en")["verb.imperative"].starts(rest) is not None


def _without_openers(lower: str) -> str:
    """What is left behind up to three words like "ok" and "thanks"."""
    for _ in range(3):
        if (cue := _opening("before", lower)) is None:
            break
        lower = lower[cue.end :].lstrip(",.!:- \t\n")
    return lower


def _sentences(text: str, *, backwards: bool = False) -> Iterator[str]:
    found = [part.text for part in sentences(text) if part.kind is not SentenceKind.CODE]
    lines = (" ".join(part.split()) for part in (reversed(found) if backwards else found))
    return (line for line in lines if line and len(line) <= MAX_LINE)


def _last_sentence(text: str) -> list[str]:
    return list(islice(_sentences(text, backwards=True), 1))


def _may_hold(key: str, text: str) -> bool:
    """A fast test of a whole text: False means that no sentence of it holds the cues."""
    words = frozenset(plain_words(text.lower()))
    return any(not phrases.lacks(words) for phrases in _cues(key, text))


def _holds(key: str, sentence: str) -> bool:
    lower = sentence.lower()
    return any(_is_whole(lower, cue) for phrases in _cues(key, lower) for cue in phrases.find_all(lower))


def _begins(key: str, text: str) -> bool:
    return _opening(key, text.lower().lstrip(" \"'*")) is not None


def _opening(key: str, lower: str) -> Cue | None:
    found = (phrases.starts(lower) for phrases in _cues(key, lower))
    return next((cue for cue in found if cue is not None and _is_whole(lower, cue)), None)


def _is_whole(lower: str, cue: Cue) -> bool:
    """Whether no apostrophe joins the cue to another word: "must've been fun" is no rule."""
    return not lower.startswith(("'", "’"), cue.end) and not lower.endswith(("'", "’"), 0, cue.start)


def _cues(key: str, text: str) -> list[Phrases]:
    return [language[f"checkpoint.{key}"] for language in lexicons_for(text)]
