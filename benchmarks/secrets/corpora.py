"""Reads the sets that the benchmark of secrets uses. Not for judging them."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cfpm.transcript.reading import read
from cfpm.transcript.records import Problem

SAMPLES = "secrets/credsweeper"
PERSONAL = "secrets/presidio_synth"
INNOCENT = ("locomo", "commands", "specstory", "sessions", "beam")
SESSIONS = (
    "claude_code_log_fixtures/**/*.jsonl",
    "devai_openhands/**/OpenHands/*.json",
    "swe_agent/**/*.traj",
    "tau_bench/historical_trajectories/*.json",
    "who_and_when/**/*.json",
)
"""Transcripts of agents of other kinds."""
NEEDED = (SAMPLES, PERSONAL, "locomo", "commands", "transcripts/specstory_claude_code", "beam")


@dataclass(frozen=True, slots=True)
class Label:
    """A secret that somebody marked: the rule that names it, where it stands, and its characters."""

    rule: str
    severity: str
    variable: str
    file: str
    line: int
    value: str


@dataclass(frozen=True, slots=True)
class PersonalSentence:
    """A sentence with the numbers in it, as (type, characters)."""

    text: str
    numbers: tuple[tuple[str, str], ...]


def missing(data: Path) -> list[str]:
    """The folders that are not there."""
    return [name for name in NEEDED if not (data / name).is_dir()]


def read_text(path: Path) -> str:
    """The text of a file of unknown encoding: by its byte order mark, else UTF-8, else Latin-1."""
    raw = path.read_bytes()
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16", "replace")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def labels(data: Path) -> list[Label]:
    """The labelled secrets, one for each line that a finding covers."""
    findings = json.loads((data / SAMPLES / "output.json").read_text(encoding="utf-8"))
    return [
        Label(
            rule=finding["rule"],
            severity=finding["severity"],
            variable=line["variable"] or "",
            file=line["path"].removeprefix("./"),
            line=line["line_num"],
            value=line["value"],
        )
        for finding in findings
        for line in finding["line_data_list"]
    ]


def sample(data: Path, label: Label) -> str:
    return read_text(data / SAMPLES / label.file)


def personal_sentences(data: Path) -> list[PersonalSentence]:
    found: list[PersonalSentence] = []
    for path in sorted((data / PERSONAL).glob("*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8")):
            numbers = tuple((span["entity_type"], span["entity_value"]) for span in entry["spans"])
            found.append(PersonalSentence(entry["full_text"], numbers))
    return found


def innocent_texts(data: Path, corpus: str) -> Iterator[str]:
    """The texts of a set in which nobody wrote a secret, one a message, command or file."""
    match corpus:
        case "locomo":
            for path in sorted((data / "locomo").glob("*.json")):
                for conversation in json.loads(path.read_text(encoding="utf-8")):
                    yield from _texts(conversation["conversation"], "text")
        case "commands":
            for line in (data / "commands" / "commands.jsonl").read_text(encoding="utf-8").splitlines():
                yield json.loads(line)["cmd"]
        case "specstory" | "sessions":
            patterns = SESSIONS if corpus == "sessions" else ("specstory_claude_code/*.md",)
            yield from _said_in(path for pattern in patterns for path in sorted((data / "transcripts").glob(pattern)))
        case "beam":
            for path in sorted((data / "beam").rglob("chat.json")):
                yield from _texts(json.loads(path.read_text(encoding="utf-8")), "content")
        case _:
            raise ValueError(corpus)


def _said_in(paths: Iterable[Path]) -> Iterator[str]:
    """What a memory is given of transcripts: the text of each message and result, and the values of each call."""
    for path in paths:
        for record in read(path):
            if not isinstance(record, Problem):
                yield record.message.text
                for call in record.message.tool_calls:
                    yield from _strings(call.arguments)


def _strings(node: object) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping | list | tuple):
        for child in node.values() if isinstance(node, Mapping) else node:
            yield from _strings(child)


def _texts(node: Any, key: str) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get(key), str):
            yield node[key]
        for child in node.values():
            yield from _texts(child, key)
    elif isinstance(node, list):
        for child in node:
            yield from _texts(child, key)
