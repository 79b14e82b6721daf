"""What kind of work a tool call is: an edit, a check, a read, a look for a place, or something else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache

from cfpm.model import ToolCall
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

_SLASH = lazy_pattern(r"[\\/]")
_BETWEEN_NAMES = lazy_pattern(r"[\s\"'\\/;|&]+")
_SEPARATORS = lazy_pattern(r"[^a-z0-9]")
_STEPS = lazy_pattern(r"\s*(?:&&|\|\||;|\n|\|)\s*")
_QUOTED = lazy_pattern(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_HEREDOC = lazy_pattern(r"(?<!<)<<-?[ \t]*\\?['\"]?(\w+)")
_MAX_HEREDOCS = 20
_IN_A_SHELL = lazy_pattern(r"\s*(?:\S*/)?(?:ba|z|da|k)?sh\s+-\w*c\s+(['\"])(.*)\1\s*", re.DOTALL)
"""`bash -lc '...'`: the steps are those inside."""
_KEYWORDS = lazy_pattern(r"\A(?:(?:do|then|else|elif|if|while|until|!|\{|\()\s+|\()+")
_NO_STEP = lazy_pattern(r"(?:for|case|select|function)\s|(?:done|fi|esac|\}|\))(?:\s|$)")
_WRITES = lazy_pattern(r"(?<![0-9&<>=-])>{1,2}\s*(?!\s|&|/dev/null)")
"""Output that goes into a file; `2>&1` and `> /dev/null` write nothing."""
_ASSIGNMENT = lazy_pattern(r"^(?:[A-Za-z_][A-Za-z0-9_]*=\S*\s+|sudo\s+|time\s+|env\s+|timeout\s+\S+\s+|nohup\s+)+")
_FIRST_WORD = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+")
_MAX_COMMAND = 4_000
"""Characters of a command that are read for its steps."""
_MEMO = 256
_HOST_PREFIX = lazy_pattern(r"^(?:mcp__\w{1,80}?__|functions\.|default_api\.)")


class Work(Enum):
    """What a call does to the world, as far as its name and command say."""

    EDIT = "edit"
    CHECK = "check"
    READ = "read"
    LOCATE = "locate"
    ACT = "act"
    UNKNOWN = "unknown"


LOOKS = (Work.READ, Work.LOCATE)
"""What comes back is content."""


@dataclass(frozen=True, slots=True)
class _Names:
    tools: dict[str, frozenset[str]]
    commands: dict[str, frozenset[str]]
    boot: frozenset[str]
    prose: tuple[str, ...]


@cache
def _names() -> _Names:
    data = toml_table("cfpm.extractor", "tools")
    tools = {kind: frozenset(map(plain_name, names)) for kind, names in data["tools"].items()}
    return _Names(
        tools
        | {
            "edit": tools["writes"] | tools["patches"] | tools["editors"] | tools["delete"] | tools["move"],
            "read": tools["reads"] | tools["looks"] | tools["tells"],
        },
        {kind: frozenset(names) for kind, names in data["commands"].items()},
        frozenset(data["boot"]["names"]),
        tuple(data["files"]["prose"]),
    )


def work_of(call: ToolCall | None) -> Work:
    """The kind of work of a call; UNKNOWN when there is no call or nothing is known of the tool."""
    if call is None:
        return Work.UNKNOWN
    names = _names()
    name = plain_name(call.name)
    works_on_files = name in names.tools["edit"] or name in names.tools["read"]
    command = call.command
    if command is not None and (name in names.tools["shells"] or not works_on_files):
        return work_of_command(command)
    verb = call.arguments.get("command")
    if name in names.tools["edit"] and verb in ("view", "undo_edit"):
        return Work.READ
    if name in names.tools["edit"]:
        return Work.EDIT
    if name in names.tools["locate"]:
        return Work.LOCATE
    return Work.READ if name in names.tools["read"] else Work.UNKNOWN


def is_named(call: ToolCall, kind: str) -> bool:
    """True when the name of the tool is one of this kind of `tools.toml`."""
    return plain_name(call.name) in _names().tools[kind]


@lru_cache(_MEMO)
def plain_name(name: str) -> str:
    """The name of a tool without the prefix of its host, in lower case, without separators."""
    # A host has few tools, and calls them again and again.
    return _SEPARATORS.sub("", _HOST_PREFIX.sub("", name.lower()))


def only_looks(call: ToolCall | None, work: Work) -> bool:
    """True when what comes back is content, not the report of a program: a read, a look, a tool named for looking."""
    if work in LOOKS:
        return True
    if call is None or work is not Work.UNKNOWN:
        return False
    first = _FIRST_WORD.search(_HOST_PREFIX.sub("", call.name, count=1))
    return first is not None and first[0].lower() in _names().tools["reading"]


def of_this_machine(call: ToolCall | None) -> bool:
    """True for a call of the host's own tools on files or of its shell, unless the shell fetches from elsewhere."""
    if call is None:
        return False
    names = _names()
    name = plain_name(call.name)
    if name in names.tools["strangers"]:
        return False
    if name in names.tools["shells"]:
        words = _BETWEEN_NAMES.split((call.command or "")[:_MAX_COMMAND].lower())
        return names.commands["strangers"].isdisjoint(words)
    return any(name in names.tools[kind] for kind in ("edit", "read", "locate"))


def reads_prose(call: ToolCall) -> bool:
    """True for a call that names a file for readers: notes, a page, a mail."""
    if call.path is not None:
        return is_prose(call.path)
    words = _BETWEEN_NAMES.split((call.command or "")[:_MAX_COMMAND].lower())
    return any(word.endswith(_names().prose) for word in words)


def is_prose(path: str) -> bool:
    """True for the path of a file for readers, by its ending."""
    return path.lower().endswith(_names().prose)


def work_of_command(command: str) -> Work:
    """The kind of a shell command: of its steps, an edit or a check counts more than a read."""
    return _work_of_start(command[:_MAX_COMMAND])


@lru_cache(_MEMO)
def _work_of_start(command: str) -> Work:
    kinds = {_work_of_step(step) for step in steps_of(command)}
    for kind in (Work.CHECK, Work.ACT, Work.LOCATE, Work.READ):
        if kind in kinds:
            return kind
    return Work.ACT


def steps_of(command: str) -> list[str]:
    """The steps of a shell command, without what is quoted in them."""
    wrapped = _IN_A_SHELL.fullmatch(command)
    bare = without_data(wrapped[2] if wrapped else command)
    # What is quoted is data: a pattern such as 'a|b' is no pipe.
    return [step for step in _STEPS.split(_QUOTED.sub("''", bare)) if step.strip()]


def without_data(command: str) -> str:
    """The command without its here-documents: their lines are data, not steps."""
    if "<<" not in command:
        return command
    kept, at = [], 0
    for _ in range(_MAX_HEREDOCS):
        found = _HEREDOC.search(command, at)
        line_end = command.find("\n", found.end()) if found else -1
        if found is None or line_end < 0:
            break
        kept.append(command[at:line_end])
        close = command.find(f"\n{found[1]}", line_end)
        at = close + 1 + len(found[1]) if close >= 0 else len(command)
    return "".join(kept) + command[at:]


def reads_boot_file(call: ToolCall | None) -> bool:
    """True when the call shows a file that hosts load or projects restate: README, AGENTS.md and the like."""
    if call is None:
        return False
    names = _names().boot
    if call.path is not None:
        return _SLASH.split(call.path)[-1].lower() in names
    return not names.isdisjoint(_BETWEEN_NAMES.split((call.command or "").lower()))


def _work_of_step(step: str) -> Work | None:
    step = _KEYWORDS.sub("", step.strip(), count=1)
    words = _ASSIGNMENT.sub("", step.lower()).split()
    if not words or _NO_STEP.match(step) or words[0] in ("cd", "set", "export", "source", ".", "true", "sleep"):
        return None
    words[0] = words[0].rsplit("/", 1)[-1] if not words[0].startswith("./") else words[0]
    commands = _names().commands
    heads = {" ".join(words[:n]) for n in (1, 2, 3)}
    if heads & commands["check"]:
        return Work.CHECK
    if _WRITES.search(step):
        return Work.ACT
    if heads & commands["locate"]:
        return Work.LOCATE
    return Work.READ if heads & commands["read"] else Work.ACT
