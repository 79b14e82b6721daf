"""How dates are scored: what counts as right, and what as the wrong month."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from benchmarks.dates.__main__ import HERE
from benchmarks.dates.scoring import Answer, Score, read

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.dates.scoring import Days


def days(first: str, last: str = "") -> Days:
    return date.fromisoformat(first), date.fromisoformat(last or first)


@pytest.mark.parametrize(
    ("right", "shown", "accepted"),
    [
        ("2026-11-20", days("2026-11-20"), True),
        ("2026-11-20", days("2026-11-21"), False),
        ("2026-11-20", None, False),
        ("2026-11", days("2026-11-01", "2026-11-30"), True),
        ("2026-10-24/2026-10-31", days("2026-10-24", "2026-10-31"), True),
        ("2015/2019", days("2015-01-01", "2019-12-31"), True),
        ("~2026-11", days("2026-11-01", "2026-11-10"), True),
        ("~2026-11", None, True),
        ("~2026-11", days("2026-10-31", "2026-11-02"), False),
        (None, None, True),
        ("", None, True),
        (None, days("2026-11-20"), False),
    ],
)
def test_an_answer_accepts_what_is_right(right: str | None, shown: Days | None, *, accepted: bool) -> None:
    assert Answer.read(right).accepts(shown) is accepted


def test_a_date_in_another_month_than_the_right_one_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    row = '{"id": "1", "language": "en", "kind": "due", "said": "2026-10-23", "text": "Due on the 20th.", "right": %s}'
    path.write_text("\n".join(row % right for right in ('"2026-11-20"', '"2026-09-20"', "null", '"2026-11-21"')))
    score = Score.of(read(path))
    assert (score.right.total(), score.asked.total(), score.wrong_month, len(score.misses)) == (1, 4, 1, 3)


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text('{"id": "1", "language": "en", "kind": "due", "said": "2026-10-23", "text": "x", "right": "soon"}')
    with pytest.raises(ValueError, match="line 1"):
        read(path)


def test_the_sentences_to_develop_on_are_nearly_all_read_right() -> None:
    score = Score.of(sentence for path in sorted(HERE.glob("*.jsonl")) for sentence in read(path))
    assert score.wrong_month <= 1
    assert score.right.total() >= 0.97 * score.asked.total()
