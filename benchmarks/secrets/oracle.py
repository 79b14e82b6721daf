"""Asks detect-secrets, without its entropy plugins, what it would have found, and lists what we leave readable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.secrets.corpora import SAMPLES, read_text
from cfpm.secrets import redact

ENTROPY = frozenset({"Base64HighEntropyString", "HexHighEntropyString"})


@dataclass(frozen=True, slots=True)
class Missed:
    """What detect-secrets sees in a line and our redaction leaves in it."""

    plugin: str
    file: str
    line: int
    value: str


@dataclass(frozen=True, slots=True)
class Comparison:
    found: int
    """Secrets that detect-secrets sees in the samples, and that stand in the text as they are."""
    missed: tuple[Missed, ...]


def compare(data: Path) -> Comparison:
    """Runs both over every sample. Raises ModuleNotFoundError when detect-secrets is not installed."""
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import transient_settings

    found, missed = 0, []
    samples = data / SAMPLES / "tests" / "samples"
    with transient_settings({"plugins_used": [{"name": name} for name in _plugin_names()]}):
        for path in sorted(samples.iterdir()):
            text = read_text(path)
            left = redact(text).text
            for number, line in enumerate(text.split("\n"), 1):
                for secret in _values(scan_line(line)):
                    found += 1
                    if secret.secret_value in left:
                        missed.append(Missed(secret.type, path.name, number, secret.secret_value))
    return Comparison(found, tuple(missed))


def _plugin_names() -> list[str]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    classes: Iterable[type] = get_mapping_from_secret_type_to_class().values()
    return sorted({found.__name__ for found in classes} - ENTROPY)


def _values(found: Iterable[Any]) -> list[Any]:
    return [secret for secret in found if secret.secret_value]
