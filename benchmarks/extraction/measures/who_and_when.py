"""Who&When: agent teams that failed, every one. That the task is solved must never be remembered as verified."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from benchmarks.extraction.conversation import Extractor
from benchmarks.extraction.measures.agent_logs import VERIFIED, conversations, of_category, share, shown
from benchmarks.extraction.result import Example, Result, Row

SET = "Who&When"

SOLVED = re.compile(
    r"\b(?:solved|resolved|correct(?:ly)?|verif\w+|confirm\w*|complet\w+|accurate\w*|successful\w*|conclu\w+|"
    r"final|answer|solution|result|task|found|determin\w+|identif\w+|calculat\w+|validat\w+)\b",
    re.IGNORECASE,
)
"""Words by which an agent claims that it has, or has checked, the answer. Wide on purpose: in these logs all of it is
wrong, and what is verified here should be no more than what a program did."""


def measure(data: Path, extractor: Extractor) -> Result | None:
    """Every verified action is listed as an example, to be read."""
    paths = sorted((data / "transcripts" / "who_and_when").rglob("*.json"))
    counts: Counter[str] = Counter()
    examples: list[Example] = []
    for path in paths:
        for conversation in conversations(path):
            counts["runs"] += 1
            claims = 0
            for item in of_category(extractor(conversation), VERIFIED):
                counts["verified"] += 1
                solved = SOLVED.search(item.text) is not None
                claims += solved
                why = "claims an answer in a run that failed" if solved else "verified in a run that failed"
                examples.append(Example(SET, "junk", shown(item.text), why, f"{path.stem}#{item.sources[0]}"))
            counts["claims"] += claims
            counts["runs with claims"] += bool(claims)
    return Result(_rows(counts), tuple(examples)) if paths else None


def _rows(n: Counter[str]) -> tuple[Row, ...]:
    return (
        Row(SET, "claims of a solved task recorded as verified", float(n["claims"]), n["runs"], 0.0, at_least=False),
        Row(SET, "runs with such a claim", share(n["runs with claims"], n["runs"]), n["runs"], 0.0, at_least=False),
        Row(SET, "verified actions of any kind", float(n["verified"]), n["runs"]),
    )
