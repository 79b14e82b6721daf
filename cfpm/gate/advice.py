"""A sentence for the model when a command names a path that memory knows to be broken and a later fact knows the right
one. The command itself is never changed for this."""

from __future__ import annotations

from collections.abc import Sequence

from cfpm.gate.host import Host
from cfpm.model import Category, Fact, Status
from cfpm.paths.comparison import canonical
from cfpm.paths.grammar import is_absolute, name

_MAX_COMMAND = 4_000
"""Characters of a command that are searched for paths."""


def named_paths(command: str) -> tuple[str, ...]:
    """The absolute paths in a command, as written, each once."""
    if "/" not in command and "\\" not in command:
        return ()
    # Only a command that names a path which is known to be broken comes so far.
    from cfpm.paths.finder import find_paths

    found = find_paths(command[:_MAX_COMMAND])
    return tuple(dict.fromkeys(item.path for item in found if is_absolute(item.path)))


def advise(command: str, facts: Sequence[Fact], host: Host) -> str:
    """What to tell the model about the broken paths that the command names, or an empty text."""
    broken = {
        canonical(fact.content): fact
        for fact in facts
        if fact.category is Category.INVALID_PATH and fact.status is Status.ACTIVE
    }
    if not broken:
        return ""
    sentences = []
    for path in named_paths(command):
        fact = broken.get(canonical(path))
        if fact is None or host.exists(path):
            continue
        if right := _replacement(fact, facts, host):
            sentences.append(f"{path} was reported as not usable; memory knows {right}, which is there now.")
    return " ".join(sentences)


def _replacement(broken: Fact, facts: Sequence[Fact], host: Host) -> str | None:
    """The one artifact with the same name that was seen after the report, and is there now."""
    later = {
        canonical(fact.content): fact.content
        for fact in facts
        if fact.category is Category.ARTIFACT
        and fact.status is Status.ACTIVE
        and name(fact.content) == name(broken.content)
        and is_absolute(fact.content)
        and _is_later(fact, broken)
        and host.exists(fact.content)
    }
    return next(iter(later.values())) if len(later) == 1 else None


def _is_later(fact: Fact, broken: Fact) -> bool:
    seen, reported = fact.last_validated_at or fact.updated_at, broken.last_validated_at or broken.updated_at
    return seen is None or reported is None or seen >= reported
