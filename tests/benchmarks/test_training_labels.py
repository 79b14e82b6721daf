"""What the linear heads learn from, and what is left to the heads that weigh their answers."""

from benchmarks.train.__main__ import learnt_by
from benchmarks.train.labels import HERE, kept_for_rules, sentences

MENTOR = HERE / "mentor-m19.jsonl"
"""A dialogue whose statements `standing` learns from."""


def test_what_weighs_rules_learns_from_sentences_that_no_other_head_has_seen() -> None:
    kept = kept_for_rules()
    assert any(one.text in kept for one in sentences([MENTOR]))
    learnt = learnt_by("user", [MENTOR], None)
    assert learnt
    assert not any(one.text in kept for one in learnt)
