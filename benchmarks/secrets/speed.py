"""Measures how fast texts without secrets pass, and whether ten times a hostile text takes about ten times as long."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.secrets.corpora import innocent_texts
from cfpm.secrets import redact

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = (
    *("password=", "password is a ", 'token="', "api_key=a1B2c3D4e5 ", "eyJhbGciOiJIUzI1NiJ9.", "sk-a1B", "://a:b@"),
    *("PRIVATE KEY-----", "b3BlbnNzaC1rZXktdjE", "A", "0000 ", "AA00 ", "密码：a1 ", "$2a$", "curl -u a:"),
    *("mysql -u a -p1x ", "Cookie: a=", "[redacted:x]", '{"auth": "'),
    *("%41", "\\u0041", "&#65;", "=3D", '"+"', '"a" +\n', "\\\n", "\u200b", "а", "ＡＡ", "70617373", "70 61 "),
    *("0x70, ", "cGFzc3dvcmQ6", "cGFzc3dvcmQ6IEh1bnRlcjJ4eXo=\n", "a1b2c3d4e5f6g7h8\n", "ghp_"),
    *("a,password\n", "password,", "|password|a|\n", "(a,password) values ('a',", "mot de passe ", "пароль "),
    *("le mot de passe est a1 ", "my pin is ", "backup codes: 1a2b3 ", "a:b1B!c2@d.e ", "secret_", "login "),
    *("A1B2C3D4E5F6G7H8I9J0\n", "card 4 ", "tax id 1 "),
)  # fmt: skip
"""Units that are repeated: beginnings of secrets that never end, and secrets without end."""

SMALL, LARGE = 1_000_000, 8_000_000
"""Characters of the two texts that are compared."""

REPEATS = 3


@dataclass(frozen=True, slots=True)
class Pass:
    """Seconds of processor time for 1 MB of a text without secrets, best of three."""

    corpus: str
    megabytes: float
    seconds_per_megabyte: float
    megabytes_per_second: float


@dataclass(frozen=True, slots=True)
class Growth:
    """Seconds of processor time for a small and a large hostile text, and their ratio for eight times the size."""

    unit: str
    small_seconds: float
    large_seconds: float
    ratio: float


def passes(data: Path) -> tuple[Pass, ...]:
    found = []
    for corpus in ("specstory", "beam"):
        texts = list(innocent_texts(data, corpus))
        megabytes = sum(map(len, texts)) / 1e6
        seconds = min(_seconds(texts) for _ in range(REPEATS)) / megabytes
        found.append(Pass(corpus, round(megabytes, 2), round(seconds, 5), round(1 / seconds, 1)))
    return tuple(found)


def growths() -> tuple[Growth, ...]:
    found = []
    for unit in HOSTILE:
        small, large = (_seconds([unit * (size // len(unit))]) for size in (SMALL, LARGE))
        found.append(Growth(unit, round(small, 3), round(large, 3), round(large / max(small, 1e-6), 2)))
    return tuple(found)


def _seconds(texts: list[str]) -> float:
    start = time.process_time()
    for text in texts:
        redact(text)
    return time.process_time() - start
