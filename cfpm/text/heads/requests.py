"""How surely a question asks for something to be done, decided or advised, and not only for what was said: "Can you
draft the reply?", "What can I cook tonight?". Rules concern such a question as they concern an order.
"""

from __future__ import annotations

from cfpm.text.heads.queries import beginning, share, signs


def asks_to_act(question: str) -> int:
    """The share in thousandths."""
    return share("requests", values(question))


def values(question: str) -> dict[str, float]:
    """What is weighed, by names of which the weights have some."""
    return {**signs(question), **beginning(question)}
