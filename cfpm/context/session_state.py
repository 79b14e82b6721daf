"""Reads a session's messages in their order into what it holds: answers of the user, plan, todos, goal, skills,
resources, workspace, connectors, loaded instructions. Knows no store and judges no plan: tools and fields are data
(rehydration.toml)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from cfpm.context.approvals import MAX_LINE, may_answer, of_result, of_words, one_line, refused
from cfpm.context.plans import PlanStep, Progress, changed_task, field_of, kind_of, listed_steps, table
from cfpm.model import Message, Origin, Role, ToolCall
from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.model.state import Approval, Held, StateEntry
from cfpm.text import sentences
from cfpm.transcript.boot_files import reads_boot_file

MAX_TEXT = 2_000
"""Characters of one entry: a plan that was approved may be long, and the file that holds it is named elsewhere."""

MOST_KEPT = 100
"""Entries of a kind in a session, the latest, where there is no end to them."""

_ENDLESS = frozenset({Held.RESOURCE, Held.PROGRESS, Held.ARTIFACT, Held.INSTRUCTION, Held.SKILL, Held.CONNECTOR})
_HOSTS = frozenset({Origin.SYSTEM_PROMPT, Origin.BOOT_FILE, Origin.HOST_NOTICE})
_STORED = lazy_pattern(r"^Artifact: ([0-9a-f]{12,64})$", re.MULTILINE)
_OUR_NOTE = "[CFPM_"
_SKILL = lazy_pattern(r"([^/\\\s\"']{1,80})[/\\]SKILL\.md\b")
_MAX_SAID = 20_000
"""Characters of a user's message that are read for when the work is done."""

APPROVED = "approved"
"""The key of a plan that was approved as a text; steps have the keys of `step_key`."""

Key = tuple[str, Held, str]
"""Agent, kind, key: what tells entries of a session from each other."""


@dataclass(slots=True)
class SessionReader:
    """Takes messages in their order. `entries` and `approvals` are what the session holds then; `calls` those that may
    still be answered, `said` what the agent said last. `agent` is whose lists those of unnamed messages are."""

    session: str = ""
    agent: str = ""
    entries: dict[Key, StateEntry] = field(default_factory=dict)
    approvals: list[Approval] = field(default_factory=list)
    calls: dict[str, ToolCall] = field(default_factory=dict)
    said: str = ""
    _message: Message = field(default=Message(Role.USER, ""), init=False)

    def hold(self, entries: Iterable[StateEntry]) -> None:
        """Begins with what is known already."""
        self.entries.update(((entry.agent, entry.kind, entry.key), entry) for entry in entries)

    def take(self, message: Message) -> None:
        """Reads one more message."""
        self._message = message
        if message.tool_result is not None:
            call = self.calls.pop(message.tool_result.call_id, None)
            if call is not None:
                self._answered(call, message)
        elif message.role is Role.ASSISTANT and message.origin is not Origin.THINKING:
            self.said = message.text or self.said
            self.calls.update({call.id: call for call in message.tool_calls})
        elif message.origin in _HOSTS:
            self._host_said(message.text)
        elif message.role is Role.USER and message.origin is Origin.SAID:
            self.approvals += map(self._placed, of_words(message.text, self.said))
            self.said = ""
            self._aims(message.text)

    def _placed(self, approval: Approval) -> Approval:
        at, name = self._message.created_at, self._message.id
        return replace(approval, at=at, session=self.session, agent=self.agent, message_id=name)

    def _put(self, kind: Held, key: str, text: str, status: str = "") -> None:
        if not text.strip():
            return
        message = self._message
        whose = (message.created_at, self.session, self.agent, message.id)
        entry = StateEntry(kind, key[:MAX_LINE], _short(text), status, *whose)
        place = (self.agent, kind, entry.key)
        old = self.entries.get(place)
        if old is not None and (old.text, old.status) == (entry.text, entry.status):
            return
        if old is not None and old.text == entry.text:
            # The words stand in the message that said them first.
            entry = replace(entry, message_id=old.message_id)
        self.entries[place] = entry
        if kind in _ENDLESS:
            same = [other for other in self.entries if other[:2] == place[:2]]
            for gone in same[:-MOST_KEPT]:
                del self.entries[gone]

    def _answered(self, call: ToolCall, result: Message) -> None:
        self.approvals += map(self._placed, of_result(call, result))
        if refused(call, result) or (result.tool_result and result.tool_result.failed):
            return
        self._uses(call, result.text)
        match kind_of(call):
            case "plan":
                self._list(Held.PLAN, listed_steps(call))
            case "todos":
                self._list(Held.TODO, listed_steps(call))
            case "add_task" | "change_task":
                self._task(call, result.text)
            case "plan_to_approve":
                text = call.arguments.get("plan")
                text = text if isinstance(text, str) else result.text.rpartition(table()["answers"]["plan_opens"])[2]
                self._put(Held.PLAN, APPROVED, text)
            case "goal":
                self._goal(call)
            case "skill":
                name = field_of(call.arguments, "skill")
                self._put(Held.SKILL, name, name)
            case "resource":
                for name in _names(call):
                    self._put(Held.RESOURCE, name, name)

    def _uses(self, call: ToolCall, answer: str) -> None:
        """What any call shows of where and with what the agent works."""
        if reads_boot_file(call):
            words = [call.path] if call.path else re.split(r"[\s\"']+", call.command or "")
            for name in filter(_holds_instructions, words):
                self._put(Held.INSTRUCTION, name, name)
        if skill := _SKILL.search(call.path or call.command or ""):
            # What a skill says is read when it is invoked.
            self._put(Held.SKILL, skill[1], skill[1])
        if server := _patterns()["connector"].match(call.name):
            self._put(Held.CONNECTOR, server["server"], server["server"])
        if call.command is not None and (folder := field_of(call.arguments, "folder")):
            self._put(Held.WORKSPACE, "folder", folder)
        if answer.startswith(_OUR_NOTE) and (stored := _STORED.search(answer)):
            self._put(Held.ARTIFACT, stored[1], f"artifact {stored[1]}: result of {call.name}")

    def _host_said(self, text: str) -> None:
        """Instruction files and the folder that a host announces."""
        for found in _patterns()["announced"].finditer(text):
            name = found["file"] or found["directory"].rstrip("/\\") + "/AGENTS.md"
            if _holds_instructions(name):
                self._put(Held.INSTRUCTION, name, name)
        if folder := _patterns()["workspace"].search(text):
            self._put(Held.WORKSPACE, "folder", folder["folder"])

    def _aims(self, text: str) -> None:
        """When the user says the work is done, and what it may cost."""
        lower = text[:_MAX_SAID].lower()
        for key in ("done_when", "budget"):
            if _patterns()[key].search(lower):
                told = (one.text for one in sentences(text[:_MAX_SAID]) if _patterns()[key].search(one.text.lower()))
                said = next((line for one in told if not (line := one_line(one)).endswith(("?", "？"))), "")
                self._put(Held.GOAL, key.replace("_", " "), said, "user")

    def _goal(self, call: ToolCall) -> None:
        """The goal that a tool sets or changes, with its done condition, its budget and how far it is."""
        kept = self.entries.get((self.agent, Held.GOAL, "goal"))
        text = field_of(call.arguments, "goal") or (kept.text if kept else "")
        self._put(Held.GOAL, "goal", text, field_of(call.arguments, "status"))
        for key in ("done_when", "budget"):
            self._put(Held.GOAL, key.replace("_", " "), field_of(call.arguments, key))

    def _list(self, kind: Held, steps: tuple[PlanStep, ...]) -> None:
        """A list that is written down takes the place of the one before it, and what it finishes is progress."""
        if not steps:
            return
        mine = [place for place in self.entries if place[:2] == (self.agent, kind) and place[2].startswith("step ")]
        before = [self.entries[place] for place in mine]
        for place in mine[len(steps) :]:
            del self.entries[place]
        for number, step in enumerate(steps, 1):
            self._put(kind, step_key(number), step.text, status_of(step))
        finished = {step.text for step in steps if step.progress is Progress.DONE}
        for old in before:
            if old.status in UNFINISHED and old.text in finished:
                self._done(old.text)
        if all(step.progress in (Progress.DONE, Progress.DROPPED) for step in steps):
            # Whose steps are all done is no plan to follow any more.
            self.entries.pop((self.agent, Held.PLAN, APPROVED), None) if kind is Held.PLAN else None

    def _task(self, call: ToolCall, answer: str) -> None:
        tasks = [entry for place, entry in self.entries.items() if place[:2] == (self.agent, Held.TODO)]
        known = {entry.key.removeprefix("task "): step_of(entry) for entry in tasks if entry.key.startswith("task ")}
        if (found := changed_task(known, call, answer)) is None:
            return
        number, step = found
        self._put(Held.TODO, f"task {number}", step.text, status_of(step))
        if step.progress is Progress.DONE and number in known and known[number].progress is not Progress.DONE:
            self._done(step.text)

    def _done(self, text: str) -> None:
        number = 1 + sum(1 for place in self.entries if place[1] is Held.PROGRESS)
        while (self.agent, Held.PROGRESS, f"{number:04}") in self.entries:
            number += 1
        self._put(Held.PROGRESS, f"{number:04}", f"done: {one_line(text)}")


UNFINISHED = frozenset({"open", "active"})


def concerns(message: Message) -> bool:
    """A fast test: False means that `take` finds nothing in this message that a session holds. Of a result the call
    decides: see `call_concerns`."""
    if message.tool_result is not None or message.role is Role.ASSISTANT:
        return False
    if message.origin in _HOSTS:
        return True
    if message.role is not Role.USER or message.origin is not Origin.SAID:
        return False
    lower = message.text[:_MAX_SAID].lower()
    return may_answer(message.text) or any(_patterns()[key].search(lower) for key in ("done_when", "budget"))


def call_concerns(call: ToolCall, result: Message) -> bool:
    """As `concerns`, for a result and the call that it answers."""
    return bool(
        kind_of(call)
        or _patterns()["connector"].match(call.name)
        or (call.command is not None and field_of(call.arguments, "folder"))
        or refused(call, result)
        or result.text.startswith(_OUR_NOTE)
        or _SKILL.search(call.path or call.command or "")
        or reads_boot_file(call)
    )


def step_key(number: int) -> str:
    """The key of a step of a list, counted from 1."""
    return f"step {number:03}"


def status_of(step: PlanStep) -> str:
    """How far a step is, as an entry keeps it."""
    return step.progress.name.lower()


def step_of(entry: StateEntry) -> PlanStep:
    """The step of an entry; one with a status that no tool of ours knows is open."""
    progress = Progress.__members__.get(entry.status.upper(), Progress.OPEN)
    return PlanStep(entry.text, progress)


def _names(call: ToolCall) -> Iterator[str]:
    """The resources that a call names."""
    for name in table()["fields"]["resource"]:
        value = call.arguments.get(name)
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, str) and one.strip():
                yield one_line(one)


def _holds_instructions(path: str) -> bool:
    return re.fullmatch(table()["instructions"]["files"], re.split(r"[/\\]", path)[-1], re.IGNORECASE) is not None


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    known = table()
    texts = {
        "announced": known["instructions"]["announced"],
        "workspace": known["workspace"]["announced"],
        "connector": known["connectors"]["tool"],
        **known["goals"],
    }
    return {name: compiled(text) for name, text in texts.items()}


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 4] + " ..."
