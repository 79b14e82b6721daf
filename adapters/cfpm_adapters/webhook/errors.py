"""How a call to an endpoint fails."""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "timeout", "unreachable", "broken", "status", "redirect", "refused", "too_large", "bad_json", "wrong_type", "forged"
]


class WebhookError(Exception):
    """A call that failed.

    `again` says that the same request may succeed soon, `unfit` that its body never will be taken; `retry_after` is how
    many seconds the other side asked to be left alone.
    """

    def __init__(
        self, kind: Kind, detail: str, *, again: bool = False, unfit: bool = False, retry_after: float = 0.0
    ) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.again = again
        self.unfit = unfit
        self.retry_after = retry_after
