"""Patterns of names and their trust: the first that fits, case aside, for tools, people or both."""

from __future__ import annotations

import pytest

from cfpm.model.trust import Trust, TrustTable, speaks_for_user

TABLE = TrustTable.of(
    {"tool:Ann": "untrusted", "speaker:ann": "own", "mcp__mail__*": "untrusted", "b?": "own", "*": "data"}
)


@pytest.mark.parametrize(
    ("name", "tool", "speaker"),
    [
        ("Ann", Trust.UNTRUSTED, Trust.OWN),
        ("mcp__Mail__list", Trust.UNTRUSTED, Trust.UNTRUSTED),
        ("Bo", Trust.OWN, Trust.OWN),
        ("fetch", Trust.DATA, Trust.DATA),
    ],
)
def test_the_first_pattern_that_fits_decides(name: str, tool: Trust, speaker: Trust) -> None:
    assert TABLE.of_tool(name) is tool
    assert TABLE.of_speaker(name) is speaker
    assert TABLE.may_steer_tool(name) is (tool is not Trust.UNTRUSTED)


def test_without_a_row_tools_are_data_and_people_are_judged_by_their_place() -> None:
    table = TrustTable()
    assert table.of_tool("bash") is Trust.DATA
    assert table.of_speaker("Ann") is None
    assert speaks_for_user("", "Ann", table) is Trust.OWN
    assert speaks_for_user("ann", "Ann", table) is Trust.OWN
    assert speaks_for_user("Bo", "Ann", table) is Trust.DATA
    assert speaks_for_user("Bo", "", table) is Trust.DATA
    assert speaks_for_user("Bo", None, table) is Trust.OWN


def test_a_trust_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="friend"):
        TrustTable.of({"fetch": "friend"})
