"""Short ways to say what stands in a turn, for the tests of this room."""

from __future__ import annotations

from cfpm.extractor.extractor import Earlier, extract
from cfpm.model import Category, Draft, Message, Role, ToolCall, ToolResult, Turn


def user(text: str) -> Message:
    return Message(Role.USER, text, f"u{hash_of(text)}")


def agent(text: str, *calls: ToolCall) -> Message:
    return Message(Role.ASSISTANT, text, f"a{hash_of(text)}{len(calls)}", tool_calls=calls)


def call(name: str, ident: str = "c1", **arguments: object) -> ToolCall:
    return ToolCall(ident, name, arguments)


def result(text: str, ident: str = "c1", *, is_error: bool | None = None, exit_code: int | None = None) -> Message:
    return Message(Role.TOOL, text, f"t{hash_of(text)}", tool_result=ToolResult(ident, is_error, exit_code))


def drafts(*messages: Message, opening: bool = False) -> list[Draft]:
    return extract(Turn("s", 0, messages), Earlier(opening=opening))


def of(found: list[Draft], category: Category) -> list[str]:
    return [draft.content for draft in found if draft.category is category]


def clean(found: list[Draft], category: Category) -> list[str]:
    """Contents of the drafts that carry no mark."""
    return [draft.content for draft in found if draft.category is category and not draft.marks]


def hash_of(text: str) -> str:
    return text[:12].encode().hex()
