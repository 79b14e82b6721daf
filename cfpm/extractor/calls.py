"""What a tool call did: the command it ran, the paths it wrote, moved or removed; and the words that it is found by.

Reads the call alone, so that what is indexed of a message comes from that message. How it ended is in `outcomes`.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from cfpm.extractor.tools import LOOKS, Work, is_named, steps_of, without_data, work_of, work_of_command
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.paths.grammar import Flavour, extension, flavour_of, is_absolute, name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cfpm.model import ToolCall

MAX_SEARCHED = 2_000
"""Characters of a call that are indexed: its command or path and the beginnings of its other arguments."""

_MAX_ARGUMENT = 400
"""Characters of one further argument: what an edit changed stands at its head."""

_MAX_COMMAND = 4_000
_MAX_STEPS = 40

_PATCH = "*** Begin Patch"
_PATCHED = lazy_pattern(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$(?:\n\*\*\* Move to: (.+?)\s*$)?", re.MULTILINE)
_SEPARATES = frozenset(";|&\n()")
_TAKES_AWAY = lazy_pattern(
    r"(?i)\b(?:rm|rmdir|unlink|trash|del|erase|rd|ri|remove-item|mv|move|ren|rename-item|move-item)\s"
)
"""What a command has that may take a path away: sooner told than its steps are read."""
_ASSIGNS = lazy_pattern(r"[A-Za-z_]\w*=.*", re.DOTALL)
_INTERPRETERS = frozenset(
    {"python", "python3", "py", "node", "ruby", "perl", "php", "bash", "sh", "zsh", "deno", "pwsh"}
)
_SUBCOMMAND = lazy_pattern(r"[a-z][a-z0-9:_-]*")
_CAMEL = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NOT_PLAIN = lazy_pattern(r"[$`*?\[\]{}<>]|^-|^\s*$")
"""A word whose meaning only a shell knows: a variable, a pattern."""


class Verb(StrEnum):
    """What a call did, in a word."""

    RAN = "ran"
    EDITED = "edited"
    WROTE = "wrote"
    REMOVED = "removed"
    MOVED = "moved"
    READ = "read"
    CALLED = "called"


@dataclass(frozen=True, slots=True)
class Deed:
    """`what` is a command as it was written, a path under its root where that is known, or the name of a tool; `to` is
    where a path was moved."""

    verb: Verb
    what: str
    to: str = ""


@dataclass(frozen=True, slots=True)
class _Purposes:
    through: frozenset[str]
    source: tuple[str, ...]
    target: tuple[str, ...]
    remove: frozenset[str]
    move: frozenset[str]
    harmless: frozenset[str]
    words: Mapping[str, str]
    in_chinese: Mapping[str, str]
    """The Chinese words of verbs and of purposes."""
    by_command: Mapping[str, str]


@cache
def _purposes() -> _Purposes:
    data = toml_table("cfpm.extractor", "calls")
    shell = data["shell"]
    return _Purposes(
        frozenset(data["through"]),
        tuple(data["moved_from"]),
        tuple(data["moved_to"]),
        frozenset(shell["remove"]),
        frozenset(shell["move"]),
        frozenset(shell["harmless"]),
        data["words"],
        {**data["words_zh"], **{row["words"]: row["zh"] for row in data["purpose"]}},
        {command: row["words"] for row in data["purpose"] for command in row["commands"]},
    )


def root_of(call: ToolCall) -> str:
    """The folder that a call runs in, as its arguments say; empty when they do not."""
    return _text(call, toml_table("cfpm.extractor", "tools")["arguments"]["folder"])


def deeds_of(call: ToolCall) -> tuple[Deed, ...]:
    """What the call did, the command itself first; of a call that nothing is known of, that it was made."""
    work, command = work_of(call), call.command
    if work is not Work.READ and (patched := tuple(_patched(call))):
        return patched
    if command is not None and not (call.path and work in (Work.EDIT, Work.READ)):
        return (Deed(Verb.RAN, command.strip()), *_in_shell(command[:_MAX_COMMAND], root_of(call)))
    path = call.path or ""
    if is_named(call, "move") and (source := path or _text(call, _purposes().source)):
        return (
            Deed(Verb.MOVED, _under(root_of(call), source), _under(root_of(call), _text(call, _purposes().target))),
        )
    if path:
        return (Deed(_verb_of(call, work), _under(root_of(call), path)),)
    return (Deed(Verb.CALLED, call.name),)


def in_one_line(command: str) -> str:
    """A command without the data of its here-documents, on one line."""
    return " ".join((without_data(command) if "<<" in command else command).split())


def taken_away(call: ToolCall) -> list[Deed]:
    """The paths that the call removes or moves if it goes well, and whose names say which they are: no variable, no
    pattern of names, and not all that there is."""
    if not _may_touch_files(call):
        return []
    gone = (deed for deed in deeds_of(call) if deed.verb in (Verb.REMOVED, Verb.MOVED))
    return [deed for deed in gone if not _NOT_PLAIN.search(deed.what) and any(map(str.isalnum, deed.what))]


def made(call: ToolCall) -> list[str]:
    """The paths that the call writes, or moves something to, if it goes well, as far as they name a file."""
    if not _may_touch_files(call):
        return []
    found = [deed.what if deed.verb in (Verb.WROTE, Verb.EDITED) else deed.to for deed in _of_files(call)]
    return [path for path in found if path and not _NOT_PLAIN.search(path) and not path.endswith(("/", "\\", "."))]


def _may_touch_files(call: ToolCall) -> bool:
    command = call.command
    if command is None or call.path:
        return work_of(call) is Work.EDIT
    return _TAKES_AWAY.search(command) is not None or _PATCH in command


def _of_files(call: ToolCall) -> Iterator[Deed]:
    for deed in deeds_of(call):
        # What is moved to a name without an ending may lie in a folder of that name.
        if deed.verb in (Verb.WROTE, Verb.EDITED) or (deed.verb is Verb.MOVED and extension(name(deed.to))):
            yield deed


def purposes(call: ToolCall) -> tuple[str, ...]:
    """What the steps of a command are for, in words; none for a tool that is no shell."""
    command = call.command
    return _purposes_of(command[:_MAX_COMMAND]) if command is not None else ()


@lru_cache(256)
def _purposes_of(command: str) -> tuple[str, ...]:
    found = (_purpose(step) for step in _simple_steps(command))
    return tuple(dict.fromkeys(words for words in found if words))


def beginning(call: ToolCall) -> tuple[str, ...]:
    """The command itself and its first word, if that is no option or path: `playwright install`, `scp`; of what runs a
    script also that. None for a tool that is no shell."""
    steps = _simple_steps(call.command[:_MAX_COMMAND]) if call.command is not None else []
    words = next((words for step in steps if (words := _bare(step)) and words[0] != "cd"), ())
    second = len(words) > 1 and (words[0] in _INTERPRETERS or _SUBCOMMAND.fullmatch(words[1]))
    return tuple(words[: 2 if second else 1])


def searched_words(calls: Sequence[ToolCall]) -> str:
    """What the calls of a message are found by: what they did, what for, on what."""
    return "\n".join(map(_searched, calls))


def _searched(call: ToolCall) -> str:
    deeds = deeds_of(call)
    verbs = dict.fromkeys(_purposes().words[deed.verb] for deed in deeds)
    objects = dict.fromkeys(text for deed in deeds for text in (deed.what, deed.to) if text)
    names = dict.fromkeys(word for text in objects if _is_path(text) for word in _camel_words(name(text)))
    told = purposes(call)
    lead = f"{', '.join((*verbs, *told))}: {' '.join((*objects, *names))}"
    rest = (value[:_MAX_ARGUMENT] for value in _texts(call.arguments) if value not in objects and _PATCH not in value)
    chinese = " ".join(_purposes().in_chinese[name] for name in dict.fromkeys((*(d.verb for d in deeds), *told)))
    return "\n".join((lead[: MAX_SEARCHED // 2], chinese, *rest))[:MAX_SEARCHED]


def _texts(value: object) -> Iterator[str]:
    """All texts in the arguments of a call, however deep."""
    if isinstance(value, str):
        yield value.strip()
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _is_path(text: str) -> bool:
    return len(text) < _MAX_ARGUMENT and not any(map(str.isspace, text))


def _camel_words(text: str) -> list[str]:
    """`OldMoon` is found by "moon"."""
    found = _CAMEL.findall(text)
    return found if len(found) > 1 and text != text.lower() else []


def _text(call: ToolCall, names: Sequence[str]) -> str:
    for key in names:
        value = call.arguments.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _verb_of(call: ToolCall, work: Work) -> Verb:
    if is_named(call, "delete"):
        return Verb.REMOVED
    if work is Work.EDIT:
        writes = is_named(call, "writes") or call.arguments.get("command") == "create"
        return Verb.WROTE if writes else Verb.EDITED
    return Verb.READ if work in (Work.READ, Work.LOCATE) else Verb.CALLED


def _patched(call: ToolCall) -> Iterator[Deed]:
    """The files that a patch names, in its order."""
    texts = [text for value in call.arguments.values() for text in _texts(value) if _PATCH in text]
    if not texts:
        return
    kinds = {"Add": Verb.WROTE, "Update": Verb.EDITED, "Delete": Verb.REMOVED}
    root = root_of(call)
    for text in texts[:1]:
        for how, path, to in islice(_PATCHED.findall(text), _MAX_STEPS):
            yield Deed(Verb.MOVED if to else kinds[how], _under(root, path), _under(root, to))


def patched_texts(call: ToolCall) -> list[str]:
    """What a patch says of each file that it names, in the order of `deeds_of`; empty for another call."""
    text = next((text for value in call.arguments.values() for text in _texts(value) if _PATCH in text), "")
    heads = list(islice(_PATCHED.finditer(text), _MAX_STEPS)) if text else []
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return [text[head.end() : end] for head, end in zip(heads, ends, strict=False)]


def _under(root: str, path: str) -> str:
    """A relative path under its root, where that is known; any other as it is."""
    if not path or not root or is_absolute(path) or path.startswith(("~", "$", "%")):
        return path
    sign = "\\" if flavour_of(root) in (Flavour.WINDOWS, Flavour.UNC) else "/"
    return f"{root.rstrip(sign)}{sign}{path.removeprefix('./')}" if path != "." else root


def _in_shell(command: str, root: str) -> tuple[Deed, ...]:
    """The paths that the steps of a command remove or move."""
    return _of_steps(command, root) if _TAKES_AWAY.search(command) else ()


@lru_cache(64)
def _of_steps(command: str, root: str) -> tuple[Deed, ...]:
    # Asked for when a call is stored, when its result is read, and when it is recalled.
    known = _purposes()
    found: list[Deed] = []
    for step in split_steps(without_data(command)):
        words = _bare(step)
        if len(words) >= 2 and words[0] == "cd":
            root = "" if _NOT_PLAIN.search(words[1]) else _under(root, words[1])
        first, rest = _first_of(words, known.remove | known.move)
        if not first or not known.harmless.isdisjoint(map(str.lower, rest)):
            continue
        operands = [_under(root, word) for word in rest if not word.startswith("-")]
        if first in known.remove:
            found += [Deed(Verb.REMOVED, path) for path in operands]
        elif len(operands) == 2:
            found.append(Deed(Verb.MOVED, *operands))
    return tuple(found)


def _first_of(words: Sequence[str], known: frozenset[str]) -> tuple[str, Sequence[str]]:
    """The known command that a step begins with, and the words behind it."""
    for count in (2, 1):
        if (first := " ".join(words[:count]).lower()) in known:
            return first, words[count:]
    return "", ()


def split_steps(command: str) -> list[list[str]]:
    """The words of each step of a command line; none when a quotation does not end."""
    parser = shlex.shlex(command, posix=True, punctuation_chars=";|&\n()<>")
    parser.whitespace, parser.whitespace_split, parser.commenters = " \t\r", True, ""
    steps: list[list[str]] = [[]]
    into_file = False
    try:
        for word in parser:
            if _SEPARATES.issuperset(word):
                steps.append([])
            elif set(word) <= {"<", ">", "&", "|"}:
                into_file = True
                if steps[-1] and steps[-1][-1].isdigit():
                    steps[-1].pop()
                continue
            elif not into_file:
                steps[-1].append(word)
            into_file = False
    except ValueError:
        return []
    return [step for step in steps if step][:_MAX_STEPS]


def _simple_steps(command: str) -> list[list[str]]:
    """The words of each step, quotations as they stand: told ten times as fast, and enough to know a step by."""
    return [words for step in steps_of(command)[:_MAX_STEPS] if (words := step.split())]


def _bare(words: Sequence[str]) -> Sequence[str]:
    """The words from the command on that is run in the end: `sudo uv run pytest -q` runs `pytest -q`."""
    through = _purposes().through
    while words:
        if _ASSIGNS.fullmatch(words[0]):
            words = words[1:]
        elif " ".join(words[:2]).lower() in through:
            words = words[2:]
        elif words[0].lower() in through:
            words = words[1:]
            while words and words[0].startswith("-"):
                words = words[1:]
        else:
            break
    return words


def _purpose(step: Sequence[str]) -> str:
    """What a step is for; empty when its first words say nothing."""
    known = _purposes().by_command
    words = _bare(step)
    if not words:
        return ""
    program = re.split(r"[\\/]", words[0])[-1].lower()
    if program in _INTERPRETERS and len(words) > 1:
        program, words = re.split(r"[\\/]", words[1])[-1].lower(), words[1:]
    plain = [word.lower() for word in words[1:3] if not word.startswith("-")]
    named = [program, *plain]
    for count in (3, 2, 1):
        # `npm run test:unit` is a way of `npm run test`.
        for first in dict.fromkeys((" ".join(named[:count]), " ".join(named[:count]).partition(":")[0])):
            if first in known:
                return known[first]
    verb = next((verb for word in plain if (verb := word.partition(":")[0]) in known), "")
    if verb and work_of_command(" ".join((program, *words[1:]))) not in LOOKS:
        # A program of the project's own: `booking-ctl restart`.
        return known[verb]
    stem = re.split(r"[.-]", program)[0]
    return known.get(stem, "") if words[0].startswith((".", "/", "bin/", "scripts/")) or "." in program else ""
