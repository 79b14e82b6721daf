"""Looking into the audit trail: the whole story of one candidate, and counts over all of them. Reads only."""

from __future__ import annotations

from collections import Counter

from cfpm.admin.curation import replaced_by
from cfpm.admin.report import Explanation, Stats
from cfpm.auditor.reasons import REASONS
from cfpm.errors import NotFoundError, UsageError
from cfpm.model import Candidate, Decision, Fact, LoggedMessage, Role, Status
from cfpm.model.messages import tool_name
from cfpm.model.trust import TrustTable, speaks_for_user
from cfpm.secrets import redact
from cfpm.store.store import Store


def decision_named(decision: Decision | str | None, reason: str | None) -> Decision | None:
    """The decision with this name. Raises UsageError for a decision or a reason code that does not exist."""
    if decision is not None and decision not in set(Decision):
        raise UsageError(redact(str(decision)).text, "no such decision", f"Known are {', '.join(Decision)}")
    if reason is not None and reason not in REASONS:
        raise UsageError(redact(reason).text, "no such reason code", "See: cfpm audit reasons")
    return None if decision is None else Decision(decision)


def explain(store: Store, namespace: str, name: str, trust: TrustTable | None = None) -> Explanation:
    """The whole story of one candidate, by its id, or by the id of its fact or message, as a recalled block cites them.

    Of several the last that was accepted. `trust` is the setting of that name. Raises NotFoundError.
    """
    row = store.candidates.get(namespace, name) or _cited(store, namespace, name)
    if row is None:
        shown = redact(name).text
        if store.log.get(namespace, name) is not None:
            raise NotFoundError(f"Nothing was drafted from message {shown}. What it says: cfpm show '{shown}'")
        raise NotFoundError(f"No candidate {shown} in namespace {namespace}. See: cfpm audit")
    message = store.log.get(namespace, row.span.message_id, row.session)
    fact = store.facts.get(namespace, row.fact_id) if row.fact_id else None
    other = replaced_by(store, row)
    if other is None and fact is not None and fact.superseded_by:
        other = store.facts.get(namespace, fact.superseded_by)
    if other is None and fact is not None and fact.contradicts:
        other = store.facts.get(namespace, fact.contradicts.partition(" ")[0])
    return Explanation(
        candidate=row,
        message=message,
        quoted=message.message.text[row.span.start : row.span.end] if message else "",
        reason=REASONS[row.reason],
        fact=None if row.decision is Decision.REJECTED else fact,
        compared_with=fact if row.decision is Decision.REJECTED else other,
        history=tuple(store.events.find(namespace, fact_id=fact.id)) if fact else (),
        **_source(store, message, trust or TrustTable()),
    )


def message(store: Store, namespace: str, name: str, session: str | None = None) -> LoggedMessage:
    """The message with this id, by its whole id or as a block or a brief shows it: `a1`, `msg_7670d680`, `#412`.

    Raises NotFoundError.
    """
    if (found := store.log.get(namespace, name, session)) is None:
        raise NotFoundError(f"No message {redact(name).text} in namespace {namespace}. See: cfpm recall")
    return found


def learnt_from(store: Store, logged: LoggedMessage) -> list[Fact]:
    """The facts that a message made or confirmed."""
    rows = store.candidates.find(logged.namespace, session=logged.session, message_id=logged.message.id)
    return list(store.facts.by_id(logged.namespace, {row.fact_id for row in rows if row.fact_id}).values())


def _source(store: Store, logged: LoggedMessage | None, table: TrustTable) -> dict[str, str]:
    """The tool that returned a message, and how far it or the speaker is trusted."""
    if logged is None:
        return {}
    message, place = logged.message, (logged.namespace, logged.session)
    if message.role is Role.TOOL and message.tool_result:
        tool = tool_name(message, store.log.calls(*place, [message.tool_result.call_id]))
        return {"tool": tool, "trust": table.of_tool(tool)}
    if message.role is Role.USER and (name := store.log.speaker(logged)):
        return {"trust": speaks_for_user(name, store.log.principal(*place), table)}
    return {}


def _cited(store: Store, namespace: str, name: str) -> Candidate | None:
    """The candidate behind a fact or a message of a block."""
    if fact := store.facts.get(namespace, name):
        found = store.candidates.find(namespace, session=fact.session, message_id=fact.message_id)
        own = next((row for row in found if row.fact_id == fact.id), None)
        # What was left of a fact of which a part was replaced comes of that one's candidate.
        return own or next((row for row in found if fact.content.strip(".") in row.content), None)
    message = store.log.get(namespace, name)
    found = store.candidates.find(namespace, session=message.session, message_id=message.message.id) if message else []
    return next((row for row in found if row.decision is not Decision.REJECTED), found[0] if found else None)


def stats(store: Store, namespace: str) -> Stats:
    """Counts by decision, reason, category and status."""
    by_decision: Counter[Decision] = Counter()
    by_reason: Counter[str] = Counter()
    by_category: dict[str, dict[str, int]] = {}
    for (decision, reason, category), count in store.candidates.stats(namespace).items():
        by_decision[decision] += count
        by_reason[reason] += count
        row = by_category.setdefault(category.value, {})
        row[decision.value] = row.get(decision.value, 0) + count
    statuses = store.facts.by_status(namespace)
    return Stats(
        {decision: by_decision[decision] for decision in Decision},
        dict(sorted(by_reason.items())),
        dict(sorted(by_category.items())),
        {status.value: statuses.get(status, 0) for status in Status},
    )
