"""Numbers that states give to people, told from others by their check digits. Not for finding names beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from cfpm.model.patterns import lazy_pattern

Span = tuple[int, int]
Check = Callable[[str], bool]
"""Whether a number without its separators has the check digits of a country."""


def _weighted(digits: str, weights: Sequence[int | str]) -> int:
    return sum(int(digit) * int(weight) for digit, weight in zip(digits, weights, strict=False))


def _luhn(digits: str) -> bool:
    doubled = (int(digit) * (2 if index % 2 else 1) for index, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _is_date(month: str, day: str) -> bool:
    return 1 <= int(month) <= 12 and 1 <= int(day) <= 31


def austrian(text: str) -> bool:
    """Sozialversicherungsnummer: ten digits, the fourth checks, the last six are a birthday."""
    rest = _weighted(text, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11
    return rest == int(text[3]) and _is_date(text[6:8], text[4:6])


def belgian(text: str) -> bool:
    """Rijksregisternummer: eleven digits, the last two are 97 less the others, with a 2 in front from 2000."""
    number, check = text[:9], int(text[9:])
    return _is_date(text[2:4], text[4:6]) and check in (97 - int(number) % 97, 97 - int("2" + number) % 97)


def brazilian(text: str) -> bool:
    """CPF: eleven digits, the last two check (modulo 11)."""
    first, second = ((_weighted(text[:length], tuple(range(length + 1, 1, -1))) * 10 % 11 % 10) for length in (9, 10))
    return text[9:] == f"{first}{second}"


def romanian(text: str) -> bool:
    """The Romanian CNP: thirteen digits, modulo 11."""
    rest = _weighted(text, "279146358279") % 11
    return int(text[12]) == (1 if rest == 10 else rest) and _is_date(text[3:5], text[5:7])


def canadian(text: str) -> bool:
    """SIN: nine digits (Luhn)."""
    return text[0] not in "08" and _luhn(text)


def chinese(text: str) -> bool:
    """Resident identity number: seventeen digits and a check of modulo 11 (ISO 7064), with a birthday in it."""
    rest = _weighted(text, (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)) % 11
    return "10X98765432"[rest] == text[17] and text[6:8] in ("19", "20") and _is_date(text[10:12], text[12:14])


def dutch(text: str) -> bool:
    """BSN: nine digits of the eleven test."""
    return _weighted(text, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def finnish(text: str) -> bool:
    """Henkilötunnus: a birthday, three digits and a check character of modulo 31."""
    compact = re.sub(r"[^0-9A-Z]", "", text[:6] + text[7:])
    return _is_date(text[2:4], text[:2]) and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(compact[:9]) % 31] == compact[9]


def french(text: str) -> bool:
    """NIR: thirteen digits (Corsica: 2A, 2B) and 97 less the rest."""
    number = text[:13].replace("2A", "19").replace("2B", "18")
    return text[0] in "12" and number.isdigit() and int(text[13:]) == 97 - int(number) % 97


def german(text: str) -> bool:
    """Steuer-Identifikationsnummer: eleven digits (ISO 7064, modulo 11, 10), of which one or two repeat."""
    product = 10
    for digit in text[:10]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return text[0] != "0" and len(set(text[:10])) in (8, 9) and (11 - product) % 10 == int(text[10])


def indian(text: str) -> bool:
    """Aadhaar: twelve digits (Verhoeff)."""
    order = "1576283094"
    check = 0
    for index, digit in enumerate(reversed(text)):
        value = int(digit)
        for _ in range(index % 8):
            value = int(order[value])
        check = _dihedral(check, value)
    return text[0] not in "01" and check == 0


def _dihedral(left: int, right: int) -> int:
    if left < 5:
        return (left + right) % 5 if right < 5 else 5 + (left + right) % 5
    return 5 + (left - right) % 5 if right < 5 else (left - right) % 5


_ODD = {
    **dict(zip("0123456789ABCDEFGHIJ", (1, 0, 5, 7, 9, 13, 15, 17, 19, 21) * 2, strict=True)),
    **dict(zip("KLMNOPQRSTUVWXYZ", (2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23), strict=True)),
}


def italian(text: str) -> bool:
    """Codice fiscale: fifteen letters and digits and a check letter."""
    odd = sum(_ODD[char] for char in text[0:15:2])
    even = sum(int(char) if char.isdigit() else ord(char) - 65 for char in text[1:15:2])
    return chr(65 + (odd + even) % 26) == text[15]


def japanese(text: str) -> bool:
    """My Number: twelve digits, modulo 11."""
    rest = _weighted(text, (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return int(text[11]) == (0 if rest <= 1 else 11 - rest)


def korean(text: str) -> bool:
    """Resident registration number: thirteen digits, modulo 11, with a birthday in front."""
    rest = (11 - _weighted(text, "234567892345") % 11) % 10
    return _is_date(text[2:4], text[4:6]) and int(text[12]) == rest


def norwegian(text: str) -> bool:
    """Fødselsnummer: eleven digits, the last two check (modulo 11)."""
    first = _weighted(text, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    second = _weighted(text, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11
    return first == 0 and second == 0 and _is_date(text[2:4], text[:2])


def polish(text: str) -> bool:
    """PESEL: eleven digits, modulo 10; the month says the century."""
    rest = -_weighted(text, "1379137913") % 10
    return int(text[10]) == rest and _is_date(f"{int(text[2:4]) % 20:02}", text[4:6])


def portuguese(text: str) -> bool:
    """NIF: nine digits, modulo 11."""
    rest = _weighted(text, (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return text[0] in "1235689" and int(text[8]) == (0 if rest < 2 else 11 - rest)


def russian(text: str) -> bool:
    """SNILS: nine digits and the rest modulo 101."""
    rest = _weighted(text, (9, 8, 7, 6, 5, 4, 3, 2, 1)) % 101
    return int(text[9:]) == (0 if rest == 100 else rest)


def south_african(text: str) -> bool:
    """Identity number: a birthday and the rest, thirteen digits (Luhn)."""
    return _is_date(text[2:4], text[4:6]) and text[10] in "012" and _luhn(text)


def spanish(text: str) -> bool:
    """DNI and NIE: seven or eight digits and a letter of modulo 23."""
    number = text[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return number.isdigit() and "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == text[-1]


def swedish(text: str) -> bool:
    """Personnummer: a birthday and four digits (Luhn over the last ten)."""
    short = text[-10:]
    return _is_date(short[2:4], short[4:6]) and _luhn(short)


def swiss(text: str) -> bool:
    """AHV number: thirteen digits of EAN-13 that begin with 756."""
    return text.startswith("756") and -_weighted(text, "131313131313") % 10 == int(text[12])


def turkish(text: str) -> bool:
    """T.C. kimlik no: eleven digits, the last two check."""
    digits = [int(char) for char in text]
    tenth = (sum(digits[0:9:2]) * 7 - sum(digits[1:8:2])) % 10
    return text[0] != "0" and digits[9] == tenth and digits[10] == sum(digits[:10]) % 10


def british(text: str) -> bool:
    """NHS number: ten digits, modulo 11."""
    rest = 11 - _weighted(text, (10, 9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return rest != 10 and int(text[9]) == rest % 11


_BY_LENGTH: dict[int, tuple[Check, ...]] = {
    9: (canadian, dutch, portuguese),
    10: (austrian, british, swedish),
    11: (belgian, brazilian, german, norwegian, polish, russian, turkish),
    12: (indian, japanese, swedish),
    13: (romanian, korean, south_african, swiss),
    15: (french,),
}
"""Numbers of digits only, by their length."""

_DIGITS = lazy_pattern(r"(?<![0-9A-Za-z_.,\-/:])[0-9](?:[ .\-]?[0-9]){8,14}(?![0-9A-Za-z_]|[.,\-/][0-9])")
_LETTERED = lazy_pattern(
    r"(?<![0-9A-Za-z_])(?:(?P<chinese>[0-9]{17}[0-9Xx])|(?P<italian>[A-Za-z]{6}[0-9]{2}[A-Za-z][0-9]{2}[A-Za-z][0-9]{3}[A-Za-z])"
    r"|(?P<spanish>(?:[0-9]{8}|[XYZxyz]-?[0-9]{7})-?[A-Za-z])|(?P<finnish>[0-9]{6}[-+A-FU-Y][0-9]{3}[0-9A-Y])"
    r"|(?P<french>[12] ?[0-9]{2} ?[01][0-9] ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}))(?![0-9A-Za-z_])"
)
_LETTERED_CHECKS = {"chinese": chinese, "italian": italian, "spanish": spanish, "finnish": finnish, "french": french}
_SEPARATORS = str.maketrans("", "", " .-")


def numbers(text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """The numbers between two places that pass the check of a country."""
    limit = len(text) if end is None else end
    for found in _LETTERED.finditer(text, start, limit):
        kind = found.lastgroup or ""
        written = found[0].upper()
        if _LETTERED_CHECKS[kind](written if kind == "finnish" else written.translate(_SEPARATORS)):
            yield found.span()
    for found in _DIGITS.finditer(text, start, limit):
        digits = found[0].translate(_SEPARATORS)
        if len(set(digits)) > 2 and any(check(digits) for check in _BY_LENGTH.get(len(digits), ())):
            yield found.span()
