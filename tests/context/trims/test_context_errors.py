"""Which errors of a provider mean that a request is too long."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from types import SimpleNamespace

import pytest

from cfpm.context.trims import ContextErrorKind, context_error, is_context_error

ROWS = tomllib.loads(files("cfpm.context.trims").joinpath("context_errors.toml").read_text(encoding="utf-8"))["row"]
EXAMPLES = [(row["kind"], text) for row in ROWS for text in row["examples"]]
INNOCENT = [text for row in ROWS for text in row["counter_examples"]]


class ProviderError(Exception):
    """An error as the clients of providers raise it."""

    def __init__(self, text: str, status: int, body: object = None) -> None:
        super().__init__(text)
        self.status_code, self.body = status, body


@pytest.mark.parametrize(("kind", "text"), EXAMPLES)
def test_each_example_is_known(kind: str, text: str) -> None:
    found = context_error(ProviderError(text, 400))
    assert found is not None
    assert found.kind == kind
    assert context_error({"type": "error", "error": {"message": text}}) == found


@pytest.mark.parametrize("text", INNOCENT)
def test_no_counter_example_is(text: str) -> None:
    assert not is_context_error(ProviderError(text, 400))


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("prompt is too long: 210000 tokens > 200000 maximum", 200_000),
        ("This model's maximum context length is 8,192 tokens.", 8_192),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576),
        ("Input is too long for requested model.", None),
    ],
)
def test_the_window_that_is_named_is_read(text: str, limit: int | None) -> None:
    found = context_error(ProviderError(text, 400))
    assert found is not None
    assert found.limit == limit


def test_a_status_alone_is_enough() -> None:
    found = context_error(ProviderError("", 413))
    assert found is not None
    assert found.kind is ContextErrorKind.TOO_LARGE
    assert is_context_error(SimpleNamespace(response=SimpleNamespace(status_code=413, text="")))
    assert not is_context_error(ProviderError("Slow down", 429))


def test_what_a_framework_wraps_is_found() -> None:
    wrapped = RuntimeError("the model run failed")
    assert not is_context_error(wrapped)
    wrapped.__cause__ = ProviderError("context_length_exceeded", 400)
    assert is_context_error(wrapped)
    assert is_context_error(ExceptionGroup("two", [ValueError("x"), ProviderError("", 413)]))


def test_an_answer_that_cannot_be_read_says_nothing() -> None:
    class Streamed:
        @property
        def text(self) -> str:
            raise RuntimeError("not read yet")

    assert not is_context_error(SimpleNamespace(response=Streamed()))
