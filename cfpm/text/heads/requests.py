"""How surely a question asks for something to be done, decided or advised, and not only for what was said: "Can you
draft the reply?", "What can I cook tonight?". Rules concern such a question as they concern an order. And how surely
what asks no question is no order either.
"""

from __future__ import annotations

from cfpm.text.heads.queries import beginning, share, signs


def asks_to_act(question: str) -> int:
    """The share in thousandths."""
    return share("requests", values(question))


def only_tells(message: str) -> int:
    """That a message without a question tells something and asks for nothing, in thousandths: "The build is red since
    last night". What was said of the matter helps more than rules then.
    """
    return share("tells", values(message))


def values(question: str) -> dict[str, float]:
    """What is weighed, by names of which the weights have some."""
    return {**signs(question), **beginning(question)}
