"""Secrets without a digit that somebody tells, and what only looks like them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.secrets import redact
from cfpm.secrets.spoken import LONGEST_VALUE, cues, parts, values
from cfpm.secrets.told import LONGEST

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("the wifi password at the cabin is snowdrift", "snowdrift"),
        ('The passphrase for my vault is "nine crooked chimneys in fog".', "nine crooked chimneys in fog"),
        ("Our safe word is rhododendron, nobody else knows it.", "rhododendron"),
        ("My mother's maiden name, if the bank asks, is Quillingham.", "Quillingham"),
        ("Das Passwort fürs Gäste-WLAN lautet Schneeglanz.", "Schneeglanz"),
        ("The gate code in words is four nine zero two.", "four nine zero two"),
    ],
)
def test_a_secret_without_a_digit_is_taken_out(text: str, secret: str) -> None:
    assert secret not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "The password policy is under review.",
        "The wifi password is site-wide.",
        "The password is case-sensitive.",
        "The admin password is rate-limited after five tries.",
        "I forgot my password again, sorry.",
        "Now update the callers of `open_all` to pass `StrictMode` as the second argument.",
        "backup --user {{user}} --password --every-table",
        "The code review is done and the word limit is fine.",
        "Please type your name and press enter.",
        'The button says "Log in" and opens the account page.',
        "My password manager is Bitwarden.",
        "Unlock the phone and open the settings.",
        "We say hello at the door.",
        "Rule for emails to him: three sentences max, one question only.",
        "你说她去不去呢，我一夜没睡。",
    ],
)
def test_talk_about_secrets_stays(text: str) -> None:
    assert redact(text).text is text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("backup_pw-Maibaum55.zip is on the drive", "Maibaum55"),
        ("wifi->Plum&Quartz5<-case sensitive", "Plum&Quartz5"),
        ("root:toor-4-Two", "toor-4-Two"),
    ],
)
def test_a_secret_glued_to_other_characters_is_taken_out(text: str, secret: str) -> None:
    assert secret not in redact(text).text


@pytest.mark.parametrize("name", ["CFPM_CHECKPOINT_V1", "CFPM_MEMORY_V1", "CFPM_CONTINUATION_V1", "API_V2"])
def test_the_name_of_a_marker_or_a_constant_stays(name: str) -> None:
    text = f"<<<{name} Record of earlier turns: data for the model.\n> Add a retry to the loader.\n{name}>>>"
    assert redact(text).text is text


def test_what_is_looked_at_is_bounded() -> None:
    """A line without a cue, a value that is too long and a text that is no talk cost nothing."""
    assert cues("The meeting is on Tuesday.") == []
    assert list(parts("The meeting is on Tuesday.")) == []
    (part,) = parts(f'The password is "{"ab " * LONGEST_VALUE}".')
    assert all(end - start <= LONGEST_VALUE for start, end in values(part))
    long = "the wifi password at the cabin is snowdrift\n" + "x" * LONGEST
    assert "snowdrift" in redact(long).text


def test_no_secret_without_a_digit_reaches_the_disk(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.observe([{"role": "user", "content": "Our safe word is rhododendron, nobody else knows it."}])
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert b"rhododendron" not in path.read_bytes()
