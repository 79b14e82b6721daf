"""A path that a tool removed or moved is believed no longer, and the history of its fact says why."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest

from cfpm import Category, Memory, Status

Row = dict[str, Any]


NUMBERS = count()


def did(name: str, arguments: Row, output: str = "", **status: object) -> list[Row]:
    made = {"name": name, "arguments": json.dumps(arguments)}
    ident = f"c{next(NUMBERS)}"
    call = {"id": ident, "type": "function", "function": made}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": ident, "content": output, **({"is_error": False} | status)},
    ]


def wrote(path: str, **more: str) -> list[Row]:
    return did("Write", {"file_path": path, "content": "x", **more}, "File written.")


def told(memory: Memory, *actions: list[Row], session: str = "s") -> None:
    rows: list[Row] = [{"role": "user", "content": f"Go on with number {next(NUMBERS)}, please."}]
    memory.observe([*rows, *(row for action in actions for row in action)], session=session)


def artifacts(memory: Memory, status: Status = Status.ACTIVE) -> list[str]:
    return sorted(fact.content for fact in memory.facts(category=Category.ARTIFACT, status=status))


@pytest.fixture
def memory() -> Memory:
    return Memory.open("sqlite://")


@pytest.mark.parametrize(
    "removal",
    [
        did("Bash", {"command": "rm -rf /srv/shop/utils"}),
        did("Bash", {"command": "cd /srv/shop && git rm -r utils"}, "rm 'utils/money.py'"),
        did("shell", {"command": ["bash", "-lc", "rm -r utils"], "workdir": "/srv/shop"}),
        did("delete_file", {"path": "/srv/shop/utils/money.py"}),
        did("apply_patch", {"input": "*** Begin Patch\n*** Delete File: utils/money.py\n", "cwd": "/srv/shop"}),
        did("Bash", {"command": "git rm -r utils"}, "rm 'utils/money.py'"),
    ],
)  # fmt: skip
def test_what_a_tool_removes_is_no_artifact_any_more(memory: Memory, removal: list[Row]) -> None:
    told(memory, wrote("/srv/shop/utils/money.py"), wrote("/srv/shop/cart.py"))
    told(memory, removal)
    assert artifacts(memory) == ["/srv/shop/cart.py"]
    (gone,) = memory.facts(category=Category.ARTIFACT, status=Status.STALE)
    assert memory.history(gone.id)[-1].cause.startswith("removed: ")


def test_what_is_moved_is_where_it_was_moved_to(memory: Memory) -> None:
    told(memory, wrote("/srv/shop/vat.py"))
    told(memory, did("Bash", {"command": "mv /srv/shop/vat.py /srv/shop/taxes.py"}, exit_code=0))
    assert artifacts(memory) == ["/srv/shop/taxes.py"]
    (gone,) = memory.facts(category=Category.ARTIFACT, status=Status.STALE)
    assert memory.history(gone.id)[-1].cause.startswith("moved to /srv/shop/taxes.py: ")


@pytest.mark.parametrize(
    "removal",
    [
        did("Bash", {"command": "rm /srv/shop/cart.py"}, "Permission denied", is_error=True),
        did("Bash", {"command": "rm /srv/shop/cart.py"}, "rm: cannot remove '/srv/shop/cart.py': Busy", is_error=None),
        did("Bash", {"command": "git rm --cached /srv/shop/cart.py"}),
        did("Bash", {"command": "rm /srv/shop/cart.py.bak /srv/shop/car"}),
        did("Bash", {"command": "rm *.py $ALL"}),
    ],
)
def test_what_a_tool_does_not_remove_stays(memory: Memory, removal: list[Row]) -> None:
    told(memory, wrote("/srv/shop/cart.py"))
    told(memory, removal)
    assert artifacts(memory) == ["/srv/shop/cart.py"]


def test_what_is_written_again_is_there_again(memory: Memory) -> None:
    told(memory, wrote("/srv/shop/cart.py"))
    told(memory, did("Bash", {"command": "rm /srv/shop/cart.py"}), wrote("/srv/shop/cart.py"))
    assert artifacts(memory) == ["/srv/shop/cart.py"]


def test_what_is_removed_in_the_turn_that_wrote_it_is_gone(memory: Memory) -> None:
    told(memory, wrote("/srv/shop/cart.py"), did("Bash", {"command": "rm /srv/shop/cart.py"}))
    assert artifacts(memory) == []


def test_a_relative_removal_where_two_projects_have_the_path_removes_neither(memory: Memory) -> None:
    told(memory, wrote("/srv/shop/cart.py"), wrote("/srv/other/cart.py"))
    told(memory, did("Bash", {"command": "rm cart.py"}))
    assert artifacts(memory) == ["/srv/other/cart.py", "/srv/shop/cart.py"]


def test_a_pinned_path_stays(memory: Memory) -> None:
    told(memory, wrote("/srv/shop/cart.py"))
    memory.pin(memory.facts(category=Category.ARTIFACT)[0].id)
    told(memory, did("Bash", {"command": "rm /srv/shop/cart.py"}))
    assert artifacts(memory) == ["/srv/shop/cart.py"]


def test_a_relative_path_is_kept_under_the_folder_of_its_call(memory: Memory) -> None:
    told(memory, did("edit_file", {"path": "src/cart.py", "cwd": "/srv/shop", "edits": []}, "1 replacement"))
    assert artifacts(memory) == ["/srv/shop/src/cart.py"]


def test_the_files_of_a_patch_are_artifacts(memory: Memory) -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n*** Add File: src/b.py\n*** End Patch"
    told(memory, did("apply_patch", {"input": patch, "workdir": "/srv/shop"}, "Success. Updated the following files:"))
    assert artifacts(memory) == ["/srv/shop/src/a.py", "/srv/shop/src/b.py"]


def test_a_removed_file_is_no_artifact_of_its_removal(memory: Memory) -> None:
    told(memory, did("delete_file", {"path": "/srv/shop/cart.py"}, "Deleted /srv/shop/cart.py"))
    assert artifacts(memory) == []
