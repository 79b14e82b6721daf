"""The facts of a session: what was said in it made or confirmed them, wherever they were learnt first."""

from __future__ import annotations

from cfpm import Memory


def test_facts_that_a_session_made_or_confirmed() -> None:
    with Memory.open(":memory:") as memory:
        memory.observe([{"role": "user", "content": "I prefer tabs over spaces. My dog is called Rex."}], session="a")
        again = "The port of the server is 8080. I prefer tabs over spaces."
        memory.observe([{"role": "user", "content": again}], session="b")
        found = {
            name: {fact.content for fact in memory.store.facts.of_session("default", name, 10)}
            for name in ("a", "b", "c")
        }
        assert found["a"] == {"I prefer tabs over spaces.", "My dog is called Rex."}
        assert found["b"] == {"The port of the server is 8080.", "I prefer tabs over spaces."}
        assert found["c"] == set()
        assert memory.store.facts.of_session("other", "a", 10) == []
        assert len(memory.store.facts.of_session("default", "a", 1)) == 1


def test_facts_that_are_no_longer_believed_are_left_out() -> None:
    with Memory.open(":memory:") as memory:
        memory.observe([{"role": "user", "content": "I prefer tabs over spaces."}], session="a")
        memory.forget(memory.facts()[0].id)
        assert memory.store.facts.of_session("default", "a", 10) == []
