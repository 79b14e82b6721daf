"""Secrets that a sentence, a command or a device's configuration names, in whatever order and language."""

from __future__ import annotations

import pytest

from cfpm.secrets import redact

TYPED = "Kelp.91-Marsh"
STRONG = "Kelp#91marsh"
KEY = "q8Rz2LmXv7Kt4Wp9Yc3B"


@pytest.mark.parametrize(
    "sentence",
    [
        "the password, which Tom changed on Monday, is {}",
        "Das Passwort haben wir gestern auf {} gestellt",
        "Le mdp de la base est passé à {} hier",
        "cambié la clave del banco a {}, no la pierdas",
        "a senha do banco de produção é {} (sem espaço)",
        "Hasło do skrzynki zmieniłam na {}",
        "heslo k databázi je teď {}",
        "пароль от почты я поменял на {}",
        "كلمة المرور الجديدة هي {}",
        "use {} as the root password please",
        "{} ist das neue Passwort",
        "what is the root password?\nben: {}\nthanks",
    ],
)
@pytest.mark.parametrize("value", [TYPED, STRONG, "Kr0kus.rosso"])
def test_what_a_clause_says_a_password_to_be_is_taken(sentence: str, value: str) -> None:
    assert value not in redact(sentence.format(value)).text


@pytest.mark.parametrize(
    "text",
    [
        "the password must have 8 characters such as Kelp#91marsh",
        "the password is hashed with PBKDF2-HMAC-SHA256",
        "the password page is at wiki.example.org/Login2Form",
        "Specifies the password to FRITZ!Box",
        "le jeton de rafraîchissement expire",
        '{"output_tokens":4,"requestId":"req_011CXZsBzRdW7FqKoSWsSQKi"}',
        "recovery key: keep this in your safe",
        "the alarm code was rewritten in 2024",
        "snmp-server community public RO",
        "plink -P 22 host",
    ],
)
def test_what_else_sentences_about_secrets_name_stays(text: str) -> None:
    assert redact(text).text is text


@pytest.mark.parametrize(
    "sentence",
    [
        "the token for the weather station that I made is {}",
        "Der API-Schlüssel für die Wetterstation lautet {}",
        "la clé d'API de prod, à garder secrète : {}",
        "set the auth header to {}",
        "backup code in case I lose the phone: {}",
    ],
)
def test_a_key_in_a_sentence_is_taken(sentence: str) -> None:
    assert KEY not in redact(sentence.format(KEY)).text


@pytest.mark.parametrize(
    "value",
    [
        "114922-630157-281369-570240-338811-492107-115533-660924",
        "QX7R-2MLP-9ZKD-W4HT-6VBN-3JFC",
        "kqzv wmxt bnhr plfd",
        "6f1c 9a02 b7de 4418",
    ],
)
def test_a_recovery_key_in_groups_is_taken_as_a_whole(value: str) -> None:
    assert redact(f"my recovery key for the old laptop: {value}.").text.count("[redacted:") == 1
    assert not set(value.split()) & set(redact(f"my recovery key for the old laptop: {value}").text.split())


@pytest.mark.parametrize("value", ["4471#", "63B80", "14-32-07", "90214"])
def test_the_code_of_a_door_is_taken(value: str) -> None:
    assert value not in redact(f"the gate code is {value}, second floor").text


@pytest.mark.parametrize(
    "line",
    [
        "smbclient //nas/scans -U bruno%{} -c ls",
        "xfreerdp /v:ts1 /u:bruno /p:{} +clipboard",
        "net user bruno {} /add",
        "sqlplus hr/{}@orcl",
        "htpasswd -bc .htpasswd bruno {}",
        "echo 'bruno:{}' | chpasswd",
        "lftp -u bruno,{} ftp.example.org",
        "snmpwalk -v3 -u bruno -A {} 10.0.0.1",
        "http -a bruno:{} GET example.org",
        "enable secret 0 {}",
        "username bruno privilege 15 secret 5 {}",
        "snmp-server community {} RO 10",
        "neighbor 192.0.2.1 password 7 {}",
        " ip ospf message-digest-key 1 md5 {}",
        "local-user admin password irreversible-cipher {}",
        "psk={}",
        "wpa_passphrase={}",
        "WIFI:T:WPA;S:Kelp;P:{};;",
        "stringData:\n  postbox: {}\n",
    ],
)
@pytest.mark.parametrize("value", ["Gl3tscher77", "Kelp91Marsh"])
def test_commands_and_devices_keep_no_secret(line: str, value: str) -> None:
    assert value not in redact(line.format(value)).text


def test_letters_one_by_one_are_read_together() -> None:
    assert "u n t e r" not in redact("the password is H u n t e r 2 x Q 9 k").text
    assert "n.t.e.r" not in redact("password: H.u.n.t.e.r.2.x.Q.9").text
    table = "a b c d e f g h i j k l m"
    assert redact(table).text is table


def test_base64_below_a_line_of_dashes_is_one_stretch() -> None:
    import base64

    body = base64.b64encode(b'{"client_id":"kelp","client_secret":"0hbE5xrGh3G1yzM8D0oeg7b4"}').decode()
    text = f"-----config-----\n{body[:60]}\n{body[60:]}\n-----end-----"
    assert body[60:] not in redact(text).text


@pytest.mark.parametrize(
    "unit", ["password ", "the password Kelp91 ", "recovery key 1234-", "gpg -p ", "a b c d e f g h "]
)
def test_a_text_of_nothing_but_names_is_left_in_one_pass(unit: str) -> None:
    text = unit * 400
    assert len(redact(text).text) <= len(text) + 40 * 400
