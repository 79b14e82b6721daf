"""Heads that sum whole numbers."""

from __future__ import annotations

import pytest

from cfpm.text.heads.features import features
from cfpm.text.heads.linear import AXIS, BIAS, LinearHead, head

TINY = LinearHead(("yes", "no"), {BIAS: (0, 0), "tabs": (110, 0), "^use": (0, 300)})


def test_without_a_known_feature_all_answers_are_as_probable() -> None:
    assert TINY.shares(["hello"]) == [{"yes": 500, "no": 500}]


def test_weights_are_hundredths_of_a_logit() -> None:
    assert TINY.shares(["more tabs"]) == [{"yes": 750, "no": 250}]


def test_features_add_up() -> None:
    assert TINY.shares(["use tabs"])[0]["no"] == 870


def test_a_feature_counts_once() -> None:
    assert TINY.shares(["tabs tabs tabs"]) == TINY.shares(["tabs"])


def test_no_text_no_answer() -> None:
    assert TINY.shares([]) == []


def test_vectors_count_as_well() -> None:
    weights = {BIAS: (0, 0)} | {f"{AXIS}{number}": (1, 0) for number in range(128)}
    one, other = LinearHead(("yes", "no"), weights).shares(["the harbour", "a violin"])
    assert one != other


def test_the_table_has_all_features() -> None:
    assert dict(TINY.table())["tabs"] == (110, 0)


@pytest.mark.parametrize("name", ["user", "agent"])
def test_what_ships_knows_that_most_talk_is_of_the_moment(name: str) -> None:
    shares = head(name).shares(["Let me have a look at that."])[0]
    assert shares["none"] > 700
    assert abs(sum(shares.values()) - 1_000) <= len(shares)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("My sister has moved in with us.", "none"),
        ("Function names start with a verb.", "none"),
        ("我对花生过敏。", "none"),
    ],
)
def test_what_is_told_is_not_of_the_moment(text: str, kind: str) -> None:
    assert head("user").shares([text])[0][kind] < 500


@pytest.mark.parametrize(
    "text",
    [
        "The crash comes from an unguarded index in `parse_header`.",
        "`make serve` starts the API on port 9000.",
        "The export is capped at 500 rows a page.",
    ],
)
def test_findings_of_an_assistant_are_told_from_its_talk(text: str) -> None:
    assert head("agent").shares([text])[0]["none"] < 300


def test_features_hide_what_only_names_things() -> None:
    assert set(features("see src/app/main.py and `x`")) >= {"~/", "`", "see"}
    assert "9000" not in features("port 9000")


def test_a_long_text_is_read_at_its_beginning() -> None:
    assert len(features("word " * 10_000)) < 100
