"""Labelled secrets that reach the database file of the memory, and what redaction takes where there is no secret.

Measures this package alone, whatever extractor is scored: other extractors own no store.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.extraction.conversation import Extractor
from benchmarks.extraction.measures.agent_logs import share
from benchmarks.extraction.result import Example, Result, Row
from benchmarks.secrets.corpora import SAMPLES, Label, innocent_texts, labels, sample
from benchmarks.secrets.survivors import FORMS, is_secret
from cfpm import Memory, Message, Settings
from cfpm.model import Role, ToolCall, ToolResult
from cfpm.secrets import redact

SET = "secrets (cfpm)"
INNOCENT = ("locomo", "commands")
FALSE_GOAL = 1e-4
"""One false redaction in 10,000 words."""


def measure(data: Path, extractor: Extractor) -> Result | None:
    """Each sample file is said by a user and shown by tools in one session with a database of its own."""
    del extractor
    if not (data / SAMPLES / "output.json").is_file():
        return None
    counts: Counter[str] = Counter()
    examples: list[Example] = []
    by_file: dict[str, list[Label]] = {}
    for label in labels(data):
        if is_secret(label) and label.value:
            by_file.setdefault(label.file, []).append(label)
    for found in by_file.values():
        text = sample(data, found[0])
        stored = database(text)
        for label in found:
            if label.value not in text:
                continue
            counts["values"] += 1
            if any(value in stored for value in _written(label.value)):
                counts["left"] += 1
                # The value itself stays out of the report.
                where = f"{label.file}:{label.line}"
                examples.append(Example(SET, "junk", f"a value of the rule {label.rule}", "in the database", where))
    return Result((_leaks(counts), *_false_redactions(data)), tuple(examples))


def database(text: str) -> bytes:
    """All bytes that the memory has on disk after a session that holds the text in every form."""
    with tempfile.TemporaryDirectory(prefix="cfpm-bench-") as folder:
        settings = Settings(durability="normal", log_mode="full")
        with Memory.open(f"sqlite:///{Path(folder) / 'memory.db'}", settings=settings) as memory:
            memory.observe(_messages(text), session="sample")
            files = _bytes(folder)
        return files + _bytes(folder)


def _bytes(folder: str) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(Path(folder).iterdir()))


def _messages(text: str) -> Iterator[Message]:
    yield Message(Role.USER, text, "said")
    for number, shape in enumerate(FORMS.values()):
        call = ToolCall(f"c{number}", "Bash", {"command": "cat settings"})
        yield Message(Role.ASSISTANT, "", f"a{number}", tool_calls=(call,))
        yield Message(Role.TOOL, shape(text), f"r{number}", tool_result=ToolResult(call.id))


def _written(value: str) -> tuple[bytes, bytes]:
    return value.encode(), json.dumps(value)[1:-1].encode()


def _leaks(n: Counter[str]) -> Row:
    return Row(
        SET, "labelled secrets in the database file", share(n["left"], n["values"]), n["values"], 0.0, at_least=False
    )


def _false_redactions(data: Path) -> Iterator[Row]:
    for corpus in INNOCENT:
        if (data / corpus).is_dir():
            words = taken = 0
            for text in innocent_texts(data, corpus):
                words += len(text.split())
                taken += len(redact(text).findings)
            name = f"redactions per word in {corpus}, where nobody wrote a secret"
            yield Row(SET, name, share(taken, words), words, FALSE_GOAL, at_least=False)
