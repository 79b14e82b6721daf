"""Real coding sessions: files changed, actions that a program reported as done, and the goal of each session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.extraction.conversation import Conversation, Extractor, Prediction
from benchmarks.extraction.measures.agent_logs import (
    VERIFIED,
    by_id,
    cited,
    conversations,
    edits,
    folded,
    of_category,
    share,
    shown,
)
from benchmarks.extraction.measures.specstory_gold import Reported, failed, first_request, reports, reports_success
from benchmarks.extraction.result import Example, Result, Row
from cfpm.model import Message, Origin, Role

SET = "SpecStory"
GOALS = ("goal", "instruction")


@dataclass(slots=True)
class _Counts:
    numbers: Counter[str] = field(default_factory=Counter)
    examples: list[Example] = field(default_factory=list)

    def note(self, kind: str, text: str, why: str, source: str) -> None:
        self.examples.append(Example(SET, kind, shown(text), why, source))


def measure(data: Path, extractor: Extractor) -> Result | None:
    """Gold is a second reading of the files (`specstory_gold`); the extractor gets what the memory's reader reads."""
    counts = _Counts()
    files = sorted((data / "transcripts" / "specstory_claude_code").glob("*.md"))
    for path in files:
        reported = list(reports(path))
        for conversation in conversations(path):
            predicted = extractor(conversation)
            paths(conversation, predicted, reported, counts)
            actions(conversation, predicted, reported, counts)
            goal(conversation, predicted, first_request(path), counts)
    return Result(_rows(counts.numbers), tuple(counts.examples)) if files else None


def paths(conversation: Conversation, predicted: Sequence[Prediction], reported: list[Reported], to: _Counts) -> None:
    """Files of successful edits and writes of this session against the artifacts.

    A file that was seen before it was edited is one artifact, so recall asks all artifacts, and precision those that
    cite the answer of an editor. Other artifacts, such as a path that somebody mentioned, are right in a way that this
    set cannot judge; a row without a goal counts them too.
    """
    gold = {report.changed for report in reported if report.changed}
    answers = edits(conversation)
    artifacts = of_category(predicted, "artifact")
    edited = {item.text for item in artifacts if answers.intersection(item.sources)}
    everything = {item.text for item in artifacts}
    numbers = to.numbers
    numbers["paths"] += len(gold)
    numbers["paths edited"] += len(edited)
    numbers["paths edited right"] += len(edited & gold)
    numbers["paths any"] += len(everything)
    numbers["paths any right"] += len(everything & gold)
    for path in sorted(gold - everything):
        to.note("miss", path, "changed, and no artifact", conversation.session)
    for path in sorted(edited - gold):
        to.note("junk", path, "an artifact of an editor that reports no such change", conversation.session)


def actions(conversation: Conversation, predicted: Sequence[Prediction], reported: list[Reported], to: _Counts) -> None:
    """Tool results that report a native success against verified actions, which may be claims of the agent.

    A result is found when a verified action cites it, or names what it reports: what succeeds twice is one fact.
    """
    verified = of_category(predicted, VERIFIED)
    messages = by_id(conversation)
    sources = {source for item in verified for source in item.sources}
    said = [folded(item.text) for item in verified]
    texts: dict[str, list[str]] = {}
    for message in conversation.messages:
        if message.role is Role.TOOL:
            texts.setdefault(folded(message.text), []).append(message.id)
    for report in reported:
        text = folded(report.output)
        ids = texts.get(text, ())
        if report.successes:
            to.numbers["successes"] += 1
            named = any(success in line for success in report.successes for line in said)
            found = named or bool(sources.intersection(ids))
            to.numbers["successes found"] += bool(ids) and found
            if not (ids and found):
                to.note("miss", text, "reported as done, not verified", conversation.session)
        elif report.failed:
            to.numbers["failures"] += 1
            to.numbers["failures verified"] += bool(sources.intersection(ids))
    for item in verified:
        _judge(item, conversation, messages, to)


def _judge(item: Prediction, conversation: Conversation, messages: dict[str, Message], to: _Counts) -> None:
    results = cited(item, messages, Role.TOOL)
    kind = "reported" if results else "claimed"
    to.numbers[kind] += 1
    if any(failed(message.text) for message in results):
        to.numbers["verified from failed"] += 1
        to.note("junk", item.text, "verified by a result that failed", f"{conversation.session}#{item.sources[0]}")
    elif (results and any(reports_success(message.text) for message in results)) or (
        not results and _succeeded_before(item, conversation)
    ):
        to.numbers[f"{kind} right"] += 1
    else:
        why = "the result reports no success" if results else "claimed, and no success stands before it in the turn"
        to.note("junk", item.text, why, f"{conversation.session}#{item.sources[0] if item.sources else ''}")


def _succeeded_before(item: Prediction, conversation: Conversation) -> bool:
    """Whether the turn in which something is claimed holds a native success before the claim."""
    success = False
    for message in conversation.messages:
        if message.id in item.sources:
            return success
        if message.role is Role.USER and message.origin is Origin.SAID:
            success = False
        elif message.role is Role.TOOL:
            success = success or reports_success(message.text)
    return False


def goal(conversation: Conversation, predicted: Sequence[Prediction], request: str, to: _Counts) -> None:
    """The first message of the user that is no notice must be cited by a goal or an instruction."""
    if not request:
        return
    to.numbers["sessions"] += 1
    sources = {source for item in of_category(predicted, *GOALS) for source in item.sources}
    if sources.intersection(_asking(conversation, request)):
        to.numbers["sessions with goal"] += 1
    else:
        to.note("miss", request, "the session's first request is no goal", conversation.session)


def _asking(conversation: Conversation, request: str) -> set[str]:
    """The message of the request and those of the user that follow before anybody answers: the reader may split one
    message, where a host's text stands beside what was said."""
    asked: set[str] = set()
    for message in conversation.messages:
        if message.role is Role.USER:
            text = folded(message.text)
            if asked or (text and (text in request or request in text)):
                asked.add(message.id)
        elif asked:
            break
    return asked


def _rows(n: Counter[str]) -> tuple[Row, ...]:
    verified, right = n["reported"] + n["claimed"], n["reported right"] + n["claimed right"]
    return (
        Row(
            SET,
            "key paths, precision (artifacts of edits and writes)",
            share(n["paths edited right"], n["paths edited"]),
            n["paths edited"],
            0.99,
        ),
        Row(SET, "key paths, recall", share(n["paths any right"], n["paths"]), n["paths"], 0.99),
        Row(SET, "key paths, precision (all artifacts)", share(n["paths any right"], n["paths any"]), n["paths any"]),
        Row(SET, "verified actions, precision", share(right, verified), verified, 0.99),
        Row(
            SET,
            "verified actions, recall of native successes",
            share(n["successes found"], n["successes"]),
            n["successes"],
            0.95,
        ),
        Row(
            SET,
            "verified actions that a program reported, precision",
            share(n["reported right"], n["reported"]),
            n["reported"],
        ),
        Row(
            SET,
            "verified actions that the agent claims, precision",
            share(n["claimed right"], n["claimed"]),
            n["claimed"],
        ),
        Row(
            SET,
            "verified actions that rest on a failed result",
            share(n["verified from failed"], verified),
            verified,
            0.01,
            at_least=False,
        ),
        Row(
            SET,
            "failed results recorded as verified",
            share(n["failures verified"], n["failures"]),
            n["failures"],
            0.01,
            at_least=False,
        ),
        Row(SET, "sessions with their goal", share(n["sessions with goal"], n["sessions"]), n["sessions"], 0.97),
    )
