"""A real store in a temporary file, and short ways to put facts and messages into it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from cfpm.model import Action, Category, Fact, FactChange, LoggedMessage, Message, Role
from cfpm.model.ids import fact_id
from cfpm.pruner.similarity import block_keys
from cfpm.text.canonical import canonical_key

if TYPE_CHECKING:
    from cfpm.store.store import Store

DAY_ONE = datetime(2026, 3, 1, 12, tzinfo=UTC)
SHOP = "project:shop"


def at(day: int) -> datetime:
    """Noon of this day, counted from day 0."""
    return DAY_ONE + timedelta(days=day)


def keep(store: Store, content: str, category: Category = Category.NOTE, *, day: int = 0, **changes: object) -> Fact:
    """Stores a fact and returns it."""
    namespace = str(changes.pop("namespace", SHOP))
    key = canonical_key(category, content)
    plain = Fact(
        id=fact_id(namespace, category, key),
        namespace=namespace,
        category=category,
        key=key,
        content=content,
        created_at=at(day),
        updated_at=at(day),
    )
    fact = replace(plain, **changes)  # type: ignore[arg-type]
    change = FactChange(None, fact, Action.CREATE, "test", at(day))
    store.change(namespace, [change], block_keys=lambda f: block_keys(f.content, f.category))
    return fact


def say(store: Store, text: str, *, ident: str, role: Role = Role.USER, day: int = 0, namespace: str = SHOP) -> None:
    """Logs a message."""
    message = Message(role, text, ident, at(day))
    place = sum(len(store.messages(namespace, session=name)) for name in store.sessions(namespace))
    store.append_messages([LoggedMessage(namespace, "s1", place, 0, message)])
