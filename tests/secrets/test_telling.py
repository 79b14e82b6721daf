"""Secrets that no word names, read in their surroundings."""

from __future__ import annotations

import io

import pytest

from cfpm.embedding import stored
from cfpm.secrets import redact
from cfpm.secrets.telling import MOST_WINDOWS, NEVER, telling


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("When you get to the barn, tap 0417 and push hard, the light is on the left.", "0417"),
        ("for the guest network upstairs just type marmot-lake-88 when it asks", "marmot-lake-88"),
        ("my nephew logs into the printer with Hedgehog-Picnic-31, same as last year", "Hedgehog-Picnic-31"),
        ("后门按 3917 再推就开了", "3917"),
    ],
)
def test_what_opens_something_is_taken_out_though_no_word_names_it(text: str, secret: str) -> None:
    assert secret not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "The password reset was requested at 2024-03-11T07:15:00Z by user 88.",
        "Take bus 417 to the barn and get off at stop 12.",
        "We ordered 48213 bolts, order number 7719, at gate 14.",
        "Argon2PasswordHasher is the first of PASSWORD_HASHERS.",
        "/data/last_words_of_user2/home/Bureau",
        "The key lies in /srv/login_tests4/word7/pass_03.",
    ],
)
def test_what_opens_nothing_stays(text: str) -> None:
    assert redact(text).text == text


def test_each_span_has_an_answer_wherever_it_stands() -> None:
    told = "When you get to the barn, tap 0417 and push hard, the light is on the left."
    text = "\n".join([*["We had a very nice day at the lake with the whole family and the dogs."] * 20, told])
    asked, other = telling(text, [(at := text.index("0417"), at + 4), (0, 2)])
    assert asked > other > NEVER


def test_of_a_long_table_not_every_window_is_read() -> None:
    text = "\n".join(f"row {number} holds the value {number * 37 + 1000} of the second sensor" for number in range(900))
    spans = [(at, at + 4) for at in range(0, len(text) - 4, 40)]
    assert telling(text, spans).count(NEVER) > len(spans) - MOST_WINDOWS * 20


def test_weights_that_were_changed_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    right = stored._opened
    monkeypatch.setattr(stored, "_opened", lambda *of: io.BytesIO(right(*of).read() + b"x"))
    with pytest.raises(Exception, match=r"telling\.npz is not the released file"):
        stored.stored_weights("cfpm.secrets", "telling")
