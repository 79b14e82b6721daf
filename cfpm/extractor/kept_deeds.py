"""What is kept of a tool call as rows: its deeds, as far as they change something or read a path, with the names that
an edit defines. Not for telling it to a reader: see `recall.deeds`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from cfpm.extractor.artifacts import edited_paths
from cfpm.extractor.calls import Deed, Verb, deeds_of, in_one_line, patched_texts, purposes, root_of
from cfpm.extractor.evidence import Evidence
from cfpm.extractor.tools import LOOKS, Work, is_named, is_prose, work_of
from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cfpm.extractor.evidence import Outcome
    from cfpm.model import Message, ToolCall

MAX_TEXT = 400
"""Characters of a command or path; one in a hundred commands of real sessions is longer."""

MAX_NAMES = 8
_MAX_NAME = 80
_MAX_CODE = 20_000
"""Characters of an edit that are read for names: some 600 lines."""

_NUMBERED = lazy_pattern(r"^ {0,8}\d{1,6}[\t→]", re.MULTILINE)
"""What stands before a line of a file that a tool shows."""


class KeptDeed(NamedTuple):
    """The columns of a deed that its call gives."""

    verb: str
    what: str
    destination: str
    folder: str
    purpose: str
    names: str


def kept_deeds(call: ToolCall) -> list[KeptDeed]:
    """What the call did, the command itself first. Nothing of commands that only look, nor of tools that nothing is
    known of."""
    deeds = deeds_of(call)
    first = deeds[0].verb
    if first is Verb.CALLED or (first is Verb.RAN and len(deeds) == 1 and work_of(call) in LOOKS):
        return []
    folder = root_of(call)[:MAX_TEXT]
    if first is Verb.RAN:
        told = purposes(call)
        ran = KeptDeed(first.value, in_one_line(deeds[0].what)[:MAX_TEXT], "", folder, told[0] if told else "", "")
        return [ran, *(_row(deed, folder) for deed in deeds[1:])]
    if first is Verb.READ:
        return [_row(deed, folder) for deed in deeds]
    patched = patched_texts(call)
    code: Sequence[Iterable[str]] = [[text] for text in patched] or [_code(call.arguments)]
    return [_row(deed, folder, _names_in(deed.what, texts)) for deed, texts in zip(deeds, code, strict=True)]


def may_be_told(call: ToolCall) -> bool:
    """Whether of a call that does not say what it did the result may: of an edit, as some transcripts show edits."""
    return work_of(call) is Work.EDIT


def kept_by_result(call: ToolCall, outcome: Outcome) -> list[KeptDeed]:
    """What an edit that names no file did, as its result says if it ended well."""
    if not outcome.ok:
        return []
    shown = _NUMBERED.sub("", outcome.message.text[:_MAX_CODE])
    verb = Verb.WROTE if is_named(call, "writes") else Verb.EDITED
    folder = root_of(call)[:MAX_TEXT]
    code = (*_code(call.arguments), shown)
    return [_row(Deed(verb, path), folder, _names_in(path, code)) for path in edited_paths(outcome)]


def outcome_of(call: ToolCall, result: Message) -> Outcome:
    """How the call ended, by its result alone."""
    return Evidence({call.id: call}).answered(result)


def _row(deed: Deed, folder: str, names: str = "") -> KeptDeed:
    return KeptDeed(deed.verb.value, deed.what[:MAX_TEXT], deed.to[:MAX_TEXT], folder, "", names)


@dataclass(frozen=True, slots=True)
class _Definitions:
    starts: frozenset[str]
    pattern: re.Pattern[str]
    arguments: tuple[str, ...]


@cache
def _definitions() -> _Definitions:
    data = toml_table("cfpm.extractor", "calls")["definitions"]
    keywords, values, modifiers, goes_on = (
        "|".join(map(re.escape, data[kind])) for kind in ("keywords", "values", "modifiers", "goes_on")
    )
    starts = frozenset((*data["keywords"], *data["values"], *data["modifiers"]))
    before = rf"(?:(?:{modifiers})(?:\([\w: ]{{1,40}}\))?[ \t]+){{0,4}}"
    generic = r"(?:<[^<>\n]{0,80}>)?"
    name = rf"[^\W\d][\w$]{{0,{_MAX_NAME - 1}}}+"
    pattern = compiled(
        rf"(?:[ \t]*+{before}(?:func[ \t]+\([^()\n]{{0,80}}\)[ \t]+"  # Go: the receiver of a method
        rf"|(?:{keywords}){generic}[ \t]+(?:self\.)?(?:[\w:]{{1,{_MAX_NAME}}}+{generic}[ \t]+for[ \t]+)?)"
        rf"|{before}(?:{values})[ \t]+(?:mut[ \t]+)?)"
        rf"({name}(?:(?:\.|::){name}){{0,4}}+)[!?]?+(?=[ \t]*+(?:[(<:={{;\[,]|$)|[ \t]++(?:{goes_on})\b)"
    )
    return _Definitions(starts, pattern, tuple(data["arguments"]))


def _names_in(path: str, texts: Iterable[str]) -> str:
    """The names that are defined in some code of this file; in a file for readers there is none."""
    return "" if is_prose(path) else _names(texts)


def _names(texts: Iterable[str]) -> str:
    """The names that the lines of some code define, at most `MAX_NAMES`, in their order."""
    known = _definitions()
    left = _MAX_CODE
    found: dict[str, None] = {}
    for text in texts:
        for line in text[:left].splitlines():
            code = _code_of(line)
            words = code.split(None, 1)
            if not words or words[0].partition("(")[0].partition("<")[0] not in known.starts:
                continue
            if match := known.pattern.match(code):
                found[match[1]] = None
                if len(found) == MAX_NAMES:
                    return " ".join(found)
        left -= min(left, len(text))
    return " ".join(found)


def _code_of(line: str) -> str:
    """A line without what a patch has before it."""
    if line.startswith("@@"):
        return line.rpartition("@@")[2].strip()
    return line[1:] if line.startswith(("+", "-")) else line


def _code(value: object) -> Iterator[str]:
    """The code in the arguments of an edit, however deep, the same whatever the order of the arguments."""
    if isinstance(value, dict):
        for key in _definitions().arguments:
            if isinstance(value.get(key), str):
                yield value[key]
        for key in sorted(map(str, value)):
            yield from _nested(value.get(key))


def _nested(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _code(value)
    elif isinstance(value, list):
        for inner in value:
            yield from _nested(inner)
