"""Chinese words in English, one for one: enough for what knows English words only to tell what a sentence is about."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import resources

from cfpm.model.patterns import lazy_pattern

_HAN = lazy_pattern(r"[\u3400-\u4dbf\u4e00-\u9fff]+")


def glossed(text: str) -> str:
    """The text with each Chinese word as the longest known one from the left is glossed; other words as they are."""
    return text if text.isascii() else _HAN.sub(lambda run: f" {_in_english(run.group())} ", text)


# The same messages are found again and again.
@lru_cache(maxsize=4_096)
def _in_english(run: str) -> str:
    known, longest = _glossary()
    words: list[str] = []
    start = 0
    while start < len(run):
        for end in range(min(len(run), start + longest), start, -1):
            gloss = known.get(run[start:end])
            if gloss is not None:
                words.append(gloss)
                start = end
                break
        else:
            words.append(run[start])
            start += 1
    return " ".join(filter(None, words))


@cache
def _glossary() -> tuple[dict[str, str], int]:
    """The gloss of each word, and the length of the longest. Particles and measure words have none."""
    table = resources.files("cfpm.embedding").joinpath("data", "glosses.tsv").read_text(encoding="utf-8")
    known = dict(line.split("\t") for line in table.splitlines())
    return known, max(map(len, known))
