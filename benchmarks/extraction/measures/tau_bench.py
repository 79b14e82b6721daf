"""tau-bench: a customer-service agent with tools. A result that begins with `Error` must never be a verified action."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchmarks.extraction.conversation import Extractor
from benchmarks.extraction.measures.agent_logs import VERIFIED, by_id, cited, conversations, of_category, share, shown
from benchmarks.extraction.result import Example, Result, Row
from cfpm.model import Role

SET = "tau-bench"
ERROR = "Error"


def measure(data: Path, extractor: Extractor) -> Result | None:
    """A claim of the agent counts as resting on an error when the last result before it is one."""
    paths = sorted((data / "transcripts" / "tau_bench" / "historical_trajectories").glob("*.json"))
    counts: Counter[str] = Counter()
    examples: list[Example] = []
    for path in paths:
        for conversation in conversations(path):
            messages = by_id(conversation)
            errors = {m.id for m in conversation.messages if m.role is Role.TOOL and m.text.startswith(ERROR)}
            last = _last_results([(m.id, m.role) for m in conversation.messages])
            counts["errors"] += len(errors)
            recorded: set[str] = set()
            for item in of_category(extractor(conversation), VERIFIED):
                results = [m.id for m in cited(item, messages, Role.TOOL)]
                rests_on = set(results or [last.get(source, "") for source in item.sources])
                counts["verified"] += 1
                if wrong := rests_on & errors:
                    recorded |= wrong
                    counts["wrong"] += 1
                    examples.append(Example(SET, "junk", shown(item.text), "rests on an error", conversation.session))
            counts["recorded"] += len(recorded)
    return Result(_rows(counts), tuple(examples)) if paths else None


def _last_results(messages: list[tuple[str, Role]]) -> dict[str, str]:
    """For every message the tool result that stands last before it."""
    last, found = "", {}
    for identity, role in messages:
        found[identity] = last
        if role is Role.TOOL:
            last = identity
    return found


def _rows(n: Counter[str]) -> tuple[Row, ...]:
    return (
        Row(SET, "errors recorded as verified", share(n["recorded"], n["errors"]), n["errors"], 0.01, at_least=False),
        Row(
            SET,
            "verified actions that rest on an error",
            share(n["wrong"], n["verified"]) or 0.0,
            n["verified"],
            0.01,
            at_least=False,
        ),
    )
