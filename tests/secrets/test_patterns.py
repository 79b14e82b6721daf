"""Every row of the table does what it says, and no row can take long."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module, resources
from typing import Any

import pytest

from cfpm.secrets import PLACEHOLDER, Pattern, load_patterns, redact

PARSER: Any = import_module("re._parser")

OWN = tomllib.loads(resources.files("cfpm.secrets").joinpath("patterns.toml").read_text(encoding="utf-8"))["pattern"]
EXAMPLES = [(pattern, text) for pattern in load_patterns()[: len(OWN)] for text in pattern.examples]
VENDORS = [(pattern, text) for pattern in load_patterns()[len(OWN) :] for text in pattern.examples]
COUNTER_EXAMPLES = [(pattern, text) for pattern in load_patterns() for text in pattern.counter_examples]

NEIGHBOURS = [("", ""), ("我的密钥", "，别外传"), ("see (", ")"), ("\n", "\n"), ('x = "', '"'), ("\x1b[32m", "\x1b[0m")]

LONGEST_REPETITION = 16_000
"""Times anything may repeat, all loops around it multiplied: a JSON Web Token is the longest thing that is matched."""


def _id(case: tuple[Pattern, str]) -> str:
    return f"{case[0].rank}-{case[0].kind}"


@pytest.mark.parametrize("case", EXAMPLES, ids=_id)
def test_an_example_is_redacted_under_its_kind(case: tuple[Pattern, str]) -> None:
    pattern, example = case
    for before, after in NEIGHBOURS:
        found = redact(f"{before}{example}{after}")
        assert pattern.kind in {finding.kind for finding in found.findings}, (before, found)


@pytest.mark.parametrize("case", VENDORS, ids=_id)
def test_an_example_of_another_scanners_rule_is_redacted(case: tuple[Pattern, str]) -> None:
    _, example = case
    for before, after in [*NEIGHBOURS, ("glued_", " x"), ("glued-", ""), ("%20", "")]:
        left = PLACEHOLDER.sub("", redact(f"{before}{example}{after}").text)
        assert not any(example[at : at + 12] in left for at in range(len(example) - 11)), (before, left)


@pytest.mark.parametrize("case", COUNTER_EXAMPLES, ids=_id)
def test_a_counter_example_stays_as_it_is(case: tuple[Pattern, str]) -> None:
    _, text = case
    assert redact(text).text is text


def test_every_row_is_complete() -> None:
    for pattern in load_patterns():
        assert pattern.examples, pattern
        assert pattern.counter_examples, pattern
        assert pattern.sentence.endswith("."), pattern
        assert pattern.anchors or pattern.place == "run-start", pattern
        assert PLACEHOLDER.fullmatch(f"[redacted:{pattern.kind}]"), pattern
        assert pattern.place != "folded" or all(anchor == anchor.lower() for anchor in pattern.anchors), pattern


def test_every_repetition_has_an_upper_bound() -> None:
    for pattern in load_patterns():
        tree = PARSER.parse(pattern.regex.pattern, re.VERBOSE)
        assert _most_repetitions(tree) <= LONGEST_REPETITION, pattern


def _most_repetitions(node: Any) -> int:
    """The largest product of the bounds of nested loops."""
    most = 1
    if isinstance(node, tuple) and node and str(node[0]).endswith("_REPEAT"):
        _, (_, upper, body) = node
        return int(upper) * _most_repetitions(body)
    if isinstance(node, (list, tuple, PARSER.SubPattern)):
        for child in node:
            most = max(most, _most_repetitions(child))
    return most


def test_the_bound_is_seen_through_nested_loops() -> None:
    assert _most_repetitions(PARSER.parse(r"(?:a{1,30}b){0,40}")) == 1200
    assert _most_repetitions(PARSER.parse(r"(a+)*")) > LONGEST_REPETITION


def test_kinds_cover_what_the_documentation_promises() -> None:
    kinds = {pattern.kind for pattern in load_patterns()}
    promised = (
        "aws-access-key aws-secret-key github-token gitlab-token slack-token slack-webhook stripe-key openai-key "
        "anthropic-key google-api-key google-oauth-secret azure-storage-key azure-sas npm-token pypi-token "
        "hugging-face-token sendgrid-key twilio-key telegram-token discord-token digitalocean-token heroku-key "
        "databricks-token mailgun-key square-token shopify-token cloudflare-token docker-token jwt private-key "
        "url-password authorization bearer-token basic-login cookie password named-secret command-password netrc "
        "pgpass password-hash card-number iban us-ssn seed-phrase"
    )
    assert kinds >= set(promised.split())
