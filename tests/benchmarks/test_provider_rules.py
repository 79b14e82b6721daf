"""What the providers would refuse is noticed, or every check of a view against them would be worth nothing."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.compaction.provider_rules import refused

pytestmark = pytest.mark.slow

SAID = {"role": "user", "content": "go"}


def call(**changes: Any) -> dict[str, Any]:
    function = {"name": "bash", "arguments": "{}", **changes}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": function}]}


def use(**changes: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "bash", "input": {}, **changes}]}


RESULT = {"role": "tool", "tool_call_id": "a", "content": "ok"}
ANSWER = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}


@pytest.mark.parametrize("view", [[SAID], [SAID, call(), RESULT], [SAID, use(), ANSWER]])
def test_what_they_take(view: list[dict[str, Any]]) -> None:
    assert refused(view) == []


@pytest.mark.parametrize(
    "view",
    [
        pytest.param([RESULT], id="a result first"),
        pytest.param([ANSWER], id="an answer first"),
        pytest.param([{"role": "assistant", "content": "hi"}, SAID], id="an assistant first"),
        pytest.param([SAID, call()], id="no result"),
        pytest.param([SAID, call(), SAID, RESULT], id="a result too late"),
        pytest.param([SAID, use(), SAID], id="no answer"),
        pytest.param([SAID, call(arguments={}), RESULT], id="arguments that are no text"),
        pytest.param([SAID, use(input="{}"), ANSWER], id="an input that is no object"),
        pytest.param([SAID, {"role": "tool", "content": "ok"}], id="a result without an id"),
        pytest.param([{"role": "user", "content": [{"type": "speech", "text": "go"}]}], id="an unknown block"),
    ],
)
def test_what_they_refuse(view: list[dict[str, Any]]) -> None:
    assert refused(view)
