"""smolagents: an agent with a memory. Extra `smolagents`.

    memory = Companion("sqlite:///memory.db", namespace="user:kim", shells={"run_shell": "bash"})
    agent = remembering(ToolCallingAgent(tools=[run_shell], model=model), memory, session="chat-1")
    agent.run("Which port does staging use?")

The agent's own steps stay as they are: what is known goes into the messages of a request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from cfpm.errors import MissingExtraError
from cfpm_adapters.companion import Companion, Raw, call_of, result_of, with_block

try:
    from smolagents import ActionStep, ChatMessage, FinalAnswerStep, MultiStepAgent, TaskStep, Tool
    from smolagents.memory import MemoryStep
    from smolagents.models import MessageRole
except ImportError as error:
    raise MissingExtraError("The memory for smolagents", "smolagents") from error

Agent = TypeVar("Agent", bound=MultiStepAgent)


def remembering(agent: Agent, memory: Companion, *, session: str = "default") -> Agent:
    """The same agent: it recalls with each request to its model, asks the gate before shell tools (`Companion.shells`),
    and learns after each step and with its answer."""
    written = agent.write_memory_to_messages

    def write_memory_to_messages(summary_mode: bool = False) -> list[ChatMessage]:
        messages: list[ChatMessage] = written(summary_mode)
        block = memory.told(messages_of(agent.memory.steps), session=session)
        return _with_block(messages, block) if block else messages

    def learn(step: MemoryStep, **_: Any) -> None:
        steps = agent.memory.steps
        # A step is kept after its callbacks.
        memory.learn(messages_of(steps if step in steps else [*steps, step]), session=session)

    agent.write_memory_to_messages = write_memory_to_messages
    for name, tool in agent.tools.items():
        if name in memory.shells:
            tool.forward = _gated(tool, memory, session)
    for kind in (ActionStep, FinalAnswerStep):
        agent.step_callbacks.register(kind, learn)
    return agent


def _gated(tool: Tool, memory: Companion, session: str) -> Callable[..., Any]:
    forward, names = tool.forward, list(tool.inputs)

    def run(*args: Any, **options: Any) -> Any:
        # Code that an agent writes may name its arguments or not.
        given = dict(zip(names, args, strict=False)) | options
        return forward(**memory.gated(tool.name, given, session=session))

    return run


def _with_block(messages: list[ChatMessage], block: str) -> list[ChatMessage]:
    """The messages with the block behind the system prompt."""
    told = {"type": "text", "text": block}
    if not messages or messages[0].role != MessageRole.SYSTEM:
        return [ChatMessage(role=MessageRole.SYSTEM, content=[told]), *messages]
    first = messages[0]
    content = [*first.content, told] if isinstance(first.content, list) else with_block(first.content, block)
    return [ChatMessage(role=first.role, content=content), *messages[1:]]


def messages_of(steps: Iterable[MemoryStep]) -> list[Raw]:
    """The steps as dicts: tasks, calls with what they showed, the answer."""
    found: list[Raw] = []
    for step in steps:
        match step:
            case TaskStep():
                found.append({"role": "user", "content": step.task})
            case ActionStep() if not step.is_final_answer:
                for call in step.tool_calls or ():
                    text = step.observations or str(step.error or "")
                    failed = step.error is not None
                    found += [call_of(call.name, call.arguments, call.id), result_of(call.id, text, failed=failed)]
            case FinalAnswerStep():
                found.append({"role": "assistant", "content": str(step.output)})
    return found
