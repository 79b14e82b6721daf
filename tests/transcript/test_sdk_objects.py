"""Messages as objects of a library: read by their shape, mixed with dicts, with calls and results paired.

Small classes of the tests stand for those of the libraries; where a library is installed, its own are read as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from cfpm.errors import InputError
from cfpm.model import Message, Origin, Role, ToolCall, ToolResult
from cfpm.transcript.messages import parse_messages
from cfpm.transcript.sdk_objects import as_dicts, plain_messages

AT = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)


class Model:
    """Like a model of pydantic: fields by name, and a way to dump them."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def model_dump(self) -> dict[str, Any]:
        return {
            name: [one.model_dump() if isinstance(one, Model) else one for one in value]
            if isinstance(value, list)
            else value
            for name, value in self.__dict__.items()
        }


@dataclass
class Part:
    part_kind: str
    content: Any = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    args: Any = None
    timestamp: datetime | None = None
    outcome: str = "success"


@dataclass
class Exchange:
    """Like a request or an answer of Pydantic AI."""

    kind: str
    parts: list[Part]
    timestamp: datetime | None = None
    instructions: str | None = field(default="Be kind.")


def told(*items: object) -> list[Message]:
    return parse_messages(items)


def said(*items: object) -> list[tuple[Role, str]]:
    return [(message.role, message.text) for message in told(*items)]


CALL = Model(id="c1", type="function", function={"name": "run", "arguments": '{"command": "uv run pytest"}'})


def test_the_commonest_loop_is_saved_with_its_call_and_result_paired() -> None:
    answer = Model(role="assistant", content=None, refusal=None, tool_calls=[CALL], audio=None, function_call=None)
    user, asked, result, last = told(
        {"role": "user", "content": "Are the tests green?"},
        answer,
        {"role": "tool", "tool_call_id": "c1", "content": "212 passed"},
        Model(role="assistant", content="They are.", refusal=None, tool_calls=None),
    )
    assert user.text == "Are the tests green?"
    assert asked.tool_calls == (ToolCall("c1", "run", {"command": "uv run pytest"}),)
    assert result.tool_result == ToolResult("c1", None)
    assert (last.role, last.text) == (Role.ASSISTANT, "They are.")


def test_an_object_and_the_dict_that_stands_for_it_are_one_message() -> None:
    answer = Model(role="assistant", content="Port 8081.", tool_calls=None, id="chatcmpl-1")
    assert told(answer) == told({"role": "assistant", "content": "Port 8081."})


def test_a_whole_answer_is_the_message_in_it() -> None:
    @dataclass
    class Choice:
        message: Model

    @dataclass
    class Completion:
        choices: list[Choice]

    answer = Model(role="assistant", content="Yes.")
    assert said(Completion([Choice(answer)])) == [(Role.ASSISTANT, "Yes.")]


def test_calls_that_are_objects_within_a_dict_are_read() -> None:
    (message,) = told({"role": "assistant", "content": None, "tool_calls": [CALL]})
    assert message.tool_calls == (ToolCall("c1", "run", {"command": "uv run pytest"}),)


def test_a_call_of_a_custom_tool_has_its_name() -> None:
    call = Model(id="c2", type="custom", custom={"name": "patch", "input": "*** Begin"})
    (message,) = told(Model(role="assistant", content=None, tool_calls=[call]))
    assert message.tool_calls == (ToolCall("c2", "patch", {"input": "*** Begin"}),)


BLOCKS = [
    Model(type="thinking", thinking="Where is it?", signature="s"),
    Model(type="text", text="I look.", citations=None),
    Model(type="tool_use", id="t1", name="bash", input={"command": "ls"}),
]


def test_anthropic_messages_and_the_blocks_of_their_content() -> None:
    whole = Model(type="message", id="msg_1", role="assistant", content=BLOCKS, stop_reason="tool_use", usage=None)
    as_content = {"role": "assistant", "content": BLOCKS}
    assert told(whole) == told(as_content)
    thought, spoken = told(whole)
    assert thought.origin is Origin.THINKING
    assert (spoken.text, spoken.tool_calls) == ("I look.", (ToolCall("t1", "bash", {"command": "ls"}),))


def test_blocks_that_stand_alone_were_said_by_the_assistant() -> None:
    assert [(m.role, m.origin) for m in told(*BLOCKS)] == [
        (Role.ASSISTANT, Origin.THINKING),
        (Role.ASSISTANT, Origin.SAID),
        (Role.ASSISTANT, Origin.SAID),
    ]


def test_blocks_within_the_result_of_a_tool_are_read() -> None:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": [Model(type="text", text="a.py")]}
    (result,) = told({"role": "user", "content": [block]})
    assert (result.text, result.tool_result) == ("a.py", ToolResult("t1", None))


def test_items_of_the_responses_api() -> None:
    call = Model(type="function_call", call_id="k", id="fc_1", name="run", arguments='{"a": 1}')
    searched = Model(type="web_search_call", id="ws", status="completed", action={"type": "search", "query": "q"})
    spoken = Model(type="message", role="assistant", content=[Model(type="output_text", text="Hey", annotations=[])])
    found = told(searched, call, spoken)
    assert [call for message in found for call in message.tool_calls] == [
        ToolCall("ws", "web_search", {"type": "search", "query": "q"}),
        ToolCall("k", "run", {"a": 1}),
    ]
    assert found[-1].text == "Hey"


def test_langchain_messages_by_their_type() -> None:
    asked = Model(type="ai", content="", tool_calls=[{"name": "run", "args": {"c": "ls"}, "id": "1"}], name=None)
    found = told(
        Model(type="human", content="Hi", name=None, additional_kwargs={}),
        asked,
        Model(type="tool", content="no such file", tool_call_id="1", status="error", name="run"),
        Model(type="system", content="Be brief."),
    )
    assert [message.role for message in found] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM]
    assert found[1].tool_calls == (ToolCall("1", "run", {"c": "ls"}),)
    assert found[2].tool_result == ToolResult("1", is_error=True)


def test_a_call_that_langchain_tells_twice_is_one() -> None:
    content = [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "1", "name": "run", "input": {}}]
    (message,) = told(Model(type="ai", content=content, tool_calls=[{"name": "run", "args": {}, "id": "1"}]))
    assert (message.text, message.tool_calls) == ("I look.", (ToolCall("1", "run", {}),))


def test_langchain_reasoning_is_no_speech() -> None:
    thought, spoken = told(Model(type="ai", content=[{"type": "reasoning", "reasoning": "Hm."}, "Yes."]))
    assert (thought.origin, spoken.text) == (Origin.THINKING, "Yes.")


def test_requests_and_answers_of_pydantic_ai() -> None:
    found = told(
        Exchange("request", [Part("system-prompt", "Be brief."), Part("user-prompt", "Where?", timestamp=AT)]),
        Exchange(
            "response",
            [Part("thinking", "Hm."), Part("text", "I look."), Part("tool-call", None, "look", "9", '{"p": 1}')],
            AT,
        ),
        Exchange("request", [Part("tool-return", {"rows": 2}, "look", "9"), Part("retry-prompt", "bad", "look", "8")]),
    )
    assert [(message.role, message.text) for message in found] == [
        (Role.SYSTEM, "Be brief."),
        (Role.USER, "Where?"),
        (Role.ASSISTANT, "Hm."),
        (Role.ASSISTANT, "I look."),
        (Role.TOOL, '{"rows": 2}'),
        (Role.TOOL, "bad"),
    ]
    assert found[1].created_at == found[3].created_at == AT
    assert found[2].origin is Origin.THINKING
    assert found[3].tool_calls == (ToolCall("9", "look", {"p": 1}),)
    assert [message.tool_result for message in found[4:]] == [ToolResult("9", None), ToolResult("8", is_error=True)]


def test_what_pydantic_ai_says_of_an_answer_is_no_word_of_the_user() -> None:
    assert said(Exchange("request", [Part("retry-prompt", "Plain text is not permitted")])) == [
        (Role.SYSTEM, "Plain text is not permitted")
    ]


def test_media_of_a_prompt_are_noted() -> None:
    @dataclass
    class ImageUrl:
        url: str
        kind: str = "image-url"

    (message,) = told(Exchange("request", [Part("user-prompt", ["See", ImageUrl("https://example.com/y.png")])]))
    assert message.text == "See\n\n[image-url]"


class Chunk:
    def __init__(self) -> None:
        self.choices = [object()]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (object(), "a object is no message"),
        (Chunk(), "a Chunk that holds no message"),
        (Model(role="assistant"), "a Model without content"),
        (Model(usage=1), "a Model is no message"),
        (Exchange("request", [Part("new-kind", "x")]), r"a Exchange of parts that are no speech \(new-kind\)"),
        (Model, "a type is no message"),
    ],
)
def test_what_cannot_be_read_is_named_with_the_remedy(wrong: object, named: str) -> None:
    with pytest.raises(InputError, match=f"message 1: {named}") as refused:
        told({"role": "user", "content": "Hi"}, wrong)
    assert "Pass dicts with role and content" in refused.value.remedy


def test_a_single_message_that_could_be_gone_through_is_no_list() -> None:
    class Field(Model):
        def __iter__(self) -> Any:
            return iter(self.__dict__.items())

    with pytest.raises(InputError, match="a Field instead of a list of messages"):
        parse_messages(Field(role="assistant", content="Yes."))


def test_plain_dicts_are_handed_on_as_they_are() -> None:
    plain = {"role": "assistant", "content": [{"type": "text", "text": "a"}], "tool_calls": [{"id": "1"}]}
    assert as_dicts(plain) == [plain]
    assert plain_messages([plain])[0] is plain


class TestLibraries:
    """The same with the libraries' own objects."""

    @pytest.mark.slow
    def test_openai(self) -> None:
        chat = pytest.importorskip("openai.types.chat")
        call = {"id": "c1", "type": "function", "function": {"name": "run", "arguments": '{"command": "ls"}'}}
        answer = chat.ChatCompletionMessage.model_validate({"role": "assistant", "content": None, "tool_calls": [call]})
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Done."}}
        whole = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        asked, last, completed = told(
            answer,
            chat.ChatCompletionMessage(role="assistant", content="Done."),
            chat.ChatCompletion.model_validate(whole),
        )
        assert asked.tool_calls == (ToolCall("c1", "run", {"command": "ls"}),)
        assert last == completed

    def test_openai_responses(self) -> None:
        responses = pytest.importorskip("openai.types.responses")
        call = responses.ResponseFunctionToolCall(type="function_call", call_id="k", name="run", arguments='{"a": 1}')
        (asked,) = told(call)
        assert asked.tool_calls == (ToolCall("k", "run", {"a": 1}),)

    @pytest.mark.slow
    def test_anthropic(self) -> None:
        types = pytest.importorskip("anthropic.types")
        content = [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}},
        ]
        usage = {"input_tokens": 1, "output_tokens": 1}
        answer = types.Message.model_validate(
            {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content, "usage": usage}
        )
        assert told(answer) == told({"role": "assistant", "content": answer.content})
        assert told(answer) == told({"role": "assistant", "content": content})
