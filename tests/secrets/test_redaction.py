"""What `redact` promises, whatever the text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm.secrets import PLACEHOLDER, has_placeholder, load_patterns, redact
from cfpm.secrets.matching import claims

TOKEN = "gh" + "p_Zk3vT9qLw2XyB7nM4cRd8fGh1jKp5sVt0uWa"
KEY = "sk-" + "ant-api03-Zk3vT9qLw2XyB7nM4cRd8fGh1jKp5sVt0uWa"

PIECES = [example for pattern in load_patterns() for example in pattern.examples]
GLUE = [
    "",
    " ",
    "\n",
    "，",
    '"',
    "'",
    "=",
    ": ",
    "/",
    "\\n",
    "&",
    "[redacted:password]",
    "password=",
    "token: ",
    "，密码是",
]

texts = st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(GLUE), st.text(max_size=12)), max_size=12).map(
    "".join
)


@pytest.mark.slow
@given(texts)
@settings(max_examples=150, deadline=None)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text).text
    again = redact(once)
    assert again.text is once
    assert again.findings == ()


@given(texts)
@settings(max_examples=150, deadline=None)
def test_findings_are_the_placeholders_in_order(text: str) -> None:
    found = redact(text)
    cursor = 0
    for finding in found.findings:
        assert cursor <= finding.start
        assert found.text[finding.start : finding.end] == f"[redacted:{finding.kind}]"
        cursor = finding.end
    taken = sum(1 for _ in PLACEHOLDER.finditer(found.text)) - sum(1 for _ in PLACEHOLDER.finditer(text))
    assert len(found.findings) == taken or PLACEHOLDER.search(text)


@given(texts)
@settings(max_examples=100, deadline=None)
def test_nothing_outside_the_findings_changes(text: str) -> None:
    found = redact(text)
    kept, cursor = [], 0
    for finding in found.findings:
        kept.append(found.text[cursor : finding.start])
        cursor = finding.end
    kept.append(found.text[cursor:])
    position = 0
    for part in kept:
        position = text.index(part, position) + len(part)


def test_a_text_without_secrets_is_the_very_same_object() -> None:
    text = "Build it with `make all`, then run the linter."
    found = redact(text)
    assert found.text is text
    assert found.findings == ()


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "\ud800 torn surrogate", "[redacted:password]", "-----BEGIN ", "eyJ"]
)
def test_odd_texts_pass_unchanged(text: str) -> None:
    assert redact(text).text is text


def test_a_token_is_found_next_to_chinese_characters() -> None:
    assert redact(f"密钥{KEY}是我的").text == "密钥[redacted:anthropic-key]是我的"
    assert redact(f"用{TOKEN}登录").text == "用[redacted:github-token]登录"


@pytest.mark.parametrize("before", ["my", "deploy_", "backup-", "TOKEN", "x9", "/keys/old-", "密钥", "\\u0020", "%20"])
def test_a_token_is_found_whatever_it_is_glued_to(before: str) -> None:
    assert redact(f"{before}{TOKEN}.txt").text.endswith("[redacted:github-token].txt")


def test_a_short_prefix_says_nothing_inside_a_word() -> None:
    assert claims("disk-9f8e7d6c5b4a39281706f5e4d3c2b1a0 and ask-A1b2C3d4E5f6G7h8I9j0K1l2") == []


def test_a_token_at_either_end_of_the_text_is_found() -> None:
    assert redact(TOKEN).text == "[redacted:github-token]"
    assert redact(f"{TOKEN} {KEY}").text == "[redacted:github-token] [redacted:anthropic-key]"


def test_every_part_of_a_text_that_is_cut_in_two_is_safe_or_too_short_to_use() -> None:
    text = f"export GITHUB_TOKEN={TOKEN} && make"
    for cut in range(len(text)):
        head, tail = redact(text[:cut]).text, redact(text[cut:]).text
        assert TOKEN not in head
        assert TOKEN not in tail


def test_a_token_behind_an_escape_or_a_colour_is_found() -> None:
    assert TOKEN not in redact(json.dumps({"stdout": f"first line\n{TOKEN}\n"})).text
    assert TOKEN not in redact(f"url?next=x%3D{TOKEN}").text
    assert TOKEN not in redact(f"\x1b[94m{TOKEN}\x1b[0m").text


def test_of_two_overlapping_kinds_the_more_special_one_names_both() -> None:
    assert redact(f"Authorization: Bearer {TOKEN}").text == "Authorization: Bearer [redacted:github-token]"


def test_a_secret_that_is_named_once_is_removed_everywhere() -> None:
    found = redact("password: Hunter2xyz\nthe log says: login with Hunter2xyz failed, Hunter2xyzabc.log stays")
    assert found.text == (
        "password: [redacted:password]\nthe log says: login with [redacted:password] failed, Hunter2xyzabc.log stays"
    )


def test_a_placeholder_that_was_there_is_neither_touched_nor_reported() -> None:
    text = f"password: [redacted:password], token {TOKEN}"
    found = redact(text)
    assert found.text == "password: [redacted:password], token [redacted:github-token]"
    assert [finding.kind for finding in found.findings] == ["github-token"]


def test_a_value_that_only_a_replacement_lays_open_is_found_too() -> None:
    found = redact(f"{TOKEN}:{TOKEN}@password=Hunter2xyz")
    assert "Hunter2xyz" not in found.text
    assert TOKEN not in found.text


def test_a_value_longer_than_the_table_looks_is_replaced_to_its_end() -> None:
    value = "aB3" * 400
    assert redact(f"client_secret={value} next").text == "client_secret=[redacted:named-secret] next"


def test_a_filler_in_the_place_of_a_token_stays() -> None:
    text = "GITHUB_TOKEN=" + "gh" + "p_" + "x" * 36
    assert redact(text).text is text


def test_email_addresses_and_phone_numbers_stay() -> None:
    text = "Write to ada@example.org or call +44 20 7946 0958; the ticket is 2024-001234."
    assert redact(text).text is text


def test_has_placeholder_knows_only_whole_placeholders() -> None:
    assert has_placeholder("token [redacted:github-token]")
    assert not has_placeholder("token [redacted:")
    assert not has_placeholder("[redacted:Not A Kind]")


_LINE = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo"


@pytest.mark.parametrize(
    "text",
    [
        f"-----BEGIN PUBLIC KEY-----\n{_LINE}\n{_LINE}/{_LINE[:8]}\n7wIDAQAB\n-----END PUBLIC KEY-----",
        "example.org/crypt v0.2.1 h1:Jy7ZbTO4Aq2sKRoYIy5u7X0CoCJ+K+4BLmzYQGcpXpY=",
        'integrity="sha384-q/mxNOGiHzZ6l0xOsuM0Yf9Nqw1saM7QNlJL+Zk3XyLT0mQ2dK4vRw8eHn5uB9cS"',
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+",
    ],
)
def test_what_is_made_to_be_shown_stays(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        f"-----BEGIN CERTIFICATE-----\n{_LINE}\npassword: Kelp91marsh",
        "-----BEGIN PUBLIC KEY-----\npassword=Kelp91marsh\n-----END PUBLIC KEY-----",
        "arn:aws:iam::418820937715:user/ada,password=Kelp91marsh",
        "data:text/plain;base64,cGFzc3dvcmQ9S2VscDkxbWFyc2g=",
    ],
)
def test_a_secret_beside_it_or_dressed_as_it_goes(text: str) -> None:
    found = redact(text).text
    assert "Kelp91marsh" not in found
    assert "S2VscDkxbWFyc2g" not in found
