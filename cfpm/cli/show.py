"""`show`: whatever an id names that a block, a brief or a stub cites: a fact, a message, a candidate, a result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cfpm.cli import documents
from cfpm.cli.options import Common
from cfpm.cli.output import one_line
from cfpm.cli.parser import Argument, Option
from cfpm.cli.story import tell
from cfpm.errors import NotFoundError
from cfpm.model.clock import to_text

if TYPE_CHECKING:
    from cfpm.context.artifacts import Artifact
    from cfpm.memory import Memory
    from cfpm.model import Fact, LoggedMessage

Shown = tuple[dict[str, object], str]
"""The JSON document of something and what people are shown."""


def show(
    ident: Annotated[
        str,
        Argument(metavar="ID", help="Such as fact_123456789 or #412 in a block, msg_7670d680, or a host's own id."),
    ],
    *,
    session: Annotated[str | None, Option("--session", metavar="S", help="Whose message, if several have it.")] = None,
    artifacts: Annotated[
        Path | None, Option("--artifacts", metavar="DIR", help="The folder with results that were offloaded.")
    ] = None,
    common: Common,
) -> None:
    """Open what an id names, whole: a fact with what it was learnt from, a message, a stored result."""
    if artifacts is not None:
        from cfpm.context.artifacts import Artifacts

        stored = Artifacts(artifacts).resolve(ident)
        if stored is not None:
            common.answer(*_artifact(stored))
            return
    with common.to_read() as memory:
        document, text = opened(memory, ident, session)
    common.answer(document, text)


def opened(memory: Memory, ident: str, session: str | None = None) -> Shown:
    """What an id names. Raises NotFoundError."""
    for find in (_fact, _candidate, _message):
        try:
            return find(memory, ident, session)
        except NotFoundError:
            continue
    from cfpm.secrets import redact

    raise NotFoundError(
        f"Nothing here is called {one_line(redact(ident).text)}: no fact, message or candidate of namespace"
        f" {memory.scope.namespace}. A stored result needs --artifacts DIR"
    )


def _fact(memory: Memory, ident: str, session: str | None) -> Shown:
    del session
    fact = memory.fact(ident)
    try:
        said = memory.message(fact.message_id, session=fact.session) if fact.message_id else None
    except NotFoundError:
        said = None
    lines = [f"{fact.id} ({fact.category.value}, {fact.status.value}): {one_line(fact.attributed)}", *_places(fact)]
    if said is not None:
        lines += ["", *_lines(said)]
    document: dict[str, object] = {
        "kind": "fact",
        "fact": documents.fact(fact),
        "message": None if said is None else documents.message(said),
    }
    return document, "\n".join(lines)


def _places(fact: Fact) -> list[str]:
    told = [f"confidence {fact.confidence:.2f}", f"evidence {fact.evidence_count}", f"source {fact.source.value}"]
    more = [f"said {to_text(fact.created_at)}"] if fact.created_at else []
    return [", ".join([*told, *more, *([f"agent {fact.agent}"] if fact.agent else [])])]


def _candidate(memory: Memory, ident: str, session: str | None) -> Shown:
    del session
    if not ident.startswith("cand_"):
        raise NotFoundError("No candidate")
    explanation = memory.explain(ident)
    story = tell(explanation)
    return {"kind": "candidate", **documents.explanation(explanation, story)}, "\n".join(story)


def _message(memory: Memory, ident: str, session: str | None) -> Shown:
    from cfpm.admin.inspection import learnt_from

    logged = memory.message(ident, session=session)
    facts = learnt_from(memory.store, logged)
    lines = _lines(logged)
    if facts:
        lines += ["", "learnt from it:"]
        lines += [
            f"- {fact.id} ({fact.category.value}, {fact.status.value}): {one_line(fact.content)}" for fact in facts
        ]
    document: dict[str, object] = {
        "kind": "message",
        "message": documents.message(logged),
        "facts": [documents.fact(fact) for fact in facts],
    }
    return document, "\n".join(lines)


def _lines(logged: LoggedMessage) -> list[str]:
    message = logged.message
    who = f"{message.role.value} {message.name}" if message.name else message.role.value
    at = f", {to_text(message.created_at)}" if message.created_at else ""
    lines = [f"{message.id}, session {logged.session}, turn {logged.turn + 1}, {who}{at}:"]
    lines += message.text.splitlines()
    lines += [f"called {call.name}: {one_line(str(dict(call.arguments)))}" for call in message.tool_calls]
    if logged.cut:
        lines.append(f"({logged.cut} characters were not kept)")
    return lines


def _artifact(stored: Artifact) -> Shown:
    document = {"kind": "artifact", **documents.fields(stored, "id tool hint content")}
    return document, f"{stored.id}: {one_line(stored.hint or stored.tool)}\n{stored.content}"
