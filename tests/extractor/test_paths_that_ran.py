"""A path that was not there is no longer told as one to avoid when a command has run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.model import Category, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = "/srv/kiln"
PATH = f"{ROOT}/web/dist/main.js"


def ran(number: int, command: str, output: str, code: int) -> list[dict[str, object]]:
    arguments = {"command": command, "workdir": ROOT}
    call = {"id": f"c{number}", "type": "function", "function": {"name": "shell", "arguments": arguments}}
    result = {"role": "tool", "tool_call_id": f"c{number}", "content": output, "exit_code": code}
    return [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": None, "tool_calls": [call]}, result]


def status(memory: Memory) -> list[Status]:
    return [fact.status for fact in memory.facts(status=None) if fact.category is Category.INVALID_PATH]


@pytest.fixture
def broken() -> Iterator[Memory]:
    with Memory.open("sqlite://") as memory:
        memory.observe(ran(1, "node web/dist/main.js", f"Error: Cannot find module '{PATH}'", 1))
        assert status(memory) == [Status.ACTIVE]
        yield memory


@pytest.mark.parametrize(
    "command",
    [
        "make build && node web/dist/main.js check",
        f"node --enable-source-maps {PATH} check",
        "time ./web/dist/main.js --version",
        "make build && LEVEL=debug node 'web/dist/main.js' 2>&1",
    ],
)
def test_what_ran_is_there(broken: Memory, command: str) -> None:
    broken.observe(ran(2, command, "3 tiles checked", 0))
    assert status(broken) == [Status.STALE]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("node web/dist/main.js check", 1),
        ("node web/dist/main.js; true", 0),
        ("node web/dist/main.js || true", 0),
        ("node web/dist/main.js | head", 0),
        ("rm -f web/dist/main.js", 0),
        ("node other/dist/main.js", 0),
    ],
)
def test_what_may_not_have_run_says_nothing(broken: Memory, command: str, code: int) -> None:
    broken.observe(ran(2, command, "3 tiles checked", code))
    assert status(broken) == [Status.ACTIVE]
