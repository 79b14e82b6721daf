"""Counting tokens: the estimate errs upwards, and an exact count is the encoding's own."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfpm.recall.tokens import counter, estimated

PASSAGES = (
    "- [instruction] Always run the tests with `make test`, never call pytest. (fact_025a367d30c1e1e3d92a, 2026-03-04)",
    "Deployed checkout 1.4.0 to staging.shop.example:8081, in 12.4 seconds; see /srv/shop/out/report-2026.html.",
    "请始终用中文回答，数据库密码不要写进日志。部署在每周二进行，回滚需要两个人批准，配置文件在 /etc/shop/app.toml。",
    "Grüße aus Köln: die Straße ist gesperrt, bitte über die Brücke fahren.",
    "def total(prices: list[int]) -> int:\n    return sum(price for price in prices if price > 0)\n",
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("house", 1), ("lighthouse", 2), ("2026-03-04", 6), ("a b", 2), ("中文", 3), ("ab中", 3)],
)
def test_the_estimate(text: str, tokens: int) -> None:
    assert estimated(text) == tokens


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("passage", PASSAGES)
def test_the_estimate_is_not_below_a_real_encoding(passage: str, encoding: str) -> None:
    pytest.importorskip("bpe_openai", reason="the extra `tokens` is not installed")
    exact = counter(encoding)(passage)
    assert exact <= estimated(passage) <= 1.8 * exact


def test_special_tokens_of_an_encoding_are_only_text() -> None:
    pytest.importorskip("bpe_openai", reason="the extra `tokens` is not installed")
    assert counter("o200k_base")("<|endoftext|>") > 1


@given(st.text(max_size=300), st.text(max_size=300))
def test_lines_add_up(one: str, other: str) -> None:
    assert estimated(f"{one}\n{other}") <= estimated(f"{one}\n") + estimated(other)


_ONE_BY_ONE = re.compile(r"(?<![A-Z])[A-Z][a-z]{1,6}|[a-z]{1,7}|[A-Z]{1,7}|[0-9]{1,3}|\n|[^\sA-Za-z0-9]| {2,}")


@given(st.text("aabZ09 \t\n._\x1c", max_size=80))
def test_words_of_one_shape_count_the_same_as_one_by_one(text: str) -> None:
    assert estimated(text) == len(_ONE_BY_ONE.findall(text))


@given(st.text("abZ09 é中。\u3000", max_size=40))
def test_signs_that_are_not_ascii_part_words(text: str) -> None:
    parted = re.sub(r"[^\x00-\x7f]", "\t", text)
    others = len(re.findall(r"[^\x00-\x7f\s]", text))
    assert estimated(text) == estimated(parted) - (-others * 5 // 4)
