"""What a session should begin with: rules, what is known, commands that work, places, pitfalls, the last sessions."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from cfpm.auditor.path_rules import stored_problem
from cfpm.extractor.tool_output import gives_orders
from cfpm.model import Category, Status
from cfpm.recall.brief.checking import Checked, check
from cfpm.recall.brief.lines import KINDS, Writer, moved_up
from cfpm.recall.brief.packing import SHARES, SHARES_OF_A_START, Brief, BriefLine, Section, packed
from cfpm.recall.brief.records import Records
from cfpm.recall.brief.reports import Report
from cfpm.recall.brief.surroundings import Surroundings
from cfpm.recall.running import InPrompt
from cfpm.recall.tokens import estimated

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from cfpm.model import Fact
    from cfpm.recall.tokens import Count
    from cfpm.store.store import Store

__all__ = ["Brief", "BriefLine", "Section", "brief"]

OF_A_KIND = 300
"""Facts of a kind that are looked at, the newest, where the budget is small."""

DEEDS = 5_000
"""Deeds that are looked at, the newest: of some 60 sessions; what is older counts less than a hundredth."""

SESSIONS, REPORTS = 6, 12
"""Sessions and reports of agents of which lines may tell, where the budget is small."""

FACTS, A_FACT = 40, 20
"""Facts of a section that are looked up in their messages, where the budget is small; tokens of a larger one for
each."""

A_SESSION, A_REPORT = 400, 40
"""Tokens of a larger budget for each session, and for each report."""

MESSAGES = 8
"""Messages of agents, for each report, among which those that end a turn are looked for."""

_RECORDS = (Section.COMMANDS, Section.PLACES, Section.PITFALLS, Section.SESSIONS)
"""Sections whose records are told together with what was said."""


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
        for fact in _facts(store, namespaces, max(OF_A_KIND, max_tokens // A_FACT))
        if not (running and fact.session == running) and fact.id not in held and fact.message_id not in held
        if admits(fact.agent) and stored_problem(fact.category, fact.content, fact.role, fact.topic) is None
    ]
    reports = [
        one
        for one in _reports(store, namespaces, max(REPORTS, max_tokens // A_REPORT))
        if not (running and one.session == running) and one.message_id not in held and admits(one.agent)
    ]
    records.tell([*(fact.content for fact in facts), *(point.text for one in reports for point in one.points)])
    known = [fact for fact in facts if fact.category in KINDS]
    checked = check(store, namespaces[0], root, records, known) if root and namespaces else Checked()
    turns = {one.turn for one in records.files.values()} | {one.turn for one in records.commands.values()}
    turns |= {one.turn for one in records.sessions} | {one.turn for one in records.failures}
    sessions = max(SESSIONS, max_tokens // A_SESSION)
    now = max((moment for name in namespaces if (moment := store.log.newest(name))), default=None)
    writer = Writer(records, reports, now, store.log.ids(turns), checked.remarks)
    offers = writer.said(known, lambda fact: _around(store, fact), max(FACTS, max_tokens // A_FACT))
    done = (
        writer.commands(),
        writer.places(),
        writer.pitfalls(store.log.texts),
        writer.sessions(store.log.first_said, sessions),
    )
    for section, told in zip(_RECORDS, done, strict=True):
        offers.setdefault(section, []).extend(told)
    kept = {fact.id for fact in known}
    offers = {
        section: [one for one in told if one.line.id in kept or _may_be_told(store, namespaces, one.line.text)]
        for section, told in offers.items()
    }
    if held:
        offers = {section: [one for one in told if one.line.id not in held] for section, told in offers.items()}
    offers = {section: moved_up(told, query) for section, told in offers.items()}
    shares = SHARES if query.strip() else SHARES_OF_A_START
    return replace(packed(offers, max_tokens, count, shares), gone=checked.gone)


def work_log(store: Store, namespace: str, session: str, admits: Callable[[str], bool]) -> list[BriefLine]:
    """What was asked for and done in a session, then in its last requests; nothing where no file was worked on and no
    command run. `admits` says of an agent's name whether what was observed under it may be told."""
    deeds = [one for one in store.deeds.recent([namespace], DEEDS) if one.session == session and admits(one.agent)]
    if not deeds:
        return []
    records = Records.of(deeds)
    reports = [one for one in _reports(store, [namespace], len(deeds), session) if admits(one.agent)]
    ids = store.log.ids(one.turn for one in records.sessions)
    told = Writer(records, reports, store.log.newest(namespace), ids).sessions(store.log.first_said, 1)
    return [one.line for one in told if _may_be_told(store, [namespace], one.line.text)]


def _facts(store: Store, namespaces: Sequence[str], of_a_kind: int) -> list[Fact]:
    return [
        fact
        for category in (*KINDS, Category.VERIFIED_ACTION)
        for fact in store.facts.find(namespaces, category=category, status=Status.ACTIVE, limit=of_a_kind)
    ]


def _reports(store: Store, namespaces: Sequence[str], count: int, session: str = "") -> list[Report]:
    """What agents said at the ends of turns, the newest first; of one session, or of all."""
    said = store.log.last_of_agents(namespaces, count * MESSAGES, session) if namespaces else ()
    found = []
    for one in islice(said, count):
        begins, asked = store.log.asked(one.namespace, one.session, one.turn)
        # Of a request some sentences are told, and a cut one may not be known again.
        asked = "" if store.tombstones.hides(one.namespace, asked) else asked
        found.append(Report(*one[:4], one.agent, one.at, one.text, begins, asked))
    return found


def _around(store: Store, fact: Fact) -> Surroundings:
    """What stands around a fact in its message."""
    message = store.log.get(fact.namespace, fact.message_id, fact.session) if fact.message_id else None
    if message is None or fact.span_start is None or fact.span_end is None:
        return Surroundings()
    text = message.message.text
    return Surroundings(text[: fact.span_start], text[fact.span_end :])


def _may_be_told(store: Store, namespaces: Sequence[str], text: str) -> bool:
    """Deeds and reports are told as they were logged, and were not audited: no orders, nothing that was forgotten."""
    return not gives_orders(text) and not any(store.tombstones.hides(name, text) for name in namespaces)
