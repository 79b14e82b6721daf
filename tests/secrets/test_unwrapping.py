"""Secrets that are written in another way than they are read: the stretch that says them is taken as a whole."""

from __future__ import annotations

import base64
import quopri
from collections.abc import Callable
from urllib.parse import quote

import pytest

from cfpm.secrets import redact

TOKEN = "gh" + "p_Zk3vT9qLw2XyB7nM4cRd8fGh1jKp5sVt0uWa"
PAIR = "db_password=Quokka7!velvet"


def _chunks(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


WAYS: dict[str, Callable[[str], str]] = {
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 without its end": lambda text: base64.b64encode(text.encode()).decode().rstrip("="),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "base64 in lines": lambda text: "\n".join(_chunks(base64.b64encode((text * 6).encode()).decode(), 64)),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal with 0x": lambda text: f"0x{text.encode().hex()}",
    "bytes": lambda text: text.encode().hex(" "),
    "bytes of C": lambda text: ", ".join(f"0x{byte:02x}" for byte in text.encode()),
    "percent": lambda text: quote(text, safe="").replace("_", "%5F"),
    "percent, all": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "code points": lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
    "hexadecimal escapes": lambda text: "".join(f"\\x{ord(char):02x}" for char in text),
    "some code points": lambda text: text.replace("_", "\\u005f"),
    "HTML, decimal": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "HTML, hexadecimal": lambda text: "".join(f"&#x{ord(char):x};" for char in text),
    "quoted-printable": lambda text: "Mail=3D\n" + "".join(f"={byte:02X}" for byte in text.encode()),
    "soft line breaks": lambda text: "x=3D1\n" + "=\n".join(_chunks(text, 20)),
    "zero width": lambda text: "\u200b".join(_chunks(text, 3)),
    "soft hyphens": lambda text: "\u00ad".join(_chunks(text, 5)),
    "full width": lambda text: "".join(chr(ord(char) + 0xFEE0) for char in text),
    "Cyrillic letters": lambda text: text.replace("p", "\u0440").replace("a", "\u0430"),
    "joined strings": lambda text: '"' + '" + "'.join(_chunks(text, 15)) + '"',
    "strings in lines": lambda text: '"' + '"\n    "'.join(_chunks(text, 15)) + '"',
    "strings of PHP": lambda text: "'" + "' . '".join(_chunks(text, 15)) + "'",
    "lines of a shell": lambda text: "\\\n".join(_chunks(text, 18)),
}  # fmt: skip
PAIR_IS_BROKEN_BY = ("full width", "strings in lines", "joined strings", "strings of PHP")
"""Ways in which a name is not beside its value any more, or is no name of a program."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("text", [TOKEN, PAIR], ids=["token", "pair"])
def test_a_wrapped_secret_is_gone(way: str, text: str) -> None:
    if text == PAIR and way in PAIR_IS_BROKEN_BY:
        text = TOKEN
    wrapped = WAYS[way](text)
    secret = wrapped if text == TOKEN else WAYS[way]("Quokka7!velvet")
    for before, after in [("", ""), ("log line: ", " and more words"), ('{"data": "', '"}'), ("/srv/a/", "/b.txt")]:
        found = redact(f"{before}{wrapped}{after}")
        assert found.findings, (before, found.text)
        left = found.text.removeprefix(before)
        assert not any(secret[at : at + 24] in left for at in range(max(1, len(secret) - 23)))
        assert found.text.startswith(before[:3])


def test_a_token_that_a_terminal_wraps_is_gone() -> None:
    line = f"2026-11-21 09:30:00 deploy failed for the user that had the token {TOKEN}"
    left = redact(f"{line[:80]}\n{line[80:]}").text
    assert TOKEN[14:] not in left
    assert TOKEN[:14] not in left


def test_the_line_behind_a_token_is_not_part_of_it() -> None:
    assert redact(f"a: {TOKEN}\nNEXT_LINE=1").text == "a: [redacted:github-token]\nNEXT_LINE=1"


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/a%20b%2Fc?q=%C3%A4",
        'x = "a" + "b"\ny = "c" \\\n    "d"',
        "{'caf\\u00e9': 1, 'na\\u00efve': 2}",
        "Tom &amp; Jerry &lt;3",
        "cGxhaW4gdGV4dCB3aXRob3V0IGFueXRoaW5n",
        "9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c",
        "пароль слишком короткий",
        "de ad be ef 00 11 22 33 44 55 66 77 88 99",
        "a zero\u200bwidth space and a soft\u00adhyphen",
    ],
)
def test_an_encoded_text_without_a_secret_stays(text: str) -> None:
    assert redact(text).text is text


def test_only_the_stretch_that_says_the_secret_is_taken() -> None:
    encoded = base64.b64encode(PAIR.encode()).decode()
    assert redact(f"data: {encoded} end").text == "data: [redacted:password] end"
    assert quopri.encodestring(b"password=Quokka7!velvet") not in redact("password=3DQuokka7!velvet=\n").text.encode()


def test_a_command_in_utf_16_is_read() -> None:
    encoded = base64.b64encode("net use Z: \\\\nas /user:scan Quokka7!velvet".encode("utf-16-le")).decode()
    assert encoded not in redact(f"powershell -NoProfile -EncodedCommand {encoded}").text
