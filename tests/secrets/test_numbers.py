"""Passwords that are written out as numbers or pieces of their characters, those of several words, and of letters."""

from __future__ import annotations

import pytest

from cfpm.secrets import redact


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("passphrase, byte by byte: 6C 61 6E 74 65 72 6E 39", "6C 61 6E 74 65 72 6E 39"),
        (
            "static byte[] api_key = { (byte) 0x9c, (byte) 0x11, (byte) 0xe4, (byte) 0x70, (byte) 0x5d, (byte) 0x2a };",
            "0x5d",
        ),
        ("$password = chr(108).chr(97).chr(110).chr(116).chr(101).chr(114);", "chr(110)"),
        ("fromCharCode(108,97,110,116,101,114,110) -- the admin password", "108,97,110"),
        (r"export PASS=$'\154\141\156\164\145\162'", r"\154\141"),
        (r"SELECT '\x6c616e7465726e39' FROM t WHERE name = 'smtp_password'", "6c616e7465726e39"),
        ("token = ''.join(['lan', 'tern', '39'])", "tern"),
        ("uint8_t session_key[] = {\n  0x1f, 0x8a, 0xc2, 0x07,\n  0x55, 0xd1, 0x90, 0x3e };", "0x8a"),
    ],
)
def test_what_is_written_out_is_taken_out(text: str, secret: str) -> None:
    assert secret not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "the router needs no password; MAC: 3c:22:fb:10:9e:77",
        "the colours of the key are 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70",
        "8b 1d e4 07 5f c9 32 aa are bytes of a commit that removed the password field",
        "'/'.join(['accounts', 'me', 'password', 'reset'])",
        "arrow keys: 37, 38, 39, 40, 41, 42, 43",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert redact(text).text is text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password: walnut-Parade-drift", "walnut-Parade-drift"),
        ("DB_PASSWORD=harbor-window-seven-olive", "harbor-window-seven-olive"),
        ('{"password": "Cedar.Violin.Moth"}', "Cedar.Violin.Moth"),
        ("BACKUP_PASSWORD=CedarViolinMoth", "CedarViolinMoth"),
        ('set_option(handle, OPT_PASSWORD, "qRtLmWzKpTxYdHnBcVgF");', "qRtLmWzKpTxYdHnBcVgF"),
        ("| box | user | password |\n|---|---|---|\n| nas | ida | cedar_Violin_moth |", "cedar_Violin_moth"),
        ("INSERT INTO api (id, secret_key) VALUES (4, '9f1c07d2ab38e6540c7d');", "9f1c07d2ab38e6540c7d"),
    ],
)
def test_a_password_of_words_or_letters_is_taken_out(text: str, secret: str) -> None:
    assert secret not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "password: forgot-your-password",
        "password = settings.database.primary",
        "password=request.form.pin",
        '"password": "form-control-wide"',
        "password: not-set-yet",
    ],
)
def test_names_of_several_words_stay(text: str) -> None:
    assert redact(text).text is text
