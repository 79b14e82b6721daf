"""The pages that people read agree with the code."""

from pathlib import Path

from cfpm.auditor.reasons import REASONS
from cfpm.gate.decision import Reason
from cfpm.settings import Settings

DOCS = Path(__file__).parent.parent / "docs"


def test_the_page_of_reason_codes_has_every_reason_of_the_gate() -> None:
    page = (DOCS / "reason-codes.md").read_text(encoding="utf-8")
    for reason in Reason:
        assert f"| `{reason}` | {reason.sentence} |" in page


def test_the_page_of_reason_codes_has_every_code_with_its_sentence() -> None:
    page = (DOCS / "reason-codes.md").read_text(encoding="utf-8")
    for reason in REASONS.values():
        assert f"| `{reason.code}` | {reason.sentence} |" in page


def test_no_code_on_the_page_is_unknown() -> None:
    page = (DOCS / "reason-codes.md").read_text(encoding="utf-8")
    candidates, _, gate = page.partition("## Reasons of the pre-tool gate")
    assert _codes(candidates) == list(REASONS)
    assert _codes(gate) == list(Reason)


def _codes(page: str) -> list[str]:
    return [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]


def test_the_defaults_in_the_architecture_page_are_those_of_the_settings() -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    settings = Settings()
    assert f"{settings.log_cap:,} characters" in page
    assert f"{settings.capacity:,} learnt facts" in page
    assert f"below {settings.stale_below} a fact" in page
