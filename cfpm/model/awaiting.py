"""The verbs of an object that lives in another thread, awaited there. Starts no thread."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Elsewhere(Protocol[T_co]):
    """Stands for an object of another thread."""

    def run(self, work: Callable[[T_co], R], /) -> Awaitable[R]:
        """What the work returns or raises: it gets the object, in its own thread."""
        ...


def awaited(
    verb: Callable[Concatenate[T, P], R],
) -> Callable[Concatenate[Elsewhere[T], P], Coroutine[Any, Any, R]]:
    """The method that has this verb of the object done there; calls run in the order in which they are made."""

    async def call(there: Elsewhere[T], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await there.run(lambda one: verb(one, *args, **kwargs))

    call.__name__, call.__doc__ = verb.__name__, verb.__doc__
    return call
