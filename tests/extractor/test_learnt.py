"""What learnt weights make of sentences: what is kept, for how long, and how many findings of one message."""

from __future__ import annotations

import pytest

from cfpm.extractor.learnt import MOST_FINDINGS
from cfpm.model import OF_A_TASK, Category, Draft, Mark
from tests.extractor.saying import agent, drafts, user


def the_draft(found: list[Draft], text: str) -> Draft:
    return next(draft for draft in found if draft.content == text)


@pytest.mark.parametrize(
    "text", ["Hmm, let me think about that for a second.", "That one looks a bit odd to me somehow."]
)
def test_talk_of_the_moment_is_marked(text: str) -> None:
    assert [Mark.PASSING in draft.marks for draft in drafts(user(text))] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "My sister Hanna is allergic to walnuts.",
        "The staging server runs Debian 12.",
        "Releases are cut from the trunk.",
    ],
)
def test_what_stays_true_is_believed_for_long(text: str) -> None:
    draft = the_draft(drafts(user(text)), text)
    assert Mark.PASSING not in draft.marks
    assert draft.confidence > OF_A_TASK


@pytest.mark.parametrize(
    "text", ["Please rename the helper in this file to parse_rows.", "Add a test for the empty list to this branch."]
)
def test_what_the_task_at_hand_asks_for_goes_stale_soon(text: str) -> None:
    draft = the_draft(drafts(user(text)), text)
    assert (draft.category, draft.confidence) == (Category.GOAL, OF_A_TASK)


def findings(text: str) -> list[Draft]:
    return [draft for draft in drafts(agent(text)) if draft.rule.startswith("finding.")]


@pytest.mark.parametrize(
    "text",
    [
        "The importer keeps its state in `state.json`, and it starts from scratch if that file is missing.",
        "`make seed` fills the local database, and it needs the VPN since the dump lies on the office server.",
    ],
)
def test_what_will_be_good_to_know_is_a_finding(text: str) -> None:
    assert [draft.content for draft in findings(text)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Let me look at the second file before I go on.",
        "**Step 3** (lines 40-62)",
        "I will now update the tests and run them again.",
        "I added a `retries` parameter to `fetch()` in client.py.",
        "All 48 tests pass.",
    ],
)
def test_talk_about_the_work_is_no_finding(text: str) -> None:
    assert findings(text) == []


def test_of_a_long_report_only_the_best_findings_are_drafted() -> None:
    parts = ["invoices", "orders", "refunds", "coupons", "carts", "stocks", "prices", "mails"]
    text = "\n".join(
        f"The {part} table is partitioned by month, so any query without a date scans all of its files."
        for part in parts
    )
    assert len(findings(text)) == MOST_FINDINGS


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Our staging database is db-3.", Category.NOTE),
        ("I run a small bakery in Porto with my brother.", Category.PROFILE),
        ("We decided to go with Postgres instead of MySQL.", Category.DECISION),
        ("I want a login page for the shop.", Category.GOAL),
        ("Backend is Django and we want to add a login page.", Category.GOAL),
    ],
)
def test_what_opens_a_session_is_its_goal_unless_it_only_tells_something(text: str, category: Category) -> None:
    assert the_draft(drafts(user(text)), text).category is category
