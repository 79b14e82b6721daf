"""Numbers of people, by their check digits, and the setting that says which of them are taken out."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfpm import Memory, Settings
from cfpm.secrets import national, redact

VALID: dict[national.Check, str] = {
    national.austrian: "1237010180",
    national.belgian: "93051822361",
    national.brazilian: "11144477735",
    national.british: "9434765919",
    national.canadian: "130692544",
    national.chinese: "11010519491231002X",
    national.dutch: "111222333",
    national.finnish: "131052-308T",
    national.french: "255081416802538",
    national.german: "86095742719",
    national.indian: "499118665246",
    national.italian: "RSSMRA85T10A562S",
    national.japanese: "123456789018",
    national.norwegian: "15076500565",
    national.polish: "44051401359",
    national.portuguese: "123456789",
    national.romanian: "1800101221144",
    national.russian: "11223344595",
    national.south_african: "8001015009087",
    national.spanish: "12345678Z",
    national.swedish: "8112189876",
    national.swiss: "7569217076985",
    national.turkish: "10000000146",
}
"""The numbers with which the states' own pages explain their check digits."""


@pytest.mark.parametrize("check", VALID, ids=lambda check: check.__name__)
def test_a_number_with_the_right_check_digits_is_one(check: national.Check) -> None:
    assert check(VALID[check])


@pytest.mark.parametrize("check", VALID, ids=lambda check: check.__name__)
def test_a_number_with_one_other_digit_is_none(check: national.Check) -> None:
    number = VALID[check]
    at = next(index for index in range(len(number) - 3, -1, -1) if number[index].isdigit())
    other = number[:at] + str((int(number[at]) + 1) % 10) + number[at + 1 :]
    assert not check(other)


def test_a_number_is_taken_where_it_is_called_so() -> None:
    assert (
        redact("meine Steuer-ID ist 86 095 742 719, danke").text == "meine Steuer-ID ist [redacted:national-id], danke"
    )
    assert redact("ticket 86095742719 is open").findings == ()


def test_all_takes_what_has_the_check_digits_and_off_takes_none() -> None:
    text = "order 86095742719, card 4539 1488 0343 6467, PESEL 44051401359"
    assert redact(text, "all").text.count("[redacted:") == 3
    assert redact(text, "named").text.startswith("order 86095742719, card [redacted:card-number]")
    assert redact(text, "off").text is text


@pytest.mark.parametrize(
    "card",
    [
        "4539 1488 0343 6467",
        "4539.1488.0343.6467",
        "4539-148803-43646-7",
        "45391488 03436467",
        "45-39-14-88-03-43-64-67",
    ],
)
def test_a_card_is_taken_in_any_grouping(card: str) -> None:
    assert redact(f"my visa card {card} expires").text == "my visa card [redacted:card-number] expires"


@pytest.mark.parametrize(("numbers", "left"), [("off", True), ("named", True), ("all", False)])
def test_the_setting_reaches_what_is_stored(tmp_path: Path, numbers: str, left: bool) -> None:
    settings = Settings(personal_numbers=numbers)  # type: ignore[arg-type]
    with Memory.open(f"sqlite:///{tmp_path / 'memory.db'}", settings=settings) as memory:
        memory.observe([{"role": "user", "content": "Remember the number 86095742719 for me."}])
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert (b"86095742719" in stored) is left
