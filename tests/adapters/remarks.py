"""Messages for the tests of the vector provider, and questions that share no word with their answers."""

from __future__ import annotations

QUESTION = "Which colour has the tower by the sea?"
ANSWER = "The lighthouse on the cape was painted red."

SAID = [
    {"id": "1", "role": "user", "content": ANSWER},
    {"id": "2", "role": "user", "content": "Kim ordered ramen again."},
    {"id": "3", "role": "user", "content": "From now on, always answer in Norwegian."},
    {"id": "4", "role": "user", "content": "We use port 8081 for staging."},
]

_THINGS = ("boats", "maps", "lamps", "trains", "violins", "gardens", "letters", "clocks", "bridges", "ovens")
_PLACES = ("harbour", "attic", "museum", "station", "orchard", "library", "kitchen", "tower", "cellar", "market")


def many(count: int, first: int = 0) -> list[dict[str, object]]:
    """Different remarks, each a message of its own."""
    return [
        {
            "id": f"m{n}",
            "role": "user",
            "content": f"The {n}th note is about {_THINGS[n % 10]} in the {_PLACES[n // 10 % 10]}, shelf {n}.",
        }
        for n in range(first, first + count)
    ]
