"""An index outside of the file learns what is new, in order and without gaps, and whether the file is the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cfpm.model import LoggedMessage, Message, Origin, Role, Status
from cfpm.store.following import Mark
from tests.store.making import NAMESPACE, fact, learn

if TYPE_CHECKING:
    from cfpm.store.store import Store


def log(store: Store, text: str, *, namespace: str = NAMESPACE, origin: Origin = Origin.SAID) -> None:
    message = Message(Role.USER, text, text, None, "", origin)
    store.append_messages([LoggedMessage(namespace, "s", 0, store.mark(namespace).turns, message)])


def test_messages_come_once_and_prompts_never(store: Store) -> None:
    log(store, "one")
    log(store, "be brief", origin=Origin.SYSTEM_PROMPT)
    log(store, "elsewhere", namespace="other")
    log(store, "two")
    assert [text for _, text in store.turns_after(NAMESPACE, 0, 10)] == ["one", "two"]
    (first, _), (second, _) = store.turns_after(NAMESPACE, 0, 10)
    assert store.turns_after(NAMESPACE, first, 10) == [(second, "two")]
    assert store.searched(NAMESPACE, Mark(first, 0)) == 1
    assert store.searched(NAMESPACE, store.mark(NAMESPACE)) == 2


def test_facts_come_as_they_are_now(store: Store) -> None:
    one = fact("the courier rings twice")
    learn(store, one)
    learn(store, fact("the gate is locked at nine"))
    found, number = store.facts_after(NAMESPACE, 0, 10)
    assert [known.content for known in found.values()] == ["the courier rings twice", "the gate is locked at nine"]
    assert number == store.mark(NAMESPACE).events == 2
    assert store.facts_after(NAMESPACE, number, 10) == ({}, number)
    learn(store, replace(one, status=Status.FORGOTTEN))
    changed, _ = store.facts_after(NAMESPACE, number, 10)
    assert [known.status for known in changed.values()] == [Status.FORGOTTEN]
    assert store.searched(NAMESPACE, Mark()) == 1


def test_another_history_has_another_tip(store: Store) -> None:
    log(store, "one")
    mark = store.mark(NAMESPACE)
    tip = store.tip(NAMESPACE, mark)
    log(store, "two")
    assert store.tip(NAMESPACE, mark) == tip
    assert store.tip(NAMESPACE, store.mark(NAMESPACE)) != tip
