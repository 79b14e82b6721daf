"""CrewAI: a crew with a memory. Extra `crewai`.

    memory = Companion("sqlite:///memory.db", namespace="user:kim", shells={"run_shell": "bash"})
    output = RememberingCrew(crew, memory).kickoff()

CrewAI's hooks are of the whole process: they are there while a crew works, and touch only what its own agents do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from cfpm.errors import MissingExtraError
from cfpm.model.markers import BLOCK_OPEN
from cfpm_adapters.companion import Companion, Raw, call_of, result_of, with_block

try:
    from crewai import Crew
    from crewai.hooks import (
        LLMCallHookContext,
        ToolCallHookContext,
        register_after_tool_call_hook,
        register_before_llm_call_hook,
        register_before_tool_call_hook,
        unregister_after_tool_call_hook,
        unregister_before_llm_call_hook,
        unregister_before_tool_call_hook,
    )
except ImportError as error:
    raise MissingExtraError("The memory for CrewAI", "crewai") from error


class RememberingCrew:
    """Recalls on each task, asks the gate before shell tools, and learns from tasks, calls and answers under `session`,
    which is one for all runs unless another is given."""

    def __init__(self, crew: Crew, memory: Companion, *, session: str = "default") -> None:
        self.crew = crew
        self.memory = memory
        self.session = session
        self._calls: list[Raw] = []

    def kickoff(self, inputs: dict[str, Any] | None = None) -> Any:
        """What `Crew.kickoff` gives."""
        self._calls = []
        with self._hooked():
            output = self.crew.kickoff(inputs=inputs)
        asked = [{"role": "user", "content": one.description} for one in output.tasks_output]
        answers = [{"role": "assistant", "content": one.raw} for one in output.tasks_output]
        said = [message for pair in zip(asked, answers, strict=True) for message in pair]
        self.memory.learn([*said[:1], *self._calls, *said[1:]], session=self.session)
        return output

    @contextmanager
    def _hooked(self) -> Iterator[None]:
        register_before_llm_call_hook(self._told)
        register_before_tool_call_hook(self._gated)
        register_after_tool_call_hook(self._done)
        try:
            yield
        finally:
            unregister_before_llm_call_hook(self._told)
            unregister_before_tool_call_hook(self._gated)
            unregister_after_tool_call_hook(self._done)

    def _is_ours(self, agent: object) -> bool:
        return any(agent is one or getattr(agent, "role", None) == one.role for one in self.crew.agents)

    def _told(self, context: LLMCallHookContext) -> None:
        """What is known on the task, behind the first message; once, since the list stays for all steps of a task."""
        messages = context.messages
        if context.task is None or not self._is_ours(context.agent) or not messages:
            return
        if any(BLOCK_OPEN in str(one.get("content")) for one in messages):
            return
        task = str(context.task.description)
        if block := self.memory.block(task, session=self.session, turn=str(context.task.id)):
            first: dict[str, Any] = dict(messages[0])
            messages[0] = {**first, "content": with_block(str(first.get("content") or ""), block)}  # type: ignore[typeddict-item, unused-ignore]

    def _gated(self, context: ToolCallHookContext) -> None:
        if self._is_ours(context.agent):
            # In place, as the hook asks for.
            context.tool_input.update(self.memory.gated(context.tool_name, context.tool_input, session=self.session))

    def _done(self, context: ToolCallHookContext) -> None:
        if not self._is_ours(context.agent):
            return
        name = f"call-{len(self._calls)}"
        given: Mapping[str, Any] = context.tool_input
        self._calls += [call_of(context.tool_name, dict(given), name), result_of(name, str(context.tool_result or ""))]
