"""Messages that hold far more statements than anybody says at once, as a paste or an attack does. Measures nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

Flood = Callable[[int], list[dict[str, Any]]]

_THINGS = (
    *("server", "port", "cache", "window", "garden", "kettle", "bicycle", "river"),
    *("table", "cellar", "pencil", "lamp", "mirror", "basket", "engine"),
)
_KINDS = ("blue", "fast", "old", "green", "small", "quiet", "heavy", "bright", "cold", "warm")
_DEEDS = ("like", "hate", "prefer", "use", "own", "avoid")
_VALUES = ("height", "weight", "rent", "salary", "mileage", "budget")
_CONSONANTS, _VOWELS = "bcdfgklmnprstv", "aeiou"
_SYLLABLES = [one + other for one, other in product(_CONSONANTS, _VOWELS)]


def floods() -> dict[str, Flood]:
    """Builders by name; each gets how many statements the turn is to hold."""
    one = {
        "sharing words": _sharing,
        "of new words": _new_words,
        "of values": _values,
        "rules in a list": _rules,
        "one sentence again": lambda n: f"I like tea from {n % 7} hills.",
        "denials": lambda n: f"I never {'painted' if n % 2 else 'sold'} the {_KINDS[n % 10]} {_THINGS[n % 15]} {n}.",
        "Chinese": lambda n: f"我喜欢第{n}号茶。",
        "paths": lambda n: f"The notes are in /srv/shop/{n % 97}/part{n}.txt.",
        "rows of a table": lambda n: f"| {_THINGS[n % 15]} {n} | {_KINDS[n % 10]} | {n * 7} |",
        "long names": lambda n: f"I like {_new_word(n) * 12}.",
    }
    many = {
        "corrections": lambda n: f"Actually, the deploy port is {1000 + n}.",
        "said and denied": lambda n: f"I {'never visited' if n % 2 else 'visited'} the {_THINGS[n % 15]} museum.",
        "values": lambda n: f"My {_VALUES[n % 6]} is {n} now.",
    }
    found: dict[str, Flood] = {f"one message, {name}": partial(_one_message, line) for name, line in one.items()}
    found["one turn, an agent's messages"] = _one_turn
    return found | {f"turns, {name}": partial(_turns, line) for name, line in many.items()}


def statements(count: int) -> str:
    """Short statements that share words, as one text."""
    return "\n".join(map(_sharing, range(count)))


def _one_message(line: Callable[[int], str], count: int) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "\n".join(map(line, range(count)))}]


def _turns(line: Callable[[int], str], count: int) -> list[dict[str, Any]]:
    return [{"role": "user", "content": line(n), "id": f"m{n}"} for n in range(count)]


def _one_turn(count: int) -> list[dict[str, Any]]:
    said = (f"We decided to use port {1000 + n} for the {_THINGS[n % 15]} service." for n in range(count))
    return [{"role": "user", "content": "Go on."}, *({"role": "assistant", "content": text} for text in said)]


def _sharing(n: int) -> str:
    return f"I {_DEEDS[n % 6]} the {_KINDS[n // 6 % 10]} {_THINGS[n // 7 % 15]} {n}."


def _new_words(n: int) -> str:
    return f"I like {_new_word(n)} {_new_word(n + 7919)}."


def _new_word(n: int) -> str:
    size = len(_SYLLABLES)
    return _SYLLABLES[n * 31 % size] + _SYLLABLES[n // size % size] + _SYLLABLES[n % size]


def _values(n: int) -> str:
    return f"My {_VALUES[n % 6]} is {n}."


def _rules(n: int) -> str:
    return f"- Always use tool{n} for task{n}."
