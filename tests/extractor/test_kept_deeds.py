"""What of a call is kept as rows, and the names that an edit defines."""

from __future__ import annotations

import pytest

from cfpm.extractor.kept_deeds import MAX_NAMES, kept_by_result, kept_deeds, may_be_told, outcome_of
from cfpm.model import Message, Role, ToolCall, ToolResult


def names(code: str, path: str = "src/app.code") -> str:
    (deed,) = kept_deeds(ToolCall("c1", "Write", {"file_path": path, "content": code}))
    return deed.names


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def tide(day):\n    async def inner():\n", "tide inner"),
        ("class Ferry(Boat):\n", "Ferry"),
        ("export default function Quay() {\n", "Quay"),
        ("export const berth = 3;\n  const local = 4;\n", "berth"),
        ("pub(crate) fn moor<T>(boat: T) {\n", "moor"),
        ("impl<T> fmt::Display for Mast<T> {\n", "Mast"),
        ("impl Sail {\n", "Sail"),
        ("type Anchor struct {\n", "Anchor"),
        ("func (r *Rope) Splice(n int) error {\n", "Splice"),
        ("let mut depth = 0;\n", "depth"),
        ("enum class Flag { RED }\n", "Flag"),
        ("enum Colour {\n", "Colour"),
        ("module Harbour::Crane\n  def self.lift(load)\n", "Harbour::Crane lift"),
        ("interface Props extends Base {\n", "Props"),
        ("public abstract class Keel implements Hull {\n", "Keel"),
        ("defmodule Port.Gate do\n  def open(ship) do\n", "Port.Gate open"),
        ("data class Tug(val power: Int)\n", "Tug"),
        ("# def commented(x):\n// class Neither {\n", ""),
        ("type of the thing\nclass that is meant here\n", ""),
        ("x = 3\nreturn function\n", ""),
    ],
)
def test_what_code_defines(code: str, expected: str) -> None:
    assert names(code) == expected


def test_names_are_few_and_each_once() -> None:
    assert names("\n".join(f"def part{number}():" for number in range(20))).split() == [
        f"part{number}" for number in range(MAX_NAMES)
    ]
    assert names("def again():\ndef again():\n") == "again"


def test_a_text_for_readers_defines_nothing() -> None:
    assert names("class Ferry:\n", "docs/ferry.md") == ""


def test_names_do_not_depend_on_the_order_of_the_arguments() -> None:
    given = {"file_path": "a.py", "edits": [{"old_string": "def old():", "new_string": "def new():"}], "x": "def x():"}
    turned = dict(reversed(given.items()))
    turned["edits"] = [{"new_string": "def new():", "old_string": "def old():"}]
    (one,), (other,) = (kept_deeds(ToolCall("c", "MultiEdit", arguments)) for arguments in (given, turned))
    assert one == other
    assert one.names == "old new"


@pytest.mark.parametrize(
    "code", ["class " * 4_000, "impl<" * 4_000, "class " + "a" * 20_000, "pub(" * 5_000, "@@" * 9_999]
)
def test_strange_code_is_read_at_once(code: str) -> None:
    assert len(names(f"{code}\n" * 3)) <= 400


def test_the_result_of_an_edit_may_say_which_file_it_was() -> None:
    call = ToolCall("c1", "Edit", {})
    assert kept_deeds(call) == []
    assert may_be_told(call)
    assert not may_be_told(ToolCall("c2", "WebFetch", {"url": "https://a.example"}))
    done = Message(
        Role.TOOL, "The file /srv/a.py has been updated.\n    12→class Ferry:", "m", tool_result=ToolResult("c1")
    )
    (deed,) = kept_by_result(call, outcome_of(call, done))
    assert (deed.verb, deed.what, deed.names) == ("edited", "/srv/a.py", "Ferry")
    failed = Message(Role.TOOL, "The file /srv/a.py has been updated.", "m", tool_result=ToolResult("c1", True))
    assert kept_by_result(call, outcome_of(call, failed)) == []


def test_a_command_is_kept_without_the_data_of_its_here_document() -> None:
    (ran,) = kept_deeds(ToolCall("c1", "Bash", {"command": "cat > a.txt <<EOF\nzorblat\nEOF\n"}))
    assert ran.verb == "ran"
    assert "zorblat" not in ran.what
