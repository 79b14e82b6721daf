"""Where the sessions of the data package are, and what a simple second reader finds in them, to hold against ours."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Text = str
Reader = Callable[["Path"], Iterator[Text]]

_STRUCTURE = ("<", "</", "```", "~~~", "---", "# ", "## ")
_SPEAKER = re.compile(r"^(?:user|assistant|tool|system): ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Source:
    """A set of transcripts. `texts` gives the text of every message of a file, read without this package's readers."""

    name: str
    pattern: str
    texts: Reader

    def files(self, data: Path) -> list[Path]:
        """The transcripts of this source, sorted."""
        return sorted(data.glob(self.pattern))


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _lines(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            # The fixtures hold torn lines on purpose.
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                continue


def _content(message: Mapping[str, Any]) -> Iterator[Text]:
    """The text of a chat message; of content blocks their texts together, since one message may become several."""
    match message.get("content"):
        case str(text):
            yield text
        case list(blocks):
            yield "\n".join(_block(block) for block in blocks if isinstance(block, dict))
        case _:
            yield ""


def _block(block: Mapping[str, Any]) -> Text:
    match block:
        case {"type": "text", "text": str(text)} | {"type": "thinking", "thinking": str(text)}:
            return text
        case {"type": "tool_result", "content": str(text)}:
            return text
        case {"type": "tool_result", "content": list(parts)}:
            return "\n".join(_block(part) for part in parts if isinstance(part, dict))
        case _:
            return ""


def _specstory(path: Path) -> Iterator[Text]:
    """What stands between two header lines, without the tags that only give the file its structure."""
    block: list[Text] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("_**"):
            yield "\n".join(block)
            block = []
        elif not line.lstrip().startswith(_STRUCTURE):
            block.append(line)
    yield "\n".join(block)


def _tau_runs(path: Path) -> Iterator[Text]:
    for run in _json(path):
        for message in run["traj"]:
            yield from _content(message)


def _tau_dialogues(path: Path) -> Iterator[Text]:
    for row in _lines(path):
        _, *said = _SPEAKER.split(row["messages_display"])
        yield from (text for text in said if text.strip() != "None")


def _swe_agent(path: Path) -> Iterator[Text]:
    for message in _json(path)["history"]:
        yield from _content(message)


def _claude_code(path: Path) -> Iterator[Text]:
    for row in _lines(path):
        if isinstance(row, dict) and row.get("type") in ("user", "assistant") and isinstance(row.get("message"), dict):
            yield from _content(row["message"])


def _who_and_when(path: Path) -> Iterator[Text]:
    for message in _json(path)["history"]:
        yield from _content(message)


def _intercode(path: Path) -> Iterator[Text]:
    for task in _json(path).values():
        if "query" not in task:
            continue
        yield task["query"]
        history = task["turn_history"]
        yield from (str(action).removeprefix("execute[").removesuffix("]") for action in history["actions"])
        yield from (text for text in history["observations"] if isinstance(text, str))


def _openhands(path: Path) -> Iterator[Text]:
    for step in _json(path):
        yield step.get("user_message") or ""
        yield (step.get("agent") or {}).get("thought") or ""
        environment = step.get("environment")
        yield environment if isinstance(environment, str) else ""


def _locomo(path: Path) -> Iterator[Text]:
    for sample in _json(path):
        for key, session in sample["conversation"].items():
            if isinstance(session, list) and key.startswith("session_"):
                yield from (turn["text"] for turn in session)


def _beam(path: Path) -> Iterator[Text]:
    for batch in _json(path):
        for turn in batch["turns"]:
            yield from (message["content"] for message in turn)


SOURCES = (
    Source("SpecStory", "transcripts/specstory_claude_code/*.md", _specstory),
    Source("tau-bench", "transcripts/tau_bench/historical_trajectories/*.json", _tau_runs),
    Source("tau-bench few-shot", "transcripts/tau_bench/few_shot_data/*.jsonl", _tau_dialogues),
    Source("SWE-agent", "transcripts/swe_agent/**/*.traj", _swe_agent),
    Source("Claude Code", "transcripts/claude_code_log_fixtures/**/*.jsonl", _claude_code),
    Source("Who&When", "transcripts/who_and_when/**/*.json", _who_and_when),
    Source("InterCode", "transcripts/intercode/data/results/**/*.json", _intercode),
    Source("OpenHands", "transcripts/devai_openhands/benchmark/trajectories/**/*.json", _openhands),
    Source("LoCoMo", "locomo/*.json", _locomo),
    Source("BEAM 100K", "beam/100K/*/chat.json", _beam),
)
