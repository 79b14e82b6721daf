"""The same value in the many places in which people and programs leave secrets."""

from __future__ import annotations

import base64

import pytest

from cfpm.secrets import redact

VALUE = "Qz7Rk2Xw9Lp4Vt"
LONG = "Qz7Rk2Xw9Lp4VtMn3Bc8Js5H"
ENCODED = "dXNlcjpRejdSazJYdzlMcDRWdA=="
"""`user:` and the value, in base64."""

ASSIGNED = """
password: {}
"password":"{}"
'pwd' => '{}'
\\"password\\": \\"{}\\"
DB_PASSWORD={}
export API_TOKEN={}
$env:API_KEY="{}"
X-Api-Key: {}
"accessToken": "{}"
clientSecret={}&grant_type=x
?api_key={}&page=1
password => "{}"
password := "{}"
const password: string = "{}"
String password = "{}";
var secret string = "{}"
self.password = "{}"
setPassword("{}")
os.environ["TOKEN"] = "{}"
os.environ.get("PASSWORD", "{}")
process.env.SECRET || "{}"
SECRET = os.getenv("NAME", "{}")
putenv("SECRET={}")
Server=x;User Id=sa;Password={};Database=y
jdbc:mysql://h/db?user=a&password={}
spring.datasource.password={}
ansible_become_pass={}
webhook_secret: {}
hmac_key = {}
PASSWORD = \\
    '{}'
password = '''{}'''
<password>{}</password>
<password name="db">{}</password>
**Password:** {}
- password: `{}`
password=%22{}%22
Password:\\t{}
"""

SAID = """
my password is {}
the password is "{}"
password for ada: {}
the password of the server is {}
password {}
password - {}
passcode is {}
the token is {}
ID/PW: ada/{}
user ada pass: {}
(pw: {})
密码：{}
密码是{}，别告诉别人
登录密码设为{}。
用户名admin，密码{}
口令: {}
密钥是{}
비밀번호: {}
パスワード：{}
пароль: {}
contraseña: {}
Passwort: {}
"""

COMMANDS = """
mysql -uroot -p{} shop
sshpass -p {} ssh ada@h
sshpass -p '{}' ssh ada@h
PGPASSWORD={} psql shop
docker login -u ada -p {}
tool --password {}
tool --password={}
tool --api-key {}
tool --token={}
plink -pw {} h
unzip -P {} a.zip
7z x -p{} a.7z
curl -u ada:{} https://example.org
curl -X PUT --user "ada:{}" https://example.org
wget --password={} https://example.org
keytool -storepass {}
openssl enc -pass pass:{}
ConvertTo-SecureString "{}" -AsPlainText -Force
New-User -Password "{}"
CREATE USER app IDENTIFIED BY '{}'
ALTER ROLE app WITH PASSWORD '{}'
helm install --set auth.password={} x
kubectl create secret generic x --from-literal=password={}
npm config set //r/:_authToken={}
git clone https://ada:{}@code.example.org/a.git
psql postgresql://app:{}@db/orders
redis-cli -u redis://:{}@cache:6379/0
machine git.example.org login ada password {}
db.example.org:5432:orders:app:{}
"""


def _lines(block: str) -> list[str]:
    return block.strip().replace("\\\n", "\\\r").split("\n")


@pytest.mark.parametrize("line", _lines(ASSIGNED) + _lines(SAID) + _lines(COMMANDS))
def test_the_value_is_gone(line: str) -> None:
    text = line.replace("\\\r", "\\\n").format(VALUE)
    found = redact(text)
    assert VALUE not in found.text
    assert found.findings


@pytest.mark.parametrize(
    "line",
    [
        "Authorization: Bearer {}",
        "-H 'Authorization: token {}'",
        "'Authorization': 'Bearer {}'",
        "the header was Bearer {}",
        "Cookie: theme=dark; sid={}; lang=en",
        "PHPSESSID={}",
        'gateway_auth = "{}"',
        'signing: {{key: "{}"}}',
        "$key = '{}';",
        "https://{}@code.example.org/a.git",
    ],
)
def test_a_long_value_is_gone(line: str) -> None:
    assert LONG not in redact(line.format(LONG)).text


@pytest.mark.parametrize("line", ["Authorization: Basic {}", 'auths: {{"r": {{"auth": "{}"}}}}', "sent Basic {}"])
def test_an_encoded_login_is_gone(line: str) -> None:
    assert ENCODED not in redact(line.format(ENCODED)).text


@pytest.mark.parametrize("line", _lines(ASSIGNED)[:12] + _lines(SAID)[:4])
@pytest.mark.parametrize(
    "wrap", ["{}", "     7\t{}", "2026-11-21T09:30:00Z INFO {}", "> {}", "+{}", "\x1b[33m{}\x1b[0m"]
)
def test_the_dress_of_a_tool_output_does_not_matter(line: str, wrap: str) -> None:
    assert VALUE not in redact(wrap.format(line.format(VALUE))).text


@pytest.mark.parametrize("word", ["swordfish", "opensesame"])
def test_a_plain_word_is_a_password_only_where_somebody_says_that_it_is_one(word: str) -> None:
    assert word not in redact(f"my password is {word}.").text
    assert word not in redact(f"MYSQL_PASSWORD={word}").text
    assert word not in redact(f"password: {word}").text
    assert word in redact(f"the password, {word} and the rest").text


@pytest.mark.parametrize("state", ["incorrect", "expired", "required", "too short", "missing", "hashed", "changing"])
def test_the_state_of_a_password_is_no_password(state: str) -> None:
    text = f"my password is {state}."
    assert redact(text).text is text


@pytest.mark.parametrize(
    "text",
    [
        "card 4539 1488 0343 6467 expires",
        "4539148803436467",
        "378282246310005",
        "pay with 3530111333300000 please",
        "maestro card 6304 0000 0000 0000",
    ],
)
def test_a_card_with_the_right_check_digit_is_taken(text: str) -> None:
    assert "[redacted:card-number]" in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "4539 1488 0343 6468",
        "1234567890123456",
        "17180000000001",
        "0.4539148803436467",
        "630400000000",
        "ID-4539148803436467",
    ],
)
def test_other_numbers_are_no_card(text: str) -> None:
    assert redact(text).text is text


@pytest.mark.parametrize(
    "text",
    ["DE89 3704 0044 0532 0130 00", "GB33BUKB20201555555555", "NL91 ABNA 0417 1643 00", "gb33bukb20201555555555"],
)
def test_an_account_number_with_the_right_check_digits_is_taken(text: str) -> None:
    assert redact(text).text == "[redacted:iban]"


def test_a_social_security_number_needs_its_name() -> None:
    assert redact("my SSN: 536-22-8947").text == "my SSN: [redacted:us-ssn]"
    assert redact("part 536-22-8947 is on stock").findings == ()
    assert redact("SSN 000-22-8947 and 900-22-8947").findings == ()


def test_a_short_value_is_left_when_nothing_says_that_it_is_a_secret() -> None:
    for text in ("key: a1", "token: 42", "pw: x", "secret: no", "password: 1"):
        assert redact(text).text is text


def test_signs_inside_a_bare_password_do_not_save_its_rest() -> None:
    assert redact("password: k9#Lm;2pQ(x8").text == "password: [redacted:password]"
    assert redact("Password=k9Lm;Database=shop2").text == "Password=[redacted:password];Database=shop2"
    assert redact("login(password=k9Lm).then()").text == "login(password=[redacted:password]).then()"


MADE_UP = """
const DB_PASS: &str = "{}";
mqtt_pass: {}
ansible_become_pass: {}
password: |\\n  {}
<smtpPassword>{}</smtpPassword>
set -x SNOWFLAKE_PASSWORD {}
Username ada Password {}
| WLAN-Passwort | {} |
SET PASSWORD FOR 'ada'@'%' = PASSWORD('{}');
CREATE ROLE ada LOGIN PASSWORD '{}';
define('DB_PASSWORD', '{}');
jdbc:postgresql://db1/orders?user=ada&password={}
wget --user=ada --password={} https://example.org
/user add name=ada password={} group=full
app.use(session({{ secret: '{}', resave: false }}))
the secret for the webhook is {}
Router login:\\n- user: admin\\n- pass: {}
my mail login is ada@example.org and the password's {}
it's asking for a password, just use {}
You get into the NAS with ada and {} as the password.
heslo je {}
كلمة السر هي {}
"""


@pytest.mark.parametrize("line", MADE_UP.strip().splitlines())
def test_letters_with_digits_are_a_password_wherever_one_is_given(line: str) -> None:
    value = "octopusink7"
    written = line.replace("\\n", "\n").replace("{{", "{").replace("}}", "}").replace("{}", value)
    assert value not in redact(written).text


@pytest.mark.parametrize(
    "line",
    [
        "pw: {}",
        "Password → {}",
        "password: {} (all in small letters)",
        "he said the password is {}, I think",
        "--password={}",
        "[smtp]\npassword={}",
        "| login | password |\n|---|---|\n| ada | {} |",
    ],
)
def test_letters_that_are_no_english_word_are_a_password_where_one_is_given(line: str) -> None:
    assert "octopusink" not in redact(line.format("octopusink")).text
    assert "unknown" in redact(line.format("unknown")).text


@pytest.mark.parametrize(
    "text",
    [
        "first_pass: 2nd, renderPass = Pass2",
        "client.auth(user=name, password=formdata)",
        "const body = { password: formdata };",
        "**Add a check for the password**: Validate it",
        "--- PASS: TestRead/User_message_with_4_words",
        "PRIMARY_KEY = 5b1f6c0a9d3e4827b6c1d0f92e8a7b34",
        "password: misconfigured",
    ],
)
def test_names_of_programs_and_states_are_no_passwords(text: str) -> None:
    assert redact(text).text is text


def test_an_upper_case_key_of_a_service_opens_it() -> None:
    value = "5b1f6c0a9d3e4827b6c1d0f92e8a7b34"
    for line in ('Sys.setenv(OPENWEATHER_KEY = "{}")', 'curl -H "DD-APPLICATION-KEY: {}"'):
        assert value not in redact(line.format(value)).text


def test_what_is_encoded_twice_is_read() -> None:
    once = base64.b64encode(b"password=octopusInk7!")
    twice = base64.b64encode(once).decode()
    assert twice not in redact(f"blob {twice}").text
