"""Learns the weights of recall: `--data DIR [--write]`. Prints first what conversations kept apart score."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import cfpm
from benchmarks.ranking.examples import TELLING, examples
from benchmarks.ranking.softmax import fit, kept_apart, table
from benchmarks.ranking.worlds import worlds
from benchmarks.retrieval.sets import SETS
from cfpm.embedding import static_embedder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.ranking.examples import Example

LEARNT_FROM = {"chat": ("locomo",), "agent": ("beam-100k", "beam-500k")}
"""The sets for each table of weights."""

SAY = {"chat": 1.0, "agent": 0.0}
"""How much more a question with more evidence counts. In chats its messages are what is hardest to find; with agents,
summaries with a dozen each would drown all else. Chosen by the figures kept apart."""

WORTH = {"multi-hop": 1.5, "adversarial": 0.7}
"""What a question of a kind counts. Those that ask one person about what the other said teach that it matters little
who spoke, which is seldom so; those with evidence all over a chat are hardest, and few. Of weights from 0.3 to 4 these
cost the others least, by the figures kept apart."""

TARGET = Path(cfpm.__file__).parent / "recall" / "weights.toml"
DIRECTIONS = TARGET.with_name("priors.toml")

_HEADER = """\
# How much each signal of recall counts. Learnt by `python -m benchmarks ranking --write` from questions whose evidence
# people marked: a softmax over the messages of each question, weights drawn to nothing. `chat` is for people with names
# who talk to each other (LoCoMo), and counts every message with evidence the same, but more for multi-hop and less for
# adversarial questions; `agent` is for a user and an assistant (BEAM 100K and 500K), and counts every question the
# same; `agent` also learns from the questions, orders and key words of `benchmarks queries`. Recall at
# 5 / 10 / 20, with weights learnt from other conversations only:
"""

_ABOUT = """\
# What people ask for later, as a direction in the first columns of a message's vector; `space` is the embedder that
# makes them. Learnt together with `weights.toml`, by the same command and from the same questions.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0, 2 for a folder without the sets."""
    options = _options(arguments)
    text = _HEADER
    tables = ""
    about = f'{_ABOUT}space = "{static_embedder().name}"\n'
    for name, sets in LEARNT_FROM.items():
        found = [example for each in sets for example in examples(SETS[each](options.data))]
        if not found:
            print(f"{options.data}: has none of {', '.join(sets)}", file=sys.stderr)
            return 2
        if name == "agent":
            found += (untelling(example) for example in examples(worlds()))
        apart = table(kept_apart(found, SAY[name], WORTH))
        print(f"{name}, share of evidence among the best messages, kept apart\n{apart}")
        text += f"#   {name}: {' / '.join(apart.splitlines()[-1].split()[2:])}, {len(found)} questions\n"
        fitted = fit(found, SAY[name], WORTH).tolist()
        weights, direction = with_direction(dict(zip(found[0].names, fitted, strict=True)))
        tables += f"\n[{name}]\n" + "".join(
            f"{signal} = {weight:.2f}\n" for signal, weight in weights.items() if abs(weight) >= 0.005
        )
        about += f"{name} = [{', '.join(f'{part:.3f}' for part in direction)}]\n"
    if options.write:
        TARGET.write_text(text + tables, encoding="utf-8")
        DIRECTIONS.write_text(about, encoding="utf-8")
        print(f"written to {TARGET} and {DIRECTIONS}")
    return 0


def untelling(example: Example) -> Example:
    """Without what is a message's own: in a world every statement is worth telling, and none is small talk."""
    own = np.array([name.startswith(TELLING) for name in example.names])
    return replace(example, signals=np.where(own, np.float32(0), example.signals))


def with_direction(fitted: Mapping[str, float]) -> tuple[dict[str, float], list[float]]:
    """The weights with one for all columns of `telling` together, and the direction of length 1 that it is of."""
    columns = [weight for name, weight in fitted.items() if name.startswith(f"{TELLING} ")]
    weights = {name: weight for name, weight in fitted.items() if not name.startswith(f"{TELLING} ")}
    length = math.hypot(*columns)
    return weights | {TELLING: length}, [weight / (length or 1.0) for weight in columns]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ranking", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the unpacked data package")
    parser.add_argument("--write", action="store_true", help="replace the weights of the package")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
