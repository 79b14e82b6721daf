"""Items 44 to 47 and 65 to 67 of the original's own tests: the injected block, and the message of a turn's work.

Items 36 to 43 (compaction), 48 to 64 (gate), 68 and 69 (the gate's message) come with those parts. The drawing of a
line and a button, the other half of items 65 to 67, is a user interface's; asserted is what it draws from: the parsed
message.
"""

from __future__ import annotations

import json

import pytest

from cfpm import Memory
from cfpm.model import Category
from cfpm.model.markers import RUNTIME_PREFIX
from cfpm.pipeline.report import Report
from cfpm.recall.runtime import RuntimeMessage, parse_runtime_message, runtime_message
from tests.reference.transcripts import agent, ran, user

ONEDRIVE = r"C:\Users\lin\OneDrive\Desktop"
BROKEN = r"C:\Users\lin\Desktop"
LOOK_UP = "[Environment]::GetFolderPath('Desktop')"


def _found(path: str, day: str) -> list[dict[str, object]]:
    return ran(f"{LOOK_UP} # {day}", path, at=f"{day}T10:00:00Z", exit_code=0)


def test_44_only_the_active_artifact_is_injected(memory: Memory) -> None:
    """Reference 44: of an active and a stale artifact the block has the active one."""
    memory.observe([user("Where is my desktop?", at="2019-01-01T10:00:00Z"), *_found(r"D:\Old\Desktop", "2019-01-01")])
    memory.observe([user("And today?", at="2026-03-01T10:00:00Z"), *_found(ONEDRIVE, "2026-03-01")])
    block = memory.recall("desktop").block
    assert f"[{Category.ARTIFACT}] {ONEDRIVE}" in block
    assert rf"[{Category.ARTIFACT}] D:\Old\Desktop" not in block


def test_44_the_block_says_how_to_use_it(memory: Memory) -> None:
    """Reference 44: the block comes with guidance not to look again for what is known."""
    memory.observe([user("Where is my desktop?"), *_found(ONEDRIVE, "2026-03-01")])
    label = memory.recall("desktop").block.splitlines()[0]
    assert "data" in label
    assert "verify" in label or "look" in label or "discover" in label


def test_45_a_date_is_not_injected_the_path_is(memory: Memory) -> None:
    """Reference 45: a date that stood beside a path is not in the block."""
    memory.observe([user("Where is the export?"), agent("E:\\data\\export\\result.txt\n2026/1/3")])
    block = memory.recall("result export").block
    assert rf"[{Category.ARTIFACT}] E:\data\export\result.txt" in block
    assert f"[{Category.ARTIFACT}] 2026/1/3" not in block


def test_46_known_invalid_paths_have_a_place_of_their_own(memory: Memory) -> None:
    """Reference 46: with an invalid path, the block shows both paths, the invalid one as not to be used."""
    missing = f"Cannot find path '{BROKEN}' because it does not exist."
    memory.observe(
        [user("Where is my desktop?"), *ran(f"dir {BROKEN}", missing, exit_code=1), *_found(ONEDRIVE, "2026-03-01")]
    )
    lines = memory.recall("desktop").block.splitlines()
    assert any(line.startswith(f"- [{Category.INVALID_PATH}] do not use: {BROKEN} (") for line in lines)
    assert any(ONEDRIVE in line and "do not use" not in line for line in lines)


def test_46_whatever_is_asked(memory: Memory) -> None:
    """Reference 46: the invalid path is shown for an unrelated question too."""
    memory.observe(ran(f"dir {BROKEN}", f"Cannot find path '{BROKEN}' because it does not exist.", exit_code=1))
    assert f"do not use: {BROKEN}" in memory.recall("which colours does the logo have?").block


def test_47_the_runtime_message_is_a_prefix_and_a_document() -> None:
    """Reference 47: prefix and JSON with verbosity debug, reason, mode, counts 2 and 1, and 9 facts."""
    report = Report(accepted=2, rejected=1, facts=9, rejected_by_reason={"artifact_unhelpful": 1})
    text = runtime_message(report, "debug", "turn_checkpoint")
    assert text is not None
    assert text.startswith("[CFPM_RUNTIME_V1] {")
    assert json.loads(text.removeprefix("[CFPM_RUNTIME_V1] ")) == {
        "version": "v1",
        "verbosity": "debug",
        "reason": "turn_checkpoint",
        "mode": "merge",
        "acceptedCount": 2,
        "rejectedCount": 1,
        "prunedCount": 0,
        "factCount": 9,
        "rejectedReasonBreakdown": ["artifact_unhelpful=1"],
    }


@pytest.mark.parametrize(
    "text",
    [
        "The cart is done.",
        "",
        "[CFPM_RUNTIME_V1]",
        "[CFPM_RUNTIME_V1] {",
        '[CFPM_RUNTIME_V1] ["a"]',
        '{"mode": "merge"}',
    ],
)
def test_65_any_other_text_is_shown_as_it_is(text: str) -> None:
    """Reference 65: plain text, and what only looks like a message, is none."""
    assert parse_runtime_message(text) is None


def test_66_a_brief_message_has_its_counts_and_no_prefix() -> None:
    """Reference 66: a brief message parses, white space around it aside; what is missing gets its default."""
    text = f"\n {RUNTIME_PREFIX}" + '{"acceptedCount": 2, "factCount": 9}\n'
    assert parse_runtime_message(text) == RuntimeMessage("v1", "brief", "unknown", "unknown", accepted=2, facts=9)


def test_67_a_debug_message_reveals_the_reason_codes() -> None:
    """Reference 67: the reason codes of a real turn come back from its debug message, the most frequent first."""
    codes = {"negated": 1, "quoted": 3, "artifact_unhelpful": 1}
    text = runtime_message(Report(rejected=5, rejected_by_reason=codes), "debug", "turn_checkpoint")
    assert text is not None
    parsed = parse_runtime_message(text)
    assert parsed is not None
    assert parsed.verbosity == "debug"
    assert list(parsed.rejected_by_reason.items()) == [("quoted", 3), ("artifact_unhelpful", 1), ("negated", 1)]
