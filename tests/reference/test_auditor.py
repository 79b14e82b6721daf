"""Items 30 to 35 of the original's own tests: what the auditor refuses when a draft is handed to it as it is.

The drafts come from an extra extractor, so that no built-in rule has a say; asserted in full.
"""

from __future__ import annotations

import pytest

from cfpm.model import Category, Decision
from tests.reference.transcripts import OpenMemory, handing, learnt


@pytest.mark.parametrize(
    ("category", "content", "codes"),
    [
        pytest.param(
            Category.ARTIFACT,
            r"D:\export，包含以下文件",
            {"artifact_not_path_like", "artifact_not_clean_path"},
            id="30: a path and words",
        ),
        pytest.param(
            Category.VERIFIED_ACTION, "| `export` | 已完成 |", {"verified_action_unconfirmed"}, id="31: a table row"
        ),
        pytest.param(Category.OPEN_ITEM, "### 8. **TODO（任务管理）**", {"open_item_unconfirmed"}, id="32: a heading"),
        pytest.param(
            Category.ARTIFACT,
            "AI/Agent",
            {"artifact_not_path_like", "artifact_not_absolute_or_project_relative"},
            id="33: a pair of words",
        ),
        pytest.param(Category.ARTIFACT, "/think", {"artifact_not_path_like"}, id="34: a slash command"),
    ],
)
def test_30_to_34_what_is_no_such_thing_is_refused(
    open_memory: OpenMemory, category: Category, content: str, codes: set[str]
) -> None:
    """Reference 30 to 34: refused. The page names no code; where two fit, either may be given."""
    extractors, message = handing((category, content))
    memory = open_memory(extractors=extractors)
    memory.observe([message])
    (row,) = memory.candidates()
    assert row.decision is Decision.REJECTED
    assert row.reason in codes


def test_35_a_project_relative_file_is_accepted(open_memory: OpenMemory) -> None:
    """Reference 35: `src/main.rs` is an artifact."""
    extractors, message = handing((Category.ARTIFACT, "src/main.rs"))
    memory = open_memory(extractors=extractors)
    memory.observe([message])
    assert learnt(memory, Category.ARTIFACT) == ["src/main.rs"]
