"""The facts that one turn changed, found by their keys without looking at all of them. Decides nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from cfpm.model import Fact

KeysOf = Callable[[Fact], Iterable[Hashable]]


@dataclass(slots=True)
class KeyIndex:
    """Ids of facts by their keys. A look-up costs the same however many facts there are.

    A turn of a thousand statements asks for each of them what the turn changed so far: going through all of that took
    three minutes.
    """

    keys_of: KeysOf
    waiting: dict[str, dict[str, Fact]] = field(default_factory=dict)
    """Facts that are not indexed yet, by the message that they stand in: most turns never ask for them."""
    keys: dict[str, tuple[Hashable, ...]] = field(default_factory=dict)
    under: dict[Hashable, dict[str, None]] = field(default_factory=dict)
    order: dict[str, int] = field(default_factory=dict)
    """Each fact's place among those that were changed, by its first change."""

    def put(self, fact: Fact) -> None:
        """Takes in a fact as it is now, in place of what it was."""
        self.order.setdefault(fact.id, len(self.order))
        self.waiting.setdefault(fact.message_id, {})[fact.id] = fact

    def find(self, keys: Iterable[Hashable], per_key: int, most: int, *, apart_from: str | None = None) -> list[str]:
        """Ids of at most `most` facts that have one of the keys, those with most in common, in the order of `order`.

        Of each key the latest `per_key` are looked at. With `apart_from`, a message's id, what was put in from that
        message may be missing.
        """
        if self.waiting:
            self._index_waiting(apart_from)
        shared: Counter[str] = Counter()
        for key in dict.fromkeys(keys):
            if known := self.under.get(key):
                shared.update(islice(reversed(known), per_key))
        if len(shared) > most:
            ranked = sorted(shared, key=lambda name: (-shared[name], -self.order[name]))
            return sorted(ranked[:most], key=self.order.__getitem__)
        return sorted(shared, key=self.order.__getitem__)

    def _index_waiting(self, apart_from: str | None) -> None:
        for message_id in [name for name in self.waiting if name != apart_from]:
            for fact in self.waiting.pop(message_id).values():
                self._index(fact)

    def _index(self, fact: Fact) -> None:
        before, now = self.keys.get(fact.id, ()), tuple(self.keys_of(fact))
        if before == now:
            return
        for key in before:
            del self.under[key][fact.id]
        self.keys[fact.id] = tuple(dict.fromkeys(now))
        for key in self.keys[fact.id]:
            self.under.setdefault(key, {})[fact.id] = None
