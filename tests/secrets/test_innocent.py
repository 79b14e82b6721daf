"""Code, logs and prose that talk about secrets without holding one."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfpm.secrets import redact

LINES = Path(__file__).with_name("innocent.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("line", LINES)
def test_an_innocent_line_stays_as_it_is(line: str) -> None:
    assert redact(line).text is line


def test_all_lines_together_stay_as_they_are() -> None:
    text = "\n".join(LINES)
    assert redact(text).text is text


def test_there_are_two_hundred_of_them() -> None:
    assert len(LINES) >= 200
