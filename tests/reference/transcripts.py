"""Short ways to write down what a host passes on and to read what the memory made of it; no rule is tested here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from cfpm import Memory
from cfpm.model import Candidate, Category, Decision, Draft, Fact, Mark, Message, Origin, Role, Span, Status, Turn
from cfpm.model.ids import digest
from cfpm.pipeline.turn import Extractor

Row = dict[str, object]
"""An OpenAI style message."""

OpenMemory = Callable[..., Memory]
"""The fixture `open_memory`: takes what `Memory.open` takes besides the url."""


def user(text: str, *, at: str = "") -> Row:
    return _dated({"role": "user", "content": text}, at)


def agent(text: str, *, at: str = "") -> Row:
    return _dated({"role": "assistant", "content": text}, at)


def ran(command: str, output: str, *, tool: str = "shell", at: str = "", **ended: object) -> list[Row]:
    """A command and what came back; `ended` is what the host says of it: `is_error`, `exit_code`."""
    return _called(tool, {"command": command}, output, at, ended)


def wrote(path: str, *, at: str = "") -> list[Row]:
    """A file that a tool wrote with success."""
    return _called("write_file", {"path": path, "content": "x"}, f"File created successfully at: {path}", at, {})


def read(path: str, output: str, *, at: str = "", **ended: object) -> list[Row]:
    """A file that a tool read."""
    return _called("read_file", {"path": path}, output, at, ended)


def missing(path: str, *, at: str = "") -> list[Row]:
    """A file that a command does not find."""
    return ran(f"cat {path}", f"cat: {path}: No such file or directory", at=at, exit_code=1)


def output(text: str, *, at: str = "") -> Row:
    """A tool's output whose request is not known."""
    return _dated({"role": "tool", "tool_call_id": "unknown", "content": text}, at)


def _called(tool: str, arguments: Row, result: str, at: str, ended: Row) -> list[Row]:
    name = "call_" + digest(tool, *map(str, arguments.values()), at)
    call: Row = {"id": name, "type": "function", "function": {"name": tool, "arguments": arguments}}
    asked: Row = {"role": "assistant", "content": "", "tool_calls": [call]}
    return [_dated(asked, at), _dated({"role": "tool", "tool_call_id": name, "content": result, **ended}, at)]


def _dated(row: Row, at: str) -> Row:
    return {**row, "created_at": at} if at else row


GREETING = user("Hello there!")
"""Keeps what follows from being the opening of a session, which is its goal whatever it says."""


def learnt(memory: Memory, category: Category, status: Status | None = Status.ACTIVE) -> list[str]:
    """The contents of the facts of one category, in alphabetical order."""
    return sorted(fact.content for fact in memory.facts(category=category, status=status))


def everything(memory: Memory) -> list[str]:
    """The contents of all facts that were ever stored, whatever became of them."""
    return [fact.content for fact in memory.facts()]


def the_fact(memory: Memory, content: str) -> Fact:
    """The one fact with this content."""
    (found,) = [fact for fact in memory.facts() if fact.content == content]
    return found


def reasons(memory: Memory, category: Category | None = None) -> dict[str, str]:
    """What was decided about each content, in the order of the turns; of equal contents the last."""
    rows = reversed(memory.candidates())
    return {row.content: row.reason for row in rows if category in (None, row.category)}


def the_candidate(memory: Memory, content: str, decision: Decision = Decision.REJECTED) -> Candidate:
    """The one candidate with this content and decision."""
    (found,) = [row for row in memory.candidates(decision=decision) if row.content == content]
    return found


@dataclass(frozen=True, slots=True)
class Handing:
    """An extra extractor that hands over these drafts, each citing the words where they stand in the turn."""

    drafts: tuple[tuple[Category, str], ...]
    confidence: float = field(default=0.7)
    marks: frozenset[Mark] = frozenset()

    def __call__(self, turn: Turn) -> Iterable[Draft]:
        for category, content in self.drafts:
            for message in turn.messages:
                if (at := message.text.find(content)) >= 0:
                    span = Span(message.id, at, at + len(content))
                    draft = Draft(category, content, span, message.role, "handed", self.confidence, line=content)
                    yield replace(draft, marks=self.marks)
                    break


def handing(*drafts: tuple[Category, str], marks: frozenset[Mark] = frozenset()) -> tuple[list[Extractor], Message]:
    """An extractor for `Memory.open`, and the message it reads: one that no built-in rule looks into."""
    text = "\n".join(content for _, content in drafts)
    return [Handing(drafts, marks=marks)], Message(Role.ASSISTANT, text, origin=Origin.THINKING)
