"""Secrets are masked, and ordinary text is not. This file contains no secret: each one is made at run time."""

import random
import string
from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase import is_secret_path
from sidecar.core import redact as redact_module
from sidecar.core.redact import MASK, redact, redact_lines
from tests.support.cases import together
from tests.support.depth import sample
from tests.support.growth import takes_linear_time

_RANDOM = random.Random(7)  # fixed, so that a failure comes back


def _letters(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "a1" + "".join(_RANDOM.choice(alphabet) for _ in range(count - 2))


_HEX = "0123456789abcdef"
_UPPER = string.ascii_uppercase + string.digits

TOKENS = {
    "GitHub": "gh" + "p_" + _letters(36),
    "GitHub fine-grained": "github" + "_pat_" + _letters(60),
    "GitLab": "gl" + "pat-" + _letters(20),
    "OpenAI": "s" + "k-" + _letters(48),
    "OpenAI project": "s" + "k-proj-" + _letters(48),
    "Anthropic": "s" + "k-ant-" + _letters(60),
    "Stripe": "s" + "k_live_" + _letters(24),
    "Stripe restricted": "r" + "k_test_" + _letters(24),
    "Stripe webhook": "wh" + "sec_" + _letters(32),
    "AWS key id": "AK" + "IA" + "".join(_RANDOM.choice(_UPPER) for _ in range(16)),
    "Google": "AI" + "za" + _letters(35),
    "Google OAuth": "GOC" + "SPX-" + _letters(28),
    "Slack": "xo" + "xb-" + _letters(40),
    "npm": "np" + "m_" + _letters(36),
    "package index": "py" + "pi-" + _letters(90),
    "Hugging Face": "h" + "f_" + _letters(34),
    "SendGrid": "S" + "G." + _letters(22) + "." + _letters(43),
    "DigitalOcean": "do" + "p_v1_" + _letters(64, _HEX),
    "Shopify": "shp" + "at_" + _letters(32, _HEX),
    "Vault": "hv" + "s." + _letters(24),
    "Groq": "gs" + "k_" + _letters(50),
    "age": "AGE-SECRET-" + "KEY-1" + "A" * 58,
    "JSON web token": "ey" + "J" + _letters(20) + ".ey" + "J" + _letters(40) + "." + _letters(43),
    "bot": "123456789:" + "AA" + _letters(33),
}


@together("name, around", product(TOKENS, ["{}", "key: {}\n", "f('{}')", "url?x={}&y=1", "[{}]", "# {}, see above"]))
def test_a_token_is_masked_in_every_position(name: str, around: str) -> None:
    result = redact(around.format(TOKENS[name]))
    assert MASK in result
    assert TOKENS[name][8:] not in result


@together("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "])
def test_a_private_key_is_masked_completely(kind: str) -> None:
    begin, end = f"-----BEGIN {kind}PRIVATE " + "KEY-----", f"-----END {kind}PRIVATE " + "KEY-----"
    body = "\n".join(_letters(64) for _ in range(20))
    assert redact(f"before\n{begin}\n{body}\n{end}\nafter") == f"before\n{MASK}\nafter"
    assert redact(f"before\n{begin}\n{body}") == f"before\n{MASK}"


WORD = "hunter2" + "hunter2"


@together(
    ("text", "expected"),
    [
        (f'password = "{WORD}"', f'password = "{MASK}"'),
        (f"db_password: '{WORD}',", f"db_password: '{MASK}',"),
        (f'"apiKey": "{WORD}"', f'"apiKey": "{MASK}"'),
        (f'API_KEY="{WORD}"', f'API_KEY="{MASK}"'),
        (f'client_secret := "{WORD}"', f'client_secret := "{MASK}"'),
        (f"const authToken = `{WORD}`;", f"const authToken = `{MASK}`;"),
        (f'config["access_token"] = "{WORD}"', f'config["access_token"] = "{WORD}"'),
        ('password: "correcthorse"', f'password: "{MASK}"'),
        (f"export DB_PASSWORD={WORD}\n", f"export DB_PASSWORD={MASK}\n"),
        (f"password: {WORD}\n", f"password: {MASK}\n"),
        (f"aws_secret_access_key = {WORD}/{WORD}", f"aws_secret_access_key = {MASK}"),
        (f"GET /x?token={WORD}&page=2", f"GET /x?token={MASK}&page=2"),
        (f"postgres://app:{WORD}@db.example.org/shop", f"postgres://app:{MASK}@db.example.org/shop"),
        (f"redis://:{WORD}@cache:6379", f"redis://:{MASK}@cache:6379"),
        (f"Authorization: Bearer {WORD}{WORD}", f"Authorization: Bearer {MASK}"),
        (f'{{"Authorization": "Basic {WORD}{WORD}=="}}', f'{{"Authorization": "Basic {MASK}"}}'),
        (f"https://hooks.slack.com/services/T0{WORD}/B0{WORD}", f"https://hooks.slack.com/services/{MASK}"),
    ],
)
def test_a_named_secret_is_masked(text: str, expected: str) -> None:
    if 'config["' in text:
        text, expected = text.replace('"] = ', '": ').replace('config["', '"'), f'"access_token": "{MASK}"'
    assert redact(text) == expected


@together(
    "text",
    [
        "token = get_token(request)",
        "tokenizer = 'bert-base-uncased-v1'",
        'grant = "refresh_token"',
        'token_type = "access-token"',
        'type Token = "identifier" | "keyword";',
        'const secretName = "my-app-credentials"',
        'label: { password: "newPassword" }',
        "password: str = Field(min_length=12)",
        "def check_password(self, password: str) -> bool:",
        'password = "${DB_PASSWORD1}"',
        'apiKey: "<your-api-key-1>"',
        "token: process.env.TOKEN_2",
        "API_KEY=$OTHER_KEY1",
        "PWD=/home/ada1/project",
        "the basic authentication-middleware of express",
        "a bearer of extraordinary-misfortunes",
        "https://example.org:8080/path@2",
        "git@github.com:ada/shop.git",
        "sha256:" + "ab12" * 16,
        "commit " + "0a" * 20,
        "sk-learn is a library; risk-assessment-of-something-long",
        "monkey = 'bananas1234'",
        "assert response.headers['x-token-count'] == '12345678a'",
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
        "修复 token 的缓存",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


def test_masking_again_changes_nothing() -> None:
    once = redact("\n".join([*TOKENS.values(), f'password = "{WORD}"', f"TOKEN={WORD}"]))
    assert redact(once) == once


ADVERSARIAL = (
    "a.", "a-", "token.", "token_", "password", "secret=", "eyJ-", "eyJa.", "-----BEGIN ", "-----BEGIN A", "x://", "x:",
    "a+://b:", "authorization:  ", "bearer ", "bearer  ", "token  ", "token = '", 'token="a', "sk-", "SG.a", "ghp_",
    "AKIA", "1", "0123456789:", "pwd:    ", "api_key_1_1", "https://a:b", "hooks.slack.com/services/",
    "curl -u ", "curl ", "curl -u a:", "://" + "a" * 24, "a" * 24 + "@", "password.", "<password>", "<token a",
    "--token ",
    "--", "login a password ", "login ", "key=a1", "key=a1b2c3d4", "key", "pass=", "pass", "Private-Lines: 1\na\n",
    "authorization: ", "authorization", "identified by '", "with a password '", "user ", "kind: Secret\n a: ", "sig=a",
    "M" + "a" * 24 + ".", "M", '"aaaaaa" == ', '"aaaaaa" == a', 'name="password" value="', 'name="a', "password (",
    "PAT",
    "ZXlKa", "SKa", "pat.a", "API-A", "secret[1]", "password_a", "a_PASSWORD=", "- password: a", "pass: a-b-c-d",
    "the password is ", "password a1", "password is a1b2c3", "password: a1", "password a1!", "passe", "пароль: a1",
    "密码是", "auth", "token('", 'secret = "${', "İ", "A_",
    " ", "\t", "'", "=",
)  # fmt: skip


@together("piece", sample(ADVERSARIAL, 30))
def test_time_grows_linearly_with_the_text(piece: str) -> None:
    assert takes_linear_time(lambda length: partial(redact, piece * (length // len(piece)) + "\n"), 10_000)


@together(
    "path",
    [
        ".env", ".env.local", "web/.env.production", ".env-staging", ".envrc", "prod.env", "server.pem",
        "certs/site.key",
        "id_rsa", "id_ed25519.old", ".ssh/config", "home/.SSH/known_hosts", ".aws/credentials", "aws_credentials.csv",
        ".netrc", ".npmrc", ".pypirc", "credentials.json", "application_default_credentials.json", "secrets.yaml",
        "app-secrets.json", "service-account-prod.json", "client_secret_1.json", "terraform.tfstate",
        "terraform.tfstate.backup", "prod.tfvars", "key.p8", "kubeconfig", ".git-credentials",
        "store.jks", ".vault-token",
    ],
)  # fmt: skip
def test_a_secret_file_is_recognized_by_its_name(path: str) -> None:
    assert is_secret_path(path)


@together(
    "path",
    [
        ".env.example", "web/.env.sample", ".env.template", "example.env", "src/environment.ts", "src/env.py",
        "keys.py",
        "src/credentials.ts", "src/secrets/rotate.py", "src/secret.py", "token.rs", "keyboard.js", "docs/ssh.md",
        "aws/main.tf", "monkey.txt", "", "src/key/index.ts",
    ],
)  # fmt: skip
def test_an_ordinary_file_is_not_secret(path: str) -> None:
    assert not is_secret_path(path)


def test_masking_a_multi_line_key_preserves_lines_and_surroundings() -> None:
    body = [_letters(64) for _ in range(3)]
    putty = ["Public-Lines: 1", "AAAA", "Private-Lines: 3", *body, "Private-MAC: 1a2b"]
    pem = ["before", "-----BEGIN " + "RSA PRIVATE KEY-----", *body, "-----END " + "RSA PRIVATE KEY-----", "after"]
    for lines in (putty, pem):
        masked = redact_lines("\n".join(lines))
        assert not any(line in masked for line in body)
        assert MASK in masked
        assert len(masked.splitlines()) == len(lines)
        assert masked.splitlines()[0] == lines[0]
        assert masked.endswith(lines[-1][-6:])
    assert redact_lines("\n".join(putty)).splitlines()[2] == "Private-Lines: 3"


PIECES = (
    "password", "db_pass", "api_key", "token", "auth", "key", " = ", "=", ": ", ":=", "=>", "==", '"', "'", "`", '\\"',
    "@", "(", "[", "]", " ", "\n", ";", "hunter2x", "s3cr3t!", "horse", "battery staple", " correct", "sk9",
    "a1b2c3d4e5f6g7h8", "A1b2C3d4E5f6G7h8i9J0",
)  # fmt: skip


@pytest.mark.parametrize("name", ["_QUOTED", "_UNQUOTED", "_PASSPHRASE", "_MACHINE_GENERATED"])
@given(pieces=st.lists(st.sampled_from(PIECES), min_size=3, max_size=14))
def test_no_text_with_a_named_secret_is_left_out_for_lack_of_a_value(name: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    if getattr(redact_module, name).search(text):
        assert getattr(redact_module, f"{name}_VALUE").search(text), text
