"""Private keys in every dress in which a tool prints them."""

from __future__ import annotations

import base64
import json

import pytest

from cfpm.secrets import redact

BODY = [
    "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgwMbRvI0MBZhpI",
    "FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfake",
    "q8dTgnxX2m5bJv9uYw3Kc7RzEaLh1NpOiSfDgHjKlQwErTyUiOpAsDfGhJkLzXcV",
    "bNm1QwE2rTy3Ui==",
]
BEGIN, END = "-----BEGIN RSA PRIV" + "ATE KEY-----", "-----END RSA PRIV" + "ATE KEY-----"
PEM = "\n".join([BEGIN, *BODY, END])


def _leaks(text: str) -> list[str]:
    return [line for line in BODY if line in text]


def test_a_block_becomes_one_placeholder() -> None:
    assert redact(f"cat key.pem\n{PEM}\ndone").text == "cat key.pem\n[redacted:private-key]\ndone"


@pytest.mark.parametrize("kind", ["", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "])
def test_every_kind_of_private_key_is_one(kind: str) -> None:
    assert redact(PEM.replace("RSA ", kind)).text == "[redacted:private-key]"


def test_a_block_inside_other_armour_is_found() -> None:
    block = PEM.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK")
    assert redact(block).text == "[redacted:private-key]"


def test_a_block_that_ends_too_early_is_taken_to_its_last_line() -> None:
    torn = "\n".join([BEGIN, *BODY[:3]])
    assert redact(torn + "\n").text == "[redacted:private-key]\n"
    assert redact(torn + "\n\nand then prose goes on").text.endswith("and then prose goes on")


def test_a_block_that_lost_its_beginning_is_taken_back_to_its_first_line() -> None:
    torn = "\n".join(["tail of key.pem:", *BODY, END])
    assert redact(torn).text == "tail of key.pem:\n[redacted:private-key]"


def test_numbered_lines_and_log_times_do_not_hide_a_block() -> None:
    numbered = "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(PEM.splitlines(), 1))
    logged = "\n".join(f"2026-11-21 12:36:01 {line}" for line in PEM.splitlines())
    assert _leaks(redact(numbered).text) == []
    assert _leaks(redact(logged).text) == []


def test_a_block_in_json_and_in_string_syntax_is_found() -> None:
    escaped = json.dumps({"private_key": PEM})
    joined = "key = (" + "\n       ".join(f'"{line}\\n" +' for line in PEM.splitlines()) + ")"
    assert _leaks(redact(escaped).text) == []
    assert _leaks(redact(joined).text) == []


def test_a_block_that_is_encoded_once_more_is_found() -> None:
    encoded = base64.b64encode(PEM.encode()).decode()
    assert redact(f"tls.key: {encoded}\nx: 1").text == "tls.key: [redacted:private-key]\nx: 1"
    assert redact(f"a{base64.b64encode(b'ab' + PEM.encode()).decode()}").findings


def test_two_blocks_are_two_findings() -> None:
    assert redact(f"{PEM}\nand\n{PEM}").text == "[redacted:private-key]\nand\n[redacted:private-key]"


def test_public_keys_and_certificates_stay() -> None:
    for name in ("PUBLIC KEY", "CERTIFICATE", "RSA PUBLIC KEY"):
        text = "\n".join([f"-----BEGIN {name}-----", "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A", f"-----END {name}-----"])
        assert redact(text).text is text


def test_talking_about_the_marker_is_no_key() -> None:
    text = f"The file starts with `{BEGIN}` and ends with `{END}`."
    assert redact(text).text is text
