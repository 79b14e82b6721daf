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
_USUAL_LENGTHS = (14, 15, 16)
"""Digits for which an issuer's number is believed without the word card: others are as often orders or samples."""
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
    issued = len(digits) in _USUAL_LENGTHS and _ISSUER.fullmatch(digits) is not None
    return kept(match, issued or _CARD_NAME.search(before(match, 48)) is not None)


_IBAN_LENGTHS = {
    country: int(length)
    for country, length in re.findall(
        r"([A-Z]{2})([0-9]{2})",
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 "
        "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 "
        "LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 "
        "PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 "
        "YE30",
    )
}
"""Characters of an account number by country, from the SWIFT registry of ISO 13616."""


def iban(match: re.Match[str]) -> Span | None:
    """ISO 13616: country and check digits moved to the end, letters as 10 to 35, remainder 1 modulo 97."""
    compact = text_of(match).replace(" ", "").upper()
    if _IBAN_LENGTHS.get(compact[:2]) != len(compact):
        return None
    number = int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4]))
    return kept(match, number % 97 == 1)


def ssn(match: re.Match[str]) -> Span | None:
    return kept(match, _SSN_NAME.search(before(match, 64)) is not None)
