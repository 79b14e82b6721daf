"""Checks of numbers that pay or name people: check digits, issuers, and what the text calls them."""

from __future__ import annotations

import re

from cfpm.secrets.spans import Span, before, kept, text_of

_ISSUER = re.compile(
    r"""
      4[0-9]{12}(?:[0-9]{3}){0,2}                                                       # Visa
    | 5[1-5][0-9]{14} | 2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)[0-9]{12}  # Mastercard
    | 3[47][0-9]{13}                                                                    # American Express
    | 3(?:0[0-5]|[689][0-9])[0-9]{11}                                                   # Diners Club
    | 6(?:011|4[4-9][0-9]|5[0-9]{2})[0-9]{12}                                           # Discover
    | 35(?:2[89]|[3-8][0-9])[0-9]{12} | (?:2131|1800)[0-9]{11}                          # JCB
    | 62[0-9]{14,17}                                                                    # UnionPay
    | (?:5018|5020|5038|5[6-8][0-9]{2}|6304|6390|67[0-9]{2}|0604)[0-9]{8,15}            # Maestro
    """,
    re.VERBOSE,
)
_LONG_ENOUGH = 14
"""Digits from which an issuer's number is believed without the word card: shorter ones are as often order numbers."""
_CARD_NAME = re.compile(r"(?:card|visa|maestro|amex|karte|卡)[^\n]{0,40}\Z", re.IGNORECASE)
_SSN_NAME = re.compile(r"(?:ssn|social[ \-]security)[^0-9\n]{0,40}\Z", re.IGNORECASE)


def luhn(digits: str) -> bool:
    """The check digit of card numbers (ISO/IEC 7812-1). `digits` holds digits only."""
    total = 0
    for index, digit in enumerate(map(int, reversed(digits))):
        doubled = digit * 2 if index % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def card(match: re.Match[str]) -> Span | None:
    """The right check digit, and either the first digits of a known issuer or a text that calls it a card."""
    digits = re.sub(r"[^0-9]", "", text_of(match))
    if not luhn(digits) or len(set(digits)) == 1:
        return None
    issued = len(digits) >= _LONG_ENOUGH and _ISSUER.fullmatch(digits) is not None
    return kept(match, issued or _CARD_NAME.search(before(match, 48)) is not None)


def iban(match: re.Match[str]) -> Span | None:
    """ISO 13616: country and check digits moved to the end, letters as 10 to 35, remainder 1 modulo 97."""
    compact = text_of(match).replace(" ", "").upper()
    number = int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4]))
    return kept(match, 15 <= len(compact) <= 34 and number % 97 == 1)


def ssn(match: re.Match[str]) -> Span | None:
    return kept(match, _SSN_NAME.search(before(match, 64)) is not None)
