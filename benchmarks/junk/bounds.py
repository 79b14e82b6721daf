"""The two extractors that every figure of this benchmark lies between: one keeps all, one keeps nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.extraction.conversation import Prediction

if TYPE_CHECKING:
    from benchmarks.extraction.conversation import Conversation, Extractor


def everything(conversation: Conversation) -> list[Prediction]:
    """Every message, whole, whoever it comes from."""
    return [Prediction(message.text, (message.id,)) for message in conversation.messages if message.text]


def nothing(_: Conversation) -> list[Prediction]:
    """No fact at all."""
    return []


CORNERS: dict[str, Extractor] = {"everything": everything, "nothing": nothing}
"""By name, beside the extractors of `benchmarks.extraction`."""
