"""The whole story of one candidate in plain words: said, found, judged, compared, since then, and how to reverse it."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from cfpm.cli.facts import changes
from cfpm.cli.output import one_line
from cfpm.model import UNRATED, Decision, Mark, Origin, Role
from cfpm.model.clock import to_text

if TYPE_CHECKING:
    from cfpm.admin.report import Explanation
    from cfpm.model import Candidate, Event, Fact

_SPEAKER = {
    Role.USER: "the user",
    Role.ASSISTANT: "the assistant",
    Role.TOOL: "a tool",
    Role.SYSTEM: "the system prompt",
}
_ORIGIN = {
    Origin.SAID: "",
    Origin.SYSTEM_PROMPT: ", in a system prompt",
    Origin.BOOT_FILE: ", in a file that the host loads at the start",
    Origin.THINKING: ", while thinking aloud",
    Origin.HOST_NOTICE: ", in a notice that the host wrote in that name",
    Origin.MEMORY_BLOCK: ", in a block that this memory had recalled",
    Origin.REWOUND: ", in a turn that was taken back since",
}
_MARKS = {
    Mark.NEGATED: "it is negated",
    Mark.HYPOTHETICAL: "it is hypothetical or conditional",
    Mark.JEST: "it is said in jest",
    Mark.HEARSAY: "it is somebody else's word",
    Mark.QUESTION: "it is a question",
    Mark.QUOTED: "it stands in a quotation, code or a file that was only read",
    Mark.TRANSIENT: "it holds for the moment only",
    Mark.FROM_TOOL_ORDER: "it is an order in the output of a tool",
    Mark.UNTRUSTED: "its tool or speaker is not trusted to say this",
    Mark.CONTRADICTED: "the evidence of the same turn says the opposite",
    Mark.UNCONFIRMED: "it claims success without evidence",
    Mark.LOG_LINE: "it is a line of a log",
    Mark.ERROR_LINE: "it is an error message",
    Mark.PASSING: "by its words it is of the moment",
    Mark.LOW_SALIENCE: "it is worth less than its tokens by the salience weights",
    Mark.ERASED: "its words were erased",
}


def tell(explanation: Explanation) -> list[str]:
    """The lines of the story, in order. Text from the memory is kept on one line each."""
    candidate = explanation.candidate
    parts = [
        f"{candidate.id}: {candidate.decision.value}, {candidate.reason}",
        *_said(explanation),
        *_found(candidate),
        *_judged(explanation),
        *_since(explanation),
        _reversal(candidate),
    ]
    return [part for part in parts if part]


def _said(explanation: Explanation) -> list[str]:
    candidate, logged = explanation.candidate, explanation.message
    place = f"session {candidate.session}, turn {candidate.turn}"
    span = f"characters {candidate.span.start} to {candidate.span.end}"
    if logged is None:
        return [f"Said: by {_SPEAKER[candidate.role]} ({place}). The message itself is no longer in the log."]
    when = to_text(logged.message.created_at)
    who = _SPEAKER[logged.message.role] + (f" {logged.message.name}" if logged.message.name else "")
    if explanation.tool:
        who += f" {one_line(explanation.tool)}"
    if explanation.trust:
        who += f", trusted as {explanation.trust}"
    lines = [
        f"Said: by {who}{_ORIGIN[logged.message.origin]} ({place}, message {logged.message.id}, {span})"
        + (f", at {when}" if when else ""),
        f'  "{one_line(explanation.quoted)}"',
    ]
    if candidate.line and one_line(candidate.line) != one_line(explanation.quoted):
        lines.append(f'  in: "{one_line(candidate.line)}"')
    return lines


def _found(candidate: Candidate) -> list[str]:
    rule = f"the extractor rule {candidate.extractor}, confidence {candidate.confidence:.2f}"
    lines = [f"Found: as {candidate.category.value} by {rule}: {one_line(candidate.content)}"]
    if candidate.marks:
        lines.append("  marked: " + "; ".join(_MARKS.get(Mark(mark), mark) for mark in candidate.marks))
    if candidate.validation_command:
        lines.append(f"  evidence: the output of `{one_line(candidate.validation_command)}`")
    if candidate.event_time:
        lines.append(f"  happened: {to_text(candidate.event_time)}")
    return [*lines, *_salience(candidate)]


def _salience(candidate: Candidate) -> list[str]:
    """How much it is worth its tokens and what each feature added, largest first; nothing for what was not rated."""
    if not candidate.shares and candidate.salience == UNRATED:
        return []
    width = max((len(one_line(feature)) for feature, _ in candidate.shares), default=0)
    rows = [f"    {one_line(feature):<{width}}  {share:+.2f}" for feature, share in candidate.shares]
    return [f"  salience: {candidate.salience:.2f} of 1" + (", from these shares:" if rows else ""), *rows]


def _judged(explanation: Explanation) -> list[str]:
    candidate, reason = explanation.candidate, explanation.reason
    lines = [f"Judged: {candidate.decision.value} by the rule {candidate.rule}. {reason.sentence}"]
    if candidate.detail:
        lines.append(f"  in detail: {one_line(candidate.detail)}")
    if explanation.compared_with is not None:
        lines.append(f"  compared with: {_fact(explanation.compared_with)}")
    if candidate.reviewed:
        lines.append("  A user reversed the first verdict; no later observation changes it.")
    return lines


def _since(explanation: Explanation) -> list[str]:
    if explanation.fact is None:
        return ["Since then: no fact came of it."]
    return [f"Since then: {_fact(explanation.fact)}", *(f"  {_event(event)}" for event in explanation.history)]


def _fact(fact: Fact) -> str:
    pinned = ", pinned" if fact.pinned else ""
    return f"{fact.id} ({fact.category.value}, {fact.status.value}{pinned}): {one_line(fact.attributed)}"


def _event(event: Event) -> str:
    when = f" at {to_text(event.at)}" if event.at else ""
    changed = one_line(changes(event.before, event.after))
    return f"event {event.seq}: {event.action.value} by {event.cause}{when}" + (f" ({changed})" if changed else "")


def _reversal(candidate: Candidate) -> str:
    if Mark.ERASED in candidate.marks:
        return ""
    match candidate.decision:
        case Decision.REJECTED:
            return f"To reverse it: cfpm audit accept {candidate.id}"
        case Decision.ACCEPTED | Decision.MERGED | Decision.SUPERSEDED:
            return f"To reverse it: cfpm audit reject {candidate.id}"
    assert_never(candidate.decision)
