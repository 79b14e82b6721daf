"""The cases are what the documentation says they are, and both halves are alike."""

from collections import Counter

import pytest

from benchmarks.junk.cases import HALVES, cases
from benchmarks.junk.fake_secrets import filled, secret
from cfpm.auditor.reasons import REASONS
from cfpm.model import Category
from cfpm.secrets import redact

EVERY = cases()


def test_there_are_enough_of_many_kinds() -> None:
    assert len(EVERY) >= 420
    assert len({case.kind for case in EVERY}) >= 22
    assert len({case.id for case in EVERY}) == len(EVERY)


def test_a_quarter_is_chinese_and_a_third_holds_good_facts() -> None:
    chinese = sum(case.lang == "zh" for case in EVERY)
    assert 4 * chinese >= len(EVERY)
    assert 10 * sum(bool(case.good) for case in EVERY) >= 3 * len(EVERY)


def test_the_halves_hold_as_many_of_each_kind_and_language() -> None:
    shapes = [Counter((c.kind, c.lang, len(c.good) > 0) for c in EVERY if c.half == half) for half in HALVES]
    assert shapes[0] == shapes[1]


def test_no_text_stands_in_both_halves() -> None:
    texts = [{item.text.lower() for case in EVERY if case.half == half for item in case.expect} for half in HALVES]
    assert not texts[0] & texts[1]


def test_every_case_is_sound() -> None:
    for case in EVERY:
        assert case.why, case.id
        assert case.expect, case.id
        assert all(message.id for message in case.conversation().messages), case.id
        for item in case.expect:
            assert item.messages, f"{item.text!r} stands in no message"
            assert item.categories <= set(Category), case.id
            assert item.reasons <= set(REASONS), case.id
            assert bool(item.reasons) is not item.stored, case.id
            assert not item.repeats or item.repeats in {other.text for other in case.good}, case.id


@pytest.mark.parametrize(
    "name", ["aws_key", "github_token", "openai_key", "stripe_key", "slack_token", "jwt", "private_key"]
)
def test_an_invented_secret_looks_like_one(name: str) -> None:
    assert secret(name) not in redact(f"the value is {secret(name)} here").text


def test_a_secret_is_the_same_each_time_and_another_for_another_name() -> None:
    assert filled("{{password}}") == filled("{{password}}") == secret("password")
    assert secret("password") != secret("password_b")


def test_a_slot_without_a_kind_is_an_error() -> None:
    with pytest.raises(KeyError):
        filled("{{nonsense}}")
