"""The second looks that a match can need, by their names in `patterns.toml`. None of them measures entropy."""

from __future__ import annotations

from cfpm.secrets.armour import aws_secret_near, base64_around, encoded_login, jwk, jwt, pem, putty
from cfpm.secrets.assignments import (
    assigned,
    default,
    foreign,
    foreign_secret,
    named,
    named_key,
    password,
)
from cfpm.secrets.logins import (
    command_password,
    cookie,
    curl_login,
    login,
    netrc,
    pair,
    product_key,
    scrambled,
    sql,
    token,
)
from cfpm.secrets.numbers import card, iban, ssn
from cfpm.secrets.spans import Check

CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        *(assigned, default, foreign, foreign_secret, named, named_key, password),
        *(aws_secret_near, base64_around, encoded_login, jwk, jwt, pem, putty),
        *(command_password, cookie, curl_login, login, netrc, pair, product_key, scrambled, sql, token),
        *(card, iban, ssn),
    )
}
