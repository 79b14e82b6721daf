"""What the embedding that ships with the package promises: close texts are close, and each text has one vector."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfpm.embedding import StaticEmbedder, static, static_embedder
from cfpm.embedding.directions import FAR, Directions
from cfpm.embedding.products import products
from cfpm.embedding.wordpiece import WordPieces, words
from cfpm.errors import CFPMError
from cfpm.recall.late_interaction import CLOSE


def cosine(one: str, other: str) -> float:
    first, second = static_embedder().embed([one, other])
    return float(first @ second)


@pytest.mark.parametrize(
    ("asked", "near", "far"),
    [
        ("Where does she go hiking?", "We went trekking in the mountains", "The invoice is overdue"),
        ("What pets do they have?", "My dog and two cats sleep a lot", "The proxy runs on port 8080"),
        ("Which meals does he like?", "Dinner was pasta with cheese", "Her flight leaves on Monday"),
    ],
)
def test_what_means_the_same_is_nearer(asked: str, near: str, far: str) -> None:
    assert cosine(asked, near) > cosine(asked, far) + 0.1


def test_a_text_alone_and_among_others_has_the_same_vector() -> None:
    texts = ["The courier comes on Thursday", "", "Ask the baker", "x" * 50]
    together = static_embedder().embed(texts)
    alone = np.concatenate([static_embedder().embed([text]) for text in texts])
    assert np.array_equal(together, alone)


@given(st.text(max_size=200))
def test_every_text_has_length_one_or_nothing(text: str) -> None:
    (row,) = static_embedder().embed([text])
    assert np.isfinite(row).all()
    assert float(row @ row) == pytest.approx(1, abs=1e-4) or not row.any()


def test_packed_vectors_are_close_to_the_vectors() -> None:
    text = "The courier comes on Thursday?"
    ((vector, pieces),) = static_embedder().packed([text])
    unpacked = np.frombuffer(vector, dtype=np.int8).astype(np.float32)
    unpacked /= np.linalg.norm(unpacked)
    assert float(unpacked @ static_embedder().embed([text])[0]) > 0.999
    spelled = {static_embedder().spelled(number) for number in np.frombuffer(pieces, dtype="<u2")}
    assert {"the", "courier", "comes", "on", "thursday", "?"} == spelled


def test_each_text_has_its_own_pieces_once_and_in_order() -> None:
    texts = ["the port, the port", "", "port?", "…", "the port"]
    packed = [np.frombuffer(pieces, dtype="<u2").tolist() for _, pieces in static_embedder().packed(texts)]
    assert packed == [sorted(set(numbers)) for numbers in packed]
    spelled = [{static_embedder().spelled(number) for number in numbers} for numbers in packed]
    assert spelled == [{"the", "port"}, set(), {"port", "?"}, set(), {"the", "port"}]


def test_the_files_are_those_that_were_released() -> None:
    folder = resources.files("cfpm.embedding").joinpath("data")
    about = folder.joinpath("static.toml").read_text(encoding="utf-8")
    for name in ("static.bin", "finer.bin", "sentences.bin", "vocabulary.txt"):
        assert hashlib.sha256(folder.joinpath(name).read_bytes()).hexdigest() in about


def test_a_changed_file_is_refused() -> None:
    with pytest.raises(CFPMError, match="not the released file"):
        static._checked({"file": "static.bin", "sha256": "0" * 64})


def test_pieces_are_as_close_as_their_rows() -> None:
    rows = np.array([[1, 0, 0], [2, 0, 0], [3, 4, 0], [0, 0, 0]], dtype=np.int8)
    pieces = np.array([0, 1, 2, 3])
    assert Directions(rows).cosines([0], pieces).tolist() == [pytest.approx([1, 1, 0.6, 0])]
    assert Directions(rows, rows[:, :1]).cosines([2], pieces).tolist() == [pytest.approx([6 / 68**0.5] * 2 + [1, 0])]


def test_all_columns_count_for_close_pieces() -> None:
    rows = np.random.default_rng(5).integers(-127, 128, (60, 300)).astype(np.int8)
    rows[1::2, 40:] = rows[::2, 40:]
    found = Directions(rows[:, :128], rows[:, 128:]).cosines([3, 8], np.arange(60))
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    exact = (rows[[3, 8]].astype(np.float64) @ rows.T) / lengths / lengths[[3, 8], None]
    assert (exact >= FAR).sum() == 4
    assert np.allclose(np.where(exact >= FAR, found, 0), np.where(exact >= FAR, exact, 0), atol=1e-6)
    assert (found[exact < FAR] < FAR).all()


def test_recalling_asks_for_no_pieces_that_are_compared_roughly() -> None:
    assert CLOSE >= FAR


def test_a_piece_is_closest_to_those_that_mean_the_same() -> None:
    embedder = static_embedder()
    asked, near, far = (embedder.pieces(word)[0] for word in ("hike", "trek", "invoice"))
    ((of_itself, of_near, of_far),) = embedder.closeness([asked], np.array([asked, near, far])).tolist()
    assert of_itself == pytest.approx(1, abs=1e-5)
    assert of_near > of_far + 0.2


def test_a_table_that_does_not_fit_its_vocabulary_is_refused() -> None:
    with pytest.raises(ValueError, match="2 rows and 2 scales for 1 pieces"):
        StaticEmbedder("none/1", np.zeros((2, 4), dtype=np.int8), np.ones(2, dtype=np.float32), ["a"])


def test_words_are_cut_into_the_longest_pieces() -> None:
    vocabulary = ["hik", "##ing", "hiking", "un", "##hik", "é", "e", "山"]
    pieces = WordPieces(vocabulary)
    assert [vocabulary[number] for number in pieces.of("Hiking unhiking É 山山")] == [
        "hiking", "un", "##hik", "##ing", "e", "山", "山",
    ]  # fmt: skip
    assert pieces.of("nothing known") == []


def test_importing_the_package_does_not_import_numpy() -> None:
    code = "import sys, cfpm, cfpm.store, cfpm.embedding; cfpm.Memory; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_product_in_blocks_is_the_whole_product() -> None:
    rows = np.arange(203 * 12, dtype=np.float32).reshape(203, 12) % 7
    for columns in (rows[0], rows[:5].T):
        for wide in (rows, np.tile(rows, 60), rows[:0]):
            other = columns if wide.shape[1] == 12 else np.tile(columns.T, 60).T
            assert np.array_equal(products(wide, other), wide @ other)


@given(st.text(st.characters(max_codepoint=127), max_size=80) | st.text("ab1 _-–—…→≠“”✓🙂\u0301\u3000", max_size=40))
def test_plain_texts_are_cut_into_the_same_words_as_others(text: str) -> None:
    assert words(f"{text} é")[:-1] == words(text)
