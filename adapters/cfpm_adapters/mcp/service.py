"""What the tools do, on one memory: asks it, and answers in the types of `answers`. Knows no protocol."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cfpm.errors import NotFoundError, UsageError
from cfpm.model import Category, Decision, Role, Source
from cfpm.model.clock import to_text
from cfpm.model.trust import Trust, TrustTable
from cfpm.recall.tokens import estimated
from cfpm_adapters.framing import framed
from cfpm_adapters.mcp import agent_drafts
from cfpm_adapters.mcp.answers import (
    Briefed,
    Compacted,
    Forgotten,
    Opened,
    Recalled,
    RecalledItem,
    Remembered,
    Story,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.memory import Memory
    from cfpm.model import Candidate, Fact, LoggedMessage

OF_STRANGERS = frozenset({"instruction_from_tool", "untrusted_source"})
"""Reasons whose words are not shown to an agent: what was refused as an order would reach it all the same."""

WITHHELD = "(withheld: `cfpm audit explain ID` shows it to the user)"

LONGEST_LINE = 3_500
"""Characters of a line of an opened text; a longer one is told in several."""


def recall(
    memory: Memory, query: str, *, namespaces: Sequence[str], max_tokens: int, exclude: Sequence[str] = ()
) -> Recalled:
    """What memory knows on a question, within the tokens."""
    found = memory.recall(query, max_tokens=max_tokens, namespaces=namespaces, exclude=exclude)
    shown = set(found.fact_ids)
    items = [
        RecalledItem(id=item.id, kind=item.kind, session=item.session, score=round(item.score, 4))
        for item in found.items
        if item.kind != "fact" or item.id in shown
    ]
    return Recalled(block=found.block, items=items, abstain=found.abstain)


def brief(
    memory: Memory,
    *,
    query: str,
    namespaces: Sequence[str],
    max_tokens: int,
    session: str | None = None,
    root: Path | None = None,
) -> Briefed:
    """What a session should begin with, within the tokens."""
    found = memory.brief(query or None, max_tokens=max_tokens, session=session, root=root, namespaces=namespaces)
    return Briefed(block=found.text, tokens=found.tokens)


def remember(memory: Memory, text: str, *, category: str, session: str) -> Remembered:
    """The auditor's verdict on what the agent wants to keep. Raises InputError."""
    return agent_drafts.remember(memory, text, Category(category), session)


def forget(memory: Memory, fact_id: str) -> Forgotten:
    """Forgets what was learnt. Raises NotFoundError, and UsageError for what the user pinned or wrote by hand."""
    fact = memory.fact(fact_id)
    if fact.pinned or fact.source is Source.USER:
        how = "pinned" if fact.pinned else "written by the user"
        raise UsageError(fact.id, f"it is {how}", f"The user can forget it: cfpm forget {fact.id}")
    gone = memory.forget(fact.id)
    return Forgotten(id=gone.id, category=gone.category.value, status=gone.status.value)


def why(memory: Memory, name: str, *, decision: str | None, limit: int) -> Story:
    """The story of one candidate, fact or message, or without an id the newest verdicts. Raises NotFoundError."""
    if not name:
        return Story(verdicts=[_verdict(row) for row in memory.candidates(decision=decision, limit=limit)])
    told = memory.explain(name)
    quoted = "" if told.candidate.reason in OF_STRANGERS else framed(told.quoted, _AMPLE) or ""
    return Story(
        verdicts=[_verdict(told.candidate)],
        meaning=told.reason.sentence,
        quoted=quoted,
        tool=told.tool,
        trust=told.trust,
        history=[f"{to_text(event.at) or 'undated'} {event.action.value} ({event.cause})" for event in told.history],
    )


def open_(memory: Memory, name: str, *, artifacts: Path | None, first_line: int, max_tokens: int) -> Opened:
    """A fact, a message or an artifact by its id, as a recalled block shows it.

    Raises NotFoundError, and UsageError for the text of a tool that the settings do not trust.
    """
    kind, about, text = _found(memory, name, artifacts)
    lines = [line[at : at + LONGEST_LINE] for line in text.split("\n") for at in range(0, len(line) or 1, LONGEST_LINE)]
    first = max(first_line, 1) - 1
    last, left = first, max_tokens - _FRAME
    while last < len(lines) and (last == first or left >= estimated(lines[last]) + 1):
        left -= estimated(lines[last]) + 1
        last += 1
    block = framed("\n".join(lines[first:last]), max(max_tokens, _AMPLE)) or ""
    more = last + 1 if last < len(lines) else None
    return Opened(id=name, kind=kind, about=about, block=block, lines=len(lines), next_line=more)


def compact_conversation(memory: Memory, *, session: str, focus: str, max_tokens: int) -> Compacted:
    """A checkpoint of what the log has of a session. Raises NotFoundError for a session that nobody observed."""
    from cfpm.context.sessions import as_dicts
    from cfpm.context.strategies.types import Limits
    from cfpm.pipeline.redaction import session_without_secrets

    place = session_without_secrets(session)
    rows = memory.store.log.messages(memory.scope.namespace, session=place)
    if not rows:
        raise NotFoundError(
            f"Nothing was observed of session {place}. Give the session's id, and let the host's hooks or `cfpm"
            " observe` take the session in first"
        )
    # All of it goes into the checkpoint: what the host keeps beside it is the host's to say.
    limits = Limits(max_tokens, keep_first=0, keep_last=0, manual=True, focus=focus)
    done = memory.compact(as_dicts(row.message for row in rows), limits, session=session, observe=False)
    return Compacted(
        checkpoint=done.checkpoint if done.changed else "",
        before_tokens=done.before_tokens,
        after_tokens=done.after_tokens,
        messages=len(rows),
        problem=done.problem,
    )


_AMPLE = 64_000
_FRAME = estimated(framed("x", _AMPLE) or "")


def _found(
    memory: Memory, name: str, artifacts: Path | None
) -> tuple[Literal["fact", "message", "artifact"], str, str]:
    namespace = memory.scope.namespace
    if (fact := memory.store.facts.get(namespace, name)) is not None:
        return "fact", _of_fact(fact), fact.content
    if (row := memory.store.log.get(namespace, name)) is not None:
        return "message", _of_message(memory, row), row.message.text
    if artifacts is not None and (kept := memory.artifacts(artifacts).resolve(name)) is not None:
        return "artifact", " ".join(filter(None, ("from tool", kept.tool, kept.hint))), kept.content
    raise NotFoundError(f"Nothing has the id {name} in namespace {namespace}. Use an id of a recalled block or brief")


def _of_fact(fact: Fact) -> str:
    said = {Role.USER: "from the user", Role.ASSISTANT: "from an agent", Role.TOOL: "from a tool"}
    parts = (
        fact.category.value,
        fact.status.value,
        said.get(fact.role, f"from {fact.role.value}"),
        f"session {fact.session}" if fact.session else "",
        f"message {fact.message_id}" if fact.message_id else "",
        f"superseded by {fact.superseded_by}" if fact.superseded_by else "",
        "pinned" if fact.pinned else "",
        to_text(fact.created_at) or "",
    )
    return ", ".join(filter(None, parts))


def _of_message(memory: Memory, row: LoggedMessage) -> str:
    message = row.message
    source = message.name
    if message.role is Role.TOOL and message.tool_result is not None:
        from cfpm.model.messages import tool_name

        calls = memory.store.log.calls(row.namespace, row.session, [message.tool_result.call_id])
        tool = tool_name(message, calls)
        trust = TrustTable.of(memory.settings.trust).of_tool(tool)
        if trust is Trust.UNTRUSTED:
            raise UsageError(message.id, f"the settings do not trust {tool}", "The user can read it in the log")
        source = f"{tool}, trust {trust.value}".strip(", ")
    who = f"{message.role.value} ({source})" if source else message.role.value
    cut = f"{row.cut} characters were left out of the log" if row.cut else ""
    parts = (who, f"session {row.session}", f"turn {row.turn}", to_text(message.created_at) or "", cut)
    return ", ".join(filter(None, parts))


def _verdict(row: Candidate) -> Verdict:
    return Verdict(
        candidate_id=row.id,
        decision=row.decision.value,
        reason=row.reason,
        category=row.category.value,
        content=WITHHELD if row.reason in OF_STRANGERS else _plain(row.content),
        session=row.session,
        fact_id=row.fact_id if row.decision is not Decision.REJECTED else "",
        at=to_text(row.created_at) or "",
    )


def _plain(text: str) -> str:
    """One line that can neither open nor close a block."""
    from cfpm.recall.block import MAX_FACT_LINE, safe

    return safe(text, MAX_FACT_LINE)
