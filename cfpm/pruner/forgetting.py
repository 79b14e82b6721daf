"""What forgetting changes in facts: a tombstone, which contradicts nothing; and which facts a user means. No store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from cfpm.model import PATH_CATEGORIES, Action, Fact, FactChange, Status
from cfpm.pruner.retention import later
from cfpm.text.canonical import same_speaker
from cfpm.text.gist import gist, said_in


def buried(fact: Fact, named: Mapping[str, Fact], cause: str, at: datetime | None) -> list[FactChange]:
    """The tombstone of a fact as the last change; before it, those facts among `named` that contradicted it."""
    changes = []
    for name in sorted(set(fact.contradicts.split()) & named.keys()):
        other = named[name]
        kept = " ".join(one for one in other.contradicts.split() if one != fact.id)
        if kept != other.contradicts:
            changes.append(FactChange(other, replace(other, contradicts=kept), Action.EDIT, cause, at))
    tomb = replace(fact, status=Status.FORGOTTEN, pinned=False, valid_to=at, contradicts="")
    tomb = replace(tomb, updated_at=later(fact.updated_at, at))
    if tomb != fact:
        changes.append(FactChange(fact, tomb, Action.FORGET, cause, at))
    return changes


def saying(statement: str, facts: Iterable[Fact], *, speaker: str = "") -> list[Fact]:
    """Those that say what a statement says, in nearly the same words; not what another person says, and no path."""
    told = gist(statement)
    return [fact for fact in _in_words(facts, speaker) if said_in(fact.content, told)]


def meant(statement: str, facts: Iterable[Fact]) -> list[Fact]:
    """Those that a user means who asks to forget that something is so: the statement says them, or they say it."""
    told = gist(statement)
    return [f for f in _in_words(facts, "") if said_in(f.content, told) or said_in(statement, gist(f.content))]


def all_about(thing: str, facts: Iterable[Fact]) -> list[Fact]:
    """Those in which every content word of a thing stands."""
    words = gist(thing).words.keys()
    return [fact for fact in _in_words(facts, "") if words <= gist(fact.content).words.keys()] if words else []


def _in_words(facts: Iterable[Fact], speaker: str) -> Iterable[Fact]:
    return (
        fact
        for fact in facts
        if fact.status is not Status.FORGOTTEN
        and fact.category not in PATH_CATEGORIES
        and (not speaker or not fact.speaker or same_speaker(fact.speaker, speaker))
    )
