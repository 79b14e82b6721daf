"""Observe two turns, see what was believed and what was not, and get a block for the next prompt."""

from __future__ import annotations

from cfpm import Decision, Memory

MESSAGES = [
    {"role": "user", "content": "The goal is to release version 2. Always run the tests with `make test`."},
    {
        "role": "assistant",
        "content": "I have not fixed the login bug yet. If we had fixed the cache, it would be faster.",
    },
    {"role": "user", "content": "I prefer short commit messages. Should we drop Python 3.10?"},
]

if __name__ == "__main__":
    with Memory.open("sqlite://", namespace="project:shop") as memory:
        report = memory.observe(MESSAGES, session="monday")
        print(f"{report.accepted} accepted, {report.rejected} rejected: {report.rejected_by_reason}")
        for fact in memory.facts():
            print(f"believed: {fact.category}: {fact.content}")
        for candidate in memory.candidates(decision=Decision.REJECTED):
            print(f"not believed: {candidate.content} ({candidate.reason})")
        print(memory.recall("how do I run the tests?", max_tokens=400).block)
