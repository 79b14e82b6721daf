"""Trains the weights of salience and writes the data file; prints what held-out conversations score first."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill

from benchmarks.extraction.conversation import Prediction
from benchmarks.extraction.labelled import Labelled, answer
from benchmarks.extraction.measures import beam, locomo
from benchmarks.extraction.scoring import BUDGETS, likeness
from benchmarks.salience.examples import (
    CHAT,
    TO_AGENT,
    Example,
    drafts_of,
    examples,
    general_words,
    stored,
    texts_by_source,
)
from benchmarks.salience.regression import Fit, fit, offset
from benchmarks.salience.word_weights import PREFIX, common_words, meaning, weight_of
from cfpm.text.salience.weights import Weights

OWN = "word:"
TARGET = Path("cfpm/text/salience/weights.toml")
PENALTY = {CHAT: 50.0, TO_AGENT: 20.0}
WORDS: dict[str, dict[str, float]] = {CHAT: {OWN: 150.0, PREFIX: 400.0}, TO_AGENT: {}}
"""Penalties of words by themselves and by their meaning. Told to an agent, meanings gain at BGR@1 and lose at BGR@2."""
STEP = 0.05
"""To which weights by meaning are rounded; more digits brought nothing."""
CHOICE = {CHAT: 0.6, TO_AGENT: 0.1}
EXPONENT = {CHAT: 0.9, TO_AGENT: 0.5}
"""Chosen with conversations kept apart: higher values prefer short passages: good for small budgets, bad for recall."""
MINIMUM = {CHAT: 0.05, TO_AGENT: 0.05}
RULE_PENALTY = 5.0
FOLDS = 7
_WIDTH = 120


def row(example: Example, words: frozenset[str], kind: str) -> dict[str, float]:
    """The features of an example, those of single words under `word:...`."""
    found = dict(example.run.features)
    for word in example.run.words:
        if word in words:
            found[f"{OWN}{word}"] = found.get(f"{OWN}{word}", 0.0) + 1.0
    return found | meaning(example.run.words) if PREFIX in WORDS[kind] else found


def weights_of(fitted: Fit, kind: str, common: Sequence[str]) -> Weights:
    """The fit as the weights that the package uses; the rules have none yet. `common` words are rated by meaning."""
    features = {name: round(w, 3) for name, w in fitted.weights.items() if not name.startswith((OWN, PREFIX))}
    words = {name.removeprefix(OWN): w for name, w in fitted.weights.items() if name.startswith(OWN)}
    if PREFIX in WORDS[kind]:
        for word in dict.fromkeys((*words, *common)):
            near = words.get(word, 0.0) + weight_of(word, fitted.weights)
            words[word] = round(near / STEP) * STEP
    words = {word: round(w, 3) for word, w in words.items() if round(w, 3)}
    return Weights(round(fitted.intercept, 3), features, words, {}, CHOICE[kind], EXPONENT[kind], MINIMUM[kind])


def fitted(rows: Sequence[Mapping[str, float]], good: Sequence[bool], kind: str, common: Sequence[str]) -> Weights:
    """The weights that these rows give."""
    return weights_of(fit(rows, good, PENALTY[kind], other=WORDS[kind]), kind, common)


def with_rules(table: Weights, sets: Sequence[Labelled], kind: str) -> Weights:
    """The same weights, with what each rule of the extractor adds, fitted on the passages that they choose."""
    seen: dict[str, list[tuple[float, bool]]] = {}
    for labelled in sets:
        gold = texts_by_source(labelled)
        for draft in drafts_of(labelled, kind, table):
            good = any(likeness(fact, stored(draft)) for fact in gold.get(draft.span.message_id, ()))
            seen.setdefault(draft.rule, []).append((sum(share for _, share in draft.shares), good))
    rules = {name: round(offset(found, RULE_PENALTY), 3) for name, found in sorted(seen.items())}
    return replace(table, rules={name: weight for name, weight in rules.items() if weight})


def scored(sets: Sequence[Labelled], kind: str, weights: Mapping[int, Weights]) -> dict[int, float]:
    """Budgeted gold recall when each conversation is read with the weights given for it."""
    reached, gold = dict.fromkeys(BUDGETS, 0), 0
    for number, labelled in enumerate(sets):
        predicted = [
            Prediction(stored(draft), (draft.span.message_id,), score=draft.salience)
            for draft in drafts_of(labelled, kind, weights[number])
        ]
        result = answer(labelled, lambda _, predicted=predicted: predicted)  # type: ignore[misc]
        gold += len(labelled.gold)
        for budget in BUDGETS:
            reached[budget] += len(result.within[budget])
    return {budget: count / gold for budget, count in reached.items()}


def train(sets: Sequence[Labelled], kind: str) -> Weights:
    """Prints the figures of conversations kept apart, then fits on all."""
    found = examples(sets, kind)
    words = frozenset(general_words(found))
    rows = [row(example, words, kind) for example in found]
    common = common_words(sets)
    apart: dict[int, Weights] = {}
    for fold in range(min(FOLDS, len(sets))):
        kept = [i for i, example in enumerate(found) if example.conversation % FOLDS != fold]
        others = [labelled for number, labelled in enumerate(sets) if number % FOLDS != fold]
        table = fitted([rows[i] for i in kept], [found[i].good for i in kept], kind, common)
        table = with_rules(table, others, kind)
        apart |= {number: table for number in range(len(sets)) if number % FOLDS == fold}
    print(f"{kind}: {len(sets)} conversations, {len(found)} passages, {len(words)} words")
    print(f"  conversations kept apart: {_line(scored(sets, kind, apart))}")
    final = fitted(rows, [example.good for example in found], kind, common)
    final = with_rules(final, sets, kind)
    print(f"  the same it was fitted on: {_line(scored(sets, kind, dict.fromkeys(range(len(sets)), final)))}")
    return final


def _line(figures: Mapping[int, float]) -> str:
    return ", ".join(f"BGR@{budget} {value:.3f}" for budget, value in figures.items())


def text_of(tables: Mapping[str, Weights]) -> str:
    """The data file."""
    lines = [
        "# Weights of the salience model, trained by `python -m benchmarks salience --data DIR --write`.",
        "# A weight is what one unit of the feature adds to the log odds that a careful reader would note it down.",
    ]
    for kind, table in tables.items():
        lines += ["", f"[{kind}]", f"intercept = {table.intercept}"]
        lines += [f"choice_exponent = {table.choice_exponent}"]
        lines += [f"length_exponent = {table.length_exponent}", f"minimum = {table.minimum}"]
        lines += ["", f"[{kind}.features]", *(f'"{name}" = {w}' for name, w in sorted(table.features.items()))]
        lines += ["", f"[{kind}.rules]", *(f'"{name}" = {w}' for name, w in sorted(table.rules.items()))]
        lines += ["", f"[{kind}.words]", *_by_weight(table.words)]
    return "\n".join(lines) + "\n"


def _by_weight(words: Mapping[str, float]) -> Iterator[str]:
    alike: dict[float, list[str]] = {}
    for word, weight in sorted(words.items()):
        alike.setdefault(weight, []).append(word)
    for weight in sorted(alike):
        said = " ".join(alike[weight])
        yield f'"{weight}" = "{said}"' if len(said) < _WIDTH else f'"{weight}" = """\n{fill(said, _WIDTH)}"""'


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0, or 2 when the data folder lacks a set."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks salience", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the unpacked data package")
    parser.add_argument("--write", action="store_true", help=f"write {TARGET}")
    options = parser.parse_args(arguments)
    sets = {CHAT: locomo.labelled(options.data), TO_AGENT: beam.labelled(options.data)}
    if not all(sets.values()):
        print(
            f"{options.data}: LoCoMo or BEAM is missing. Unpack the data package and name its folder.", file=sys.stderr
        )
        return 2
    tables = {kind: train(labelled, kind) for kind, labelled in sets.items()}
    if options.write:
        TARGET.write_text(text_of(tables), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
