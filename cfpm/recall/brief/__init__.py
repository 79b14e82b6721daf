"""What a session should begin with: rules, what is known, commands that work, places, pitfalls, the last sessions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cfpm.auditor.path_rules import stored_problem
from cfpm.extractor.tool_output import gives_orders
from cfpm.model import Category, Status
from cfpm.recall.brief.checking import Checked, check
from cfpm.recall.brief.lines import KINDS, Writer, moved_up
from cfpm.recall.brief.packing import Brief, BriefLine, Section, packed
from cfpm.recall.brief.records import Records
from cfpm.recall.running import InPrompt
from cfpm.recall.tokens import estimated

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from cfpm.model import Fact
    from cfpm.recall.tokens import Count
    from cfpm.store.store import Store

__all__ = ["Brief", "BriefLine", "Section", "brief"]

OF_A_KIND = 300
"""Facts of a kind that are looked at, the newest."""

DEEDS = 5_000
"""Deeds that are looked at, the newest: of some 60 sessions; what is older counts less than a hundredth."""

SESSIONS = 6
"""Sessions of which a line may tell."""


def brief(
    store: Store,
    namespaces: Sequence[str],
    query: str = "",
    *,
    max_tokens: int = 1200,
    count: Count = estimated,
    root: str = "",
    running: str = "",
    exclude: Collection[str] = (),
    agent: str | None = None,
) -> Brief:
    """The brief of at most `max_tokens` by `count`; what is near the query moves up within its section.

    `root` is the folder of the project, from which paths are told, and in which what is told is looked for (see
    `checking`); without it, paths are told from the folder that most files share. Artifacts of the first namespace
    that are not there any more are in `Brief.gone`.
    `running` is a session whose facts and deeds are left out, `exclude` are ids of facts and messages that the prompt
    holds already. With `agent` only what was observed under that name, or under none.
    """
    held = frozenset(exclude)
    admits = InPrompt(frozenset(), "", (), agent).admits
    deeds = [
        deed
        for deed in store.deeds.recent(namespaces, DEEDS)
        if (not running or deed.session != running) and admits(deed.agent)
    ]
    records = Records.of(deeds, root)
    facts = [
        fact
        for fact in _facts(store, namespaces)
        if not (running and fact.session == running) and fact.id not in held and fact.message_id not in held
        if admits(fact.agent) and stored_problem(fact.category, fact.content, fact.role, fact.topic) is None
    ]
    records.tell(facts)
    known = [fact for fact in facts if fact.category in KINDS]
    checked = check(store, namespaces[0], root, records, known) if root and namespaces else Checked()
    turns = {one.turn for one in records.files.values()} | {one.turn for one in records.commands.values()}
    turns |= {one.turn for one in records.sessions} | {one.turn for one in records.failures}
    now = max((moment for name in namespaces if (moment := store.log.newest(name))), default=None)
    writer = Writer(records, now, store.log.ids(turns), checked.remarks)
    offers = writer.facts(known)
    offers[Section.COMMANDS] = writer.commands()
    offers[Section.PLACES] = writer.places()
    offers.setdefault(Section.PITFALLS, []).extend(writer.pitfalls())
    offers[Section.SESSIONS] = writer.sessions(store.log.first_said, SESSIONS)
    for section in (Section.COMMANDS, Section.PLACES, Section.PITFALLS, Section.SESSIONS):
        offers[section] = [one for one in offers[section] if _may_be_told(store, namespaces, one.line.text)]
    if held:
        offers = {section: [one for one in told if one.line.id not in held] for section, told in offers.items()}
    offers = {section: moved_up(told, query) for section, told in offers.items()}
    return replace(packed(offers, max_tokens, count), gone=checked.gone)


def _facts(store: Store, namespaces: Sequence[str]) -> list[Fact]:
    return [
        fact
        for category in (*KINDS, Category.VERIFIED_ACTION)
        for fact in store.facts.find(namespaces, category=category, status=Status.ACTIVE, limit=OF_A_KIND)
    ]


def _may_be_told(store: Store, namespaces: Sequence[str], text: str) -> bool:
    """Deeds are told as they were logged, and were not audited: no orders, and nothing of what was forgotten."""
    return not gives_orders(text) and not any(store.tombstones.hides(name, text) for name in namespaces)
