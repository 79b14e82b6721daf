"""The weights of encoders that ship with the package, checked before they are used."""

from __future__ import annotations

import hashlib
import io
from importlib import resources
from typing import TYPE_CHECKING

from cfpm.errors import CFPMError
from cfpm.model.tables import toml_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray


def stored_weights(package: str, name: str) -> Mapping[str, NDArray[np.generic]]:
    """The weights that `data/heads.toml` of a package names so. Raises CFPMError for a file that is not the released
    one."""
    import numpy as np

    about = toml_table(package, "data/heads")[name]
    # Not read as a whole: the process would hold it twice.
    with _opened(package, about["file"]) as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != about["sha256"]:
            where = f"{package.replace('.', '/')}/data/{about['file']}"
            raise CFPMError(f"{where} is not the released file. Install cfpm again")
        file.seek(0)
        with np.load(file, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}


def _opened(package: str, name: str) -> io.BufferedIOBase:
    file = resources.files(package).joinpath("data", name).open("rb")
    assert isinstance(file, io.BufferedIOBase)
    return file
