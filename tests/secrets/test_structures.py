"""Arguments of tool calls and other JSON-like values."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from cfpm.secrets import redact_value

TOKEN = "gh" + "p_Zk3vT9qLw2XyB7nM4cRd8fGh1jKp5sVt0uWa"


def test_structure_stays_and_values_are_redacted() -> None:
    value = {
        "command": f"git clone https://ada:{TOKEN}@git.example.org/a.git",
        "steps": ["login", {"note": f"use {TOKEN}"}, ("a", 2, None)],
        "count": 3,
        "dry": False,
    }
    assert redact_value(value) == {
        "command": "git clone https://ada:[redacted:github-token]@git.example.org/a.git",
        "steps": ["login", {"note": "use [redacted:github-token]"}, ["a", 2, None]],
        "count": 3,
        "dry": False,
    }


def test_the_given_value_is_not_changed() -> None:
    value = {"password": "swordfish", "list": [TOKEN]}
    redact_value(value)
    assert value == {"password": "swordfish", "list": [TOKEN]}


@pytest.mark.parametrize("key", ["password", "db_password", "PASSWORD", "userPassword", "passwd", "pwd", "passphrase"])
def test_any_word_under_a_password_is_taken(key: str) -> None:
    assert redact_value({key: "swordfish"}) == {key: "[redacted:password]"}


@pytest.mark.parametrize(
    "key", ["token", "accessToken", "client_secret", "api_key", "x-api-key", "Authorization", "cookie"]
)
def test_what_has_no_words_in_it_is_taken_under_a_secret_name(key: str) -> None:
    assert redact_value({key: "K2u6mFw8wJOsAf"}) == {key: "[redacted:named-secret]"}


@pytest.mark.parametrize(
    "value",
    [
        "",
        "<your-token>",
        "${TOKEN}",
        "xxxxxxxx",
        "changeme",
        "null",
        "None",
        "string",
        "required",
        "$PASSWORD",
        "********",
    ],
)
def test_a_placeholder_stays(value: str) -> None:
    assert redact_value({"password": value, "token": value}) == {"password": value, "token": value}


def test_words_under_a_token_stay() -> None:
    value = {
        "token": "next",
        "secret": "the blue one",
        "page_token": "page-2",
        "token_count": "4096",
        "max_tokens": 4096,
    }
    assert redact_value(value) == value


def test_names_that_are_only_about_a_password_keep_their_value() -> None:
    value = {"password_hint": "blue", "passwordLength": 12, "password_file": "/run/secrets/db", "bypass": "swordfish"}
    assert redact_value(value) == value


def test_a_number_under_a_password_is_taken() -> None:
    assert redact_value({"pin": 80417, "password": 12345678, "pins": 4, "flag": True}) == {
        "pin": "[redacted:password]",
        "password": "[redacted:password]",
        "pins": 4,
        "flag": True,
    }


def test_a_list_under_a_secret_name_is_looked_at_item_by_item() -> None:
    assert redact_value({"tokens": [TOKEN], "secret": ["K2u6mFw8wJOsAf", "b"]}) == {
        "tokens": ["[redacted:github-token]"],
        "secret": ["[redacted:named-secret]", "b"],
    }


def test_an_object_under_a_secret_name_is_judged_by_its_own_keys() -> None:
    value = {"secret": {"name": "orders-db", "region": "eu2"}}
    assert redact_value(value) == value


def test_secrets_in_keys_are_redacted_and_no_entry_is_lost() -> None:
    other = TOKEN[:-1] + "b"
    assert redact_value({TOKEN: 1, other: 2}) == {"[redacted:github-token]": 1, "[redacted:github-token] (2)": 2}


def test_order_of_keys_stays() -> None:
    value = {"b": 1, "a": {"z": 1, "y": 2}, "c": 3}
    copy = redact_value(value)
    assert isinstance(copy, dict)
    assert list(copy) == ["b", "a", "c"]
    assert list(copy["a"]) == ["z", "y"]


def test_any_mapping_is_read() -> None:
    assert redact_value(MappingProxyType({"password": "swordfish"})) == {"password": "[redacted:password]"}


def test_nesting_has_no_limit() -> None:
    value: object = TOKEN
    for _ in range(20_000):
        value = [value]
    copy = redact_value(value)
    for _ in range(20_000):
        assert isinstance(copy, list)
        (copy,) = copy
    assert copy == "[redacted:github-token]"


def test_twice_changes_nothing_more() -> None:
    once = redact_value({"password": "swordfish", "note": f"token: {TOKEN}"})
    assert redact_value(once) == once


@pytest.mark.parametrize("value", [None, 1, 1.5, True, "plain words"])
def test_a_plain_value_comes_back(value: object) -> None:
    assert redact_value(value) == value
