"""Reads a folder of Chroma in a process of its own, since files that a crash left half written may kill the reader.

Started as a script, so that it needs nothing but Chroma. The lock of the folder stays with whoever started it.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

PROBE_SECONDS = 60.0
"""Seconds; importing Chroma takes one to three of them."""

TRIED = 200
"""Stored vectors that are looked for: the paths to them lead through most of an index."""


def is_readable(folder: str, collection: str) -> bool:
    """False when the collection cannot be read, or kills its reader. True when no process can be started here."""
    # -P: the modules beside this one are not what others mean by their names.
    command = [sys.executable, "-P", __file__, folder, collection]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=PROBE_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return False
    except OSError:
        return True
    return done.returncode == 0


def main(folder: str, collection: str) -> None:
    """Looks for some of the stored vectors; there are none in a collection that is still to be made."""
    chromadb, config = import_module("chromadb"), import_module("chromadb.config")
    client = chromadb.PersistentClient(folder, settings=config.Settings(_env_file=None, anonymized_telemetry=False))
    if collection not in {known.name for known in client.list_collections()}:
        return
    found = client.get_collection(collection, embedding_function=None)
    names = found.get(include=[])["ids"]
    if names:
        spread = names[:: max(1, len(names) // TRIED)]
        stored = found.get(ids=spread, include=["embeddings"])["embeddings"]
        found.query(query_embeddings=stored, n_results=10, include=["distances"])
    client.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
