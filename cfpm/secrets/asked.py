"""A secret that was asked for: "What is the PIN?" "4471". Whatever answers is one, though nothing in it shows it."""

from __future__ import annotations

from cfpm.model.patterns import lazy_pattern

_SECRET = (
    r"(?:pass(?:word|phrase|code|wd)s?|pwd|pins?|combination|kennwort|passwort|geheimzahl|mot de passe|mdp|contraseña|"
    r"senha|wachtwoord|pincode|пароль)"
)
_ASKED = lazy_pattern(
    r"(?:\b(?:what|which|what['’]?s|was|welche[sr]?|wie|quel(?:le)?|cu[aá]l|qual)\b(?:[\s'’]+[\w'’-]+){0,5}?|"
    r"\b(?:give|send|tell|paste|type|enter|share|need)\b(?:[\s'’]+[\w'’-]+){0,4}?|^\W*(?:(?:and|the|your|my) )*)"
    rf"\s*\b{_SECRET}\b(?=\s*[?？,]|\s+(?:for|of|to|on|in|at|is|there|now|again|please|für|von|vom|pour|du|de|para|do|da)\b)|"
    r"(?:密码|口令|暗号)(?:又|现在)?(?:是|呢|多少|什么|[?？])",
)
"""Behind the word what it is a secret of, or nothing: a "password manager" is none. In lower case."""
_LEAD = lazy_pattern(r"\W*(?:(?:yes|sure|ok|okay|it|its|is|that|the|now|still|was|ist|es)(?:['’]s)?\b[\s:,]*)*")
_VALUE = lazy_pattern(r"[^\s,;，；。]*\d[^\s,;，；。]*")
_ONE_WORD = lazy_pattern(
    r"(?!(?:no|nope|nah|none|nothing|never|later|unknown|forgotten|thanks|maybe|nein|non|不|没有|不知道|不用)$)[^\s,;，；。]+$"
)
_PLACEHOLDER = "[redacted:told-secret]"


def asks_for_a_secret(question: str) -> bool:
    """Whether the answer to it would be a password or a PIN."""
    return _ASKED.search(question.lower()) is not None


def without_answer(text: str) -> str:
    """An answer to such a question without what was asked for: each value with a digit, or the only word there is. "I'd
    rather not say" stays."""
    if "[redacted:" in text:
        return text
    if _VALUE.search(text):
        return _VALUE.sub(_PLACEHOLDER, text)
    begins = _LEAD.match(text.lower())
    start = begins.end() if begins else 0
    rest = text[start:].rstrip(" .!")
    if not _ONE_WORD.match(rest.lower()):
        return text
    return f"{text[:start]}{_PLACEHOLDER}{text[start + len(rest) :]}"
