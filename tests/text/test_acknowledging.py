"""Whether a text only acknowledges, however many phrases it strings together."""

import pytest

from cfpm.text.words import all_acknowledged


@pytest.mark.parametrize(
    "text", ["Ok, thanks!", "yes, go ahead", "Great. Sounds good, thanks!", "好的，谢谢", "行，继续"]
)
def test_phrases_in_a_row_only_acknowledge(text: str) -> None:
    assert all_acknowledged(text.lower())


@pytest.mark.parametrize("text", ["ok, the port is 8080", "thanks to the new kiln", "", "好的，端口是8080"])
def test_a_text_with_anything_else_says_something(text: str) -> None:
    assert not all_acknowledged(text.lower())
