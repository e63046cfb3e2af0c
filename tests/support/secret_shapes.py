"""Made-up secrets of each known kind, and texts that only look like secrets.

No secret is written here in full: each is built at run time from drawn characters, so that no scanner reports this
file as a leak.
"""

import random
import string
from typing import NamedTuple

_LETTERS = string.ascii_letters + string.digits
_SMALL = string.ascii_lowercase + string.digits
_CAPITALS = string.ascii_uppercase + string.digits
_HEX = "0123456789abcdef"
_DRAW = random.Random(11)  # fixed, so that failures are reproducible


class Secret(NamedTuple):
    """A text as it may be in a file, and the value that must not remain of it."""

    text: str
    value: str


def drawn(count: int) -> str:
    """Draw letters and digits."""
    return "a1" + "".join(_DRAW.choice(_LETTERS) for _ in range(count - 2))


def capitals(count: int) -> str:
    """Draw capital letters and digits."""
    return "A2" + "".join(_DRAW.choice(_CAPITALS) for _ in range(count - 2))


def _hex(count: int) -> str:
    return "a1" + "".join(_DRAW.choice(_HEX) for _ in range(count - 2))


def _small(count: int) -> str:
    return "a1" + "".join(_DRAW.choice(_SMALL) for _ in range(count - 2))


def _in(text: str, value: str) -> Secret:
    return Secret(text.replace("§", value), value)


def _token(*parts: str) -> Secret:
    """Return a token that needs nothing around it."""
    return _in("§", "".join(parts))


_NAMED = "k9" + _DRAW.choice("xyz") + "Rw2Tq7Lm4Vb8Zp1"
_PASSWORD = "Sup3r" + "S3cret!"
_CAMEL = "Summer" + "Rain27"
_STATED = "hunter" + "2xyz"
_WORDS = "correct" + "horse" + "battery"

TOKENS = {
    "Adafruit": _token("aio_", drawn(28)),
    "Apify": _token("apify_api_", drawn(36)),
    "Bannerbear": _token("bb_", "ma_", _hex(30)),
    "Buildkite, small letters": _token("bkua_", "z", _small(39)),
    "Close": _token("api_", drawn(22), ".", drawn(22)),
    "Cloudflare user": _token("cfut_", drawn(40), _hex(8)),
    "Cloudflare account": _token("cfat_", drawn(40), _hex(8)),
    "Cloudflare global": _token("cfk_", drawn(40), _hex(8)),
    "Deno": _token("ddp_", drawn(36)),
    "Doppler of an environment": _token("dp.", "st.", "dev_a-b.", drawn(40)),
    "Doppler audit": _token("dp.", "audit.", drawn(40)),
    "dfuse": _token("web_", _small(32)),
    "Endor": _token("endr+", drawn(16)),
    "Finage": _token("API_KEY", capitals(32)),
    "Fleetbase": _token("flb_live_", drawn(20)),
    "Flexport": _token("shltm_", drawn(40)),
    "FullStory": _token("na1.", drawn(100)),
    "Grafana service account": _token("glsa_", drawn(41)),
    "GoCardless": _token("live_", "Q", drawn(39)),
    "Hugging Face organization": _token("api_org_", drawn(34)),
    "indented JWT": _token("ewogIC", drawn(40), ".", "ewogIC", drawn(60), ".", drawn(43)),
    "Klaviyo": _token("pk_", _hex(34)),
    "Klaviyo of a company": _token("pk_", drawn(6), "_", _hex(34)),
    "Lob": _token("live_", _hex(35)),
    "LocationIQ": _token("pk.", _hex(32)),
    "New Relic browser": _token("NRBR-", _hex(19)),
    "New Relic query": _token("NRIQ-", drawn(25)),
    "New Relic licence": _token(_hex(32), "FFFF" + "NRAL"),
    "New Relic licence in Europe": _token("eu01xx", _hex(26), "FFFF" + "NRAL"),
    "New Relic mobile": _token("AA", _hex(40), "-NRMA"),
    "Nightfall": _token("NF-", drawn(32)),
    "Okta": _token("00", "Aa", drawn(38)),
    "Pagar.me": _token("ak_live_", drawn(30)),
    "Pulumi, small letters": _token("pul-", "z", _small(39)),
    "Ramp": _token("ramp_sec_", drawn(48)),
    "Razorpay": _token("rzp_live_", drawn(14)),
    "Rootly": _token("rootly_", _hex(64)),
    "RubyGems, letters": _token("rubygems_", "zZ", drawn(46)),
    "Salad": _token("salad_cloud_", "user_", drawn(40)),
    "Salesforce session": _token("00D", drawn(12), "!", drawn(96)),
    "Salesforce consumer": _token("3MVG9", drawn(80)),
    "Salesforce refresh": _token("5AEP861", drawn(82)),
    "Sonar user": _token("squ_", _hex(40)),
    "SonarCloud": _token("sqco_", drawn(59)),
    "Sourcegraph Cody": _token("slk_", _hex(64)),
    "Stripe intent": _token("pi_", drawn(24), "_secret_", drawn(25)),
    "Supabase, small letters": _token("sbp_", "z", _small(39)),
    "TruffleHog": _token("thog-secret-", _hex(32)),
    "Ubidots": _token("BBFF-", drawn(30)),
    "Voiceflow": _token("VF.", "DM.", _hex(24), ".", drawn(16)),
    "Zoho": _token("1000.", _hex(32), ".", _hex(32)),
    "Authress": _token("ext_", _small(20), ".", _small(4), ".acc_", _small(16), ".", _small(60)),
    "Defined Networking": _token("dnkey-", _small(26), "-", _small(52)),
    "Yandex": _token("t1.", drawn(40), ".", drawn(86)),
    "Yandex API": _token("AQVN", drawn(36)),
    "Azure registry": _token(drawn(42), "+ACR", drawn(6)),
    "Azure storage key": _token(drawn(76), "+ASt", drawn(6), "=="),
    "Azure Cosmos DB": _token(drawn(76), "ACDb", drawn(6), "=="),
    "Azure refresh token": _token("0.A", drawn(60), ".Ag", drawn(260)),
    "ElevenLabs": _token("sk_", _hex(48)),
    "Pinecone": _token("pcsk_", drawn(6), "_", drawn(60)),
    "LangSmith": _token("lsv2_", "pt_", _hex(32), "_", _hex(10)),
    "Fireworks": _token("fw_", drawn(24)),
    "CircleCI": _token("CCIPAT_", drawn(22), "_", _hex(40)),
    "Buildkite": _token("bkua_", _hex(40)),
    "crates.io": _token("cio", drawn(32)),
    "NuGet": _token("oy2", _small(43)),
    "Tailscale": _token("tskey-", "auth-", drawn(12), "-", drawn(30)),
    "Supabase secret key": _token("sb_secret_", drawn(30)),
    "Vercel": _token("vcp_", drawn(40)),
    "Dropbox": _token("sl.", drawn(140)),
    "Resend": _token("re_", drawn(8), "_", drawn(24)),
    "Resend, no digit first": _token("re_", "ovPPKdmR", "_", "aB3d" * 6),
    "Figma plan": _token("figp_", "aB3d" * 11),
    "Square sandbox": _token("sandbox-", "sq0csb-", "aB3d" * 11),
    "Snyk": _token("snyk_", "uat.", "aB3d" * 2, ".", "aB3d" * 5, ".", "aB3d" * 7),
    "MailerSend": _token("mlsn.", "a1b2" * 16),
    "Stytch": _token("secret-", "live-", "aB3d5" * 7, "="),
    "Honeycomb": _token("hca", "ik_", "aB" * 29),
    "Axiom": _token("xaa", "t-", "a1b2c3d4-", "a1b2-" * 3, "a1b2" * 3),
    "PubNub": _token("sub-", "c-", "a1b2c3d4-", "a1b2-" * 3, "a1b2" * 3),
    "Facebook app": _token("123456789", "012345|", "aB3" * 9),
    "PostHog": _token("phx_", drawn(40)),
    "Contentful": _token("CFPAT-", drawn(43)),
    "HubSpot": _token("pat-na1-", _hex(8), "-", _hex(4), "-", _hex(4), "-", _hex(4), "-", _hex(12)),
    "OpenAI service account": _token("s", "k-svcacct-", drawn(60)),
    "Anthropic admin": _token("s", "k-ant-admin01-", drawn(80)),
    "Perplexity": _token("pp", "lx-", drawn(48)),
    "Replicate": _token("r", "8_", drawn(37)),
    "Hugging Face organisation": _token("api", "_org_", "aB" * 17),
    "GitHub app": _token("gh", "s_", drawn(36)),
    "GitLab deploy": _token("gl", "dt-", drawn(20)),
    "GitLab feed": _token("gl", "ft-", drawn(20)),
    "GitLab SCIM": _token("gl", "soat-", drawn(20)),
    "GitLab job": _token("gl", "cbt-", "64_", drawn(20)),
    "GitLab agent": _token("gl", "agent-", drawn(50)),
    "GitLab runner": _token("GR", "1348941", drawn(20)),
    "GitLab session": _token("_gitlab", "_session=", _small(32)),
    "Atlassian": _token("ATA", "TT3", drawn(180)),
    "Bitbucket": _token("AT", "BB", drawn(32)),
    "Sourcegraph": _token("sg", "p_", _hex(16), "_", _hex(40)),
    "Linear OAuth": _token("lin", "_oauth_", drawn(64)),
    "Notion": _token("sec", "ret_", drawn(43)),
    "Postman": _token("PM", "AK-", _hex(24), "-", _hex(34)),
    "ReadMe": _token("rd", "me_", _small(70)),
    "Typeform": _token("tf", "p_", drawn(59)),
    "Octopus": _token("AP", "I-", capitals(26)),
    "RubyGems": _token("ruby", "gems_", _hex(48)),
    "Clojars": _token("CLO", "JARS_", _small(60)),
    "Docker organisation": _token("dckr", "_oat_", drawn(32)),
    "Artifactory": _token("AK", "Cp", drawn(69)),
    "Artifactory password": _token("AP", "3", drawn(40)),
    "Pulumi": _token("pu", "l-", _hex(40)),
    "Prefect": _token("pn", "u_", drawn(36)),
    "Doppler": _token("dp", ".pt.", drawn(43)),
    "Terraform": _token(drawn(14), ".atlas", "v1.", drawn(64)),
    "AWS Bedrock": _token("AB", "SK", drawn(120)),
    "AWS older key id": _token("A3", "TX", capitals(16)),
    "Alibaba": _token("LT", "AI", drawn(20)),
    "Fly": _token("fo", "1_", drawn(43)),
    "Heroku": _token("HR", "KU-", drawn(58)),
    "Cloudflare origin": _token("v1", ".0-", _hex(24), "-", _hex(146)),
    "OpenShift": _token("sha", "256~", drawn(43)),
    "Vault batch": _token("hv", "b.", drawn(140)),
    "PlanetScale": _token("pscale", "_pw_", drawn(43)),
    "Netlify": _token("nf", "p_", drawn(36)),
    "Supabase": _token("sb", "p_", _hex(40)),
    "Azure AD": _token(drawn(3), "8", "Q~", drawn(33)),
    "Slack refresh": _token("xox", "e-1-", capitals(146)),
    "Slack app": _token("xa", "pp-1-", capitals(11), "-1234567890123-", _hex(64)),
    "Brevo": _token("xkey", "sib-", _hex(64), "-", drawn(16)),
    "Mailgun": _token("ke", "y-", _hex(32)),
    "Mailchimp": _token(_hex(32), "-u", "s12"),
    "Twilio": _token("S", "K", _hex(32)),
    "Telegram": _token("1234567890", ":A", "A", drawn(33)),
    "Discord bot": _token("M", "Tk4NjIyNDgzNDcxOTI1MjQ4", ".Cl2F", "Mq.", drawn(27)),
    "Square": _token("sq", "0csp-", drawn(43)),
    "Braintree": _token("access", "_token$production$", _small(16), "$", _hex(32)),
    "EasyPost": _token("EZ", "AK", drawn(54)),
    "Flutterwave": _token("FLW", "SECK_TEST-", _hex(32), "-X"),
    "Duffel": _token("duf", "fel_live_", drawn(43)),
    "Shippo": _token("ship", "po_live_", _hex(40)),
    "Facebook": _token("EA", "AC", drawn(120)),
    "Adobe": _token("p8", "e-", _small(32)),
    "Grafana": _token("gl", "sa_", drawn(32), "_", _hex(8)),
    "New Relic": _token("NR", "AK-", capitals(27)),
    "Sentry": _token("sn", "tryu_", _hex(64)),
    "Dynatrace": _token("dt", "0c01.", capitals(24), ".", capitals(64)),
    "1Password account": _token("A", "3-", "-".join(capitals(count) for count in (6, 6, 5, 5, 5, 5))),
    "1Password service": _token("ops", "_eyJ", drawn(250)),
    "MaxMind": _token(drawn(6), "_", drawn(29), "_m", "mk"),
    "Airtable": _token("pa", "t", drawn(14), ".", _hex(64)),
    "Harness": _token("pa", "t.", drawn(22), ".", drawn(24), ".", drawn(20)),
    "web token encoded again": _token("ZXl", "KaGJHY2lPaUp", drawn(80)),
    "web token after a prefix": _token("acme_ey", "J", drawn(20), ".ey", "J", drawn(120), ".", drawn(43)),
    "Dropbox for a short time": _token("sl", ".u.", drawn(1200)),
    "Buildkite of an organization": _token("bku", "a_MTA.", _hex(40)),
    "Buildkite agent": _token("bka", "a_MTA.", drawn(78)),
    "Buildkite agent without a cluster": _token("bka", "r_MTU.", drawn(78)),
    "Buildkite cluster": _token("bkc", "t_MTI.", drawn(78)),
    "Buildkite job": _token("bka", "j_ey", "J", drawn(17), ".ey", "J", drawn(200), ".", drawn(86)),
    "Buildkite packages": _token("bkp", "t_ey", "J", drawn(160), "--", _hex(40)),
    "Buildkite portal": _token("bkp", "at_MTQ_", _hex(40)),
    "Buildkite portal secret": _token("bkp", "s_Mw_", _hex(60)),
    "Asana": _token("1/1", "201234567890123:", _hex(32)),
    "Asana, newer": _token("2/1", "201234567890123/1201234567890124:", _hex(32)),
    "Modal": _token("ak", "-", drawn(22)),
    "Modal secret": _token("as", "-", drawn(22)),
    "Voyage": _token("pa", "-", drawn(43)),
    "Cerebras": _token("cs", "k-", _small(48)),
    "Weights & Biases": _token("wandb", "_v1_", drawn(27), "_", drawn(49)),
    "Firecrawl": _token("f", "c-", _hex(32)),
    "Plaid": _token("access-", "production-", _hex(8), "-", _hex(4), "-", _hex(4), "-", _hex(4), "-", _hex(12)),
    "Tencent": _token("AK", "ID", drawn(32)),
    "Tailscale of old": _token("tskey-", "kDewAh5CNTRL", "-", drawn(22)),
    "LangSmith of old": _token("ls", "__", _hex(32)),
}
"""By service; each is masked in any context."""

NAMED = {
    "Sentry address": _in("https://§@o1.ingest.sentry.io/1", _hex(32)),
    "Sentry address of old": _in("https://§@sentry.example.org/2", f"{_hex(32)}:{_hex(32)}"),
    "token in an address": _in("git clone https://§@git.example.org/a.git", drawn(30)),
    "Slack workflow": _in("https://hooks.slack.com/triggers/§", f"T{capitals(8)}/{drawn(20)}"),
    "Zapier webhook": _in("https://hooks.zapier.com/hooks/catch/§", f"1234567/{_small(8)}x"),
    "Tines webhook": _in("https://shop.tines.com/webhook/§", f"{_small(32)}/{_small(32)}"),
    "Discord webhook": _in("https://discord.com/api/webhooks/§", f"123456789012345678/{drawn(68)}"),
    "Teams webhook": _in(
        "https://a.webhook.office.com/webhookb2/§", f"{_hex(36)}@{_hex(36)}/IncomingWebhook/{_hex(32)}"
    ),
    "signed Azure address": _in("?sv=2024&se=2030&sig=§&sr=b", drawn(43) + "%3D"),
    "signed S3 address": _in("?X-Amz-Date=1&X-Amz-Signature=§", _hex(64)),
    "Azure storage": _in("AccountName=a;AccountKey=§;EndpointSuffix=x", drawn(86) + "=="),
    "Azure bus": _in("SharedAccessKeyName=r;SharedAccessKey=§", drawn(43) + "="),
    "SoftLayer": _in("https://api.softlayer.com/soap/v3/§", _small(64)),
    "connection string": _in("Server=db;User Id=sa;Password=§;", "hunter" + "two"),
    "JDBC": _in("jdbc:mysql://db/shop?user=a&password=§", _PASSWORD),
    "YAML word": _in("password: §", _WORDS),
    "YAML words": _in("  db_password: §\n", "correct-horse" + "-battery-staple"),
    "short name": _in("pass:'§'", _PASSWORD),
    "name in humps": _in("const dbPass = '§'", "correct" + "horse"),
    "somebody's": _in('smtp_pass: "§"', "correct" + "horse"),
    "passphrase of words": _in('passphrase = "§"', "correct horse" + " battery staple"),
    "signs of placeholders": _in('password = "§"', "pa$$w%" + "rd{1"),
    "many signs": _in('apikey = "§"', "m{{h}o)p${e]nob(" + "ody[finds>-_$#thisone}}"),
    "suffixed": _in('my_password_secure = "§"', _NAMED),
    "array": _in('char secret[25] = "§";', _NAMED),
    "compared": _in('if (apiKey !== "§") {', _NAMED),
    "compared the other way": _in('if ("§" == password) {', _PASSWORD),
    "called": _in('config.setPassword("§");', _PASSWORD),
    "constructed": _in('std::string secret("§");', _NAMED),
    "assigned": _in('secret.assign("§", 17);', _NAMED),
    "stated": _in('password "§";', _PASSWORD),
    "Objective-C": _in('password = @"§";', _PASSWORD),
    "any key": _in("MAILJET_KEY=§", drawn(32)),
    "Django": _in("SECRET_KEY = '§'", "l!t+dmzf97rt9s*yrs" + "ux1py_1@odvz1szr&6"),
    "YAML word with a number": _in("token: §", _CAMEL),
    "INI word with a number": _in("token = §", _CAMEL),
    "shell word with a number": _in("export API_TOKEN=§", _CAMEL),
    "shell word before a semicolon": _in("API_TOKEN=§;", _CAMEL),
    "YAML password with a number": _in("password: §", _CAMEL),
    "log of a password": _in("connect(user=ada, password=§, host=db)", _CAMEL),
    "sentence with a comma": _in("the password: §, then log in", _CAMEL),
    "key in strings of code": _in('key = "-----BEGIN PRIVATE ' + 'KEY-----\\n"\n    + "§\\n"', drawn(64)),
    "key in one line": _in(r"KEY=-----BEGIN PRIVATE " + r"KEY-----\n§\n-----END PRIVATE " + "KEY-----", drawn(64)),
    "encrypted key": _in(
        "-----BEGIN RSA PRIVATE " + "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n§", drawn(64)
    ),
    "key in a comment": _in("# -----BEGIN PRIVATE " + "KEY-----\n# §\n", drawn(64)),
    "JSON in JSON": _in(r"{\"password\": \"§\"}", _PASSWORD),
    "environment": _in("export DB_PASSWORD=§\n", "foo" + "barbaz"),
    "environment with signs": _in("MYSQL_PWD=§\n", "f(o)o" + "$bar.1"),
    "compose": _in("  - POSTGRES_PASSWORD=§\n", "polar" + "polar"),
    "argument": _in("login --user ada --password §", _PASSWORD),
    "curl": _in('curl -s -u "ada:§" https://example.org', "hunter" + "two"),
    "curl, the option first": _in("curl -u admin:§ https://x.test", "BIU9VLy0" + "3ZHbvi"),
    "curl, the long option first": _in("curl --user admin:§ https://x.test", "BIU9VLy0" + "3ZHbvi"),
    "comparison": _in('if token == "§":', "Sup3r" + "Value"),
    "Maven": _in("<password>§</password>", "hunter" + "two"),
    "NuGet": _in('<add key="ClearTextPassword" value="§" />', "hunter" + "two"),
    "SQL": _in("CREATE USER 'ada'@'%' IDENTIFIED BY '§';", "correct" + "horse"),
    "SQL of another": _in("ALTER ROLE ada WITH PASSWORD '§';", "correct" + "horse"),
    "netrc": _in("machine example.org login ada password §", "hunter" + "two"),
    "Docker": _in('{"auths": {"x": {"auth": "§"}}}', "YWRhOmh1" + "bnRlcjI="),
    "npm": _in("//registry.example.org/:_authToken= §", _NAMED),
    "header": _in("Authorization: Token §", _NAMED),
    "raw header": _in('{"Authorization": "§"}', _NAMED),
    "API header": _in("curl -H 'X-Api-Key: §'", _NAMED),
    "Kubernetes": _in("kind: Secret\ndata:\n  user-pw: §\n", "aHVudGVy" + "Mmh1bnRlcjI="),
    "PuTTY": _in("Private-Lines: 1\n§\nPrivate-MAC: x", drawn(64)),
    "German": _in('Passwort = "§"', "richtiges" + "pferd"),
    "Spanish": _in('contraseña: "§"', "caballo" + "correcto"),
    "sentence": _in("the staging password is §", _STATED),
    "sentence with a sign": _in("The DB password is §.", "Tr0ub4" + "dor&3"),
    "sentence with a sign alone": _in("the password is now unset; the password was §", "p@ss" + "!word"),
    "sentence without a verb": _in("user admin, password §, then log in", "letme" + "in123"),
    "sentence in code marks": _in("the `password` is `§`", _STATED),
    "bold name": _in("**Password:** §", "abc" + "123"),
    "German sentence": _in("das Passwort ist §", "geheim" + "123"),
    "German sentence of another verb": _in("Das Passwort lautet: §.", "geheim" + "123"),
    "Spanish sentence": _in("la contraseña es §", "secreta" + "123"),
    "Portuguese sentence": _in("a senha é §", "abc" + "12345"),
    "Portuguese assignment": _in("senha = §", "abc" + "12345"),
    "French sentence": _in("le mot de passe est §", "soleil" + "99"),
    "Dutch sentence": _in("het wachtwoord is §", "geheim" + "12"),
    "Russian sentence": _in("пароль: §", "qwerty" + "123"),
    "Russian sentence with a dash": _in("пароль — §", "qwerty" + "123"),
    "Chinese sentence": _in("密码是§", "abc" + "12345"),
    "Chinese sentence with a colon": _in("数据库密码：§。", "abc" + "12345"),
    "Japanese sentence": _in("パスワードは§です", "abc" + "12345"),
    "Korean sentence": _in("비밀번호는 § 입니다", "abc" + "12345"),
}
"""By the text around them."""

SECRETS = {**TOKENS, **NAMED}

VISIBLE_RUN = 7
"""Number of consecutive characters of a secret that must not be visible, apart from its service's prefix."""


def shows(text: str, secret: Secret) -> bool:
    """Whether a secret, its end, or a run from its middle remains in a text."""
    value = secret.value
    middle = len(value) // 2
    return value in text or value[-VISIBLE_RUN:] in text or value[middle : middle + VISIBLE_RUN] in text


HARMLESS = (
    "when: update_password == 'always'", 'if token == "#bygroup":', "if (password !== 'disabled') {",
    "Version=3.0.0.0, Culture=neutral, PublicKeyToken=31bf3856ad364e35", "re_compile_the_pattern_of_words",
    "secret-live-migration-of-the-whole-platform", "| 123456789012345|the-longest-word-of-the-table |",
    "password: str", "password: SecretStr", "password: SecretBytes", "password: string", "password: string;",
    "password?: string | null", "password = Column(String(128))", "password: required", "password: undefined",
    "password: 'is required'", 'password: "At least 8 characters"', "password: 'must have the letters of your name'",
    "password = request.form['password']", "password = hashPassword(input)", "password = generate_password_hash(word)",
    "if password != confirmation:", "assert user.password is None", "passwordHash: passwordHash,",
    "PASSWORD_HASHERS = ['argon2']", "PASSWORD=$OTHER", "PASSWORD=${DB_PASSWORD}", "PASSWORD=<your password>",
    'password = f"{user}-{host}"', "password = '%(password)s'", "pass: 'first'", "for pass = 1; pass < 3; pass++ {",
    "    pass\n\n    def next(self) -> None:", "bypass: 'cache1'", "byPass = 'cache1'", 'tests: "42 pass: 3 failed"',
    "the password is asked for once", "Enter your password:", "the password manager keeps it", "a passphrase of words",
    "token: str", "token = next(tokens)", "tokens: list[Token1]", "token_count = 12", "type: 'token', value: 'ident'",
    'tokenizer: "cl100k_base"', "csrf_token()", "const token = await getToken1()", "secret = os.environ['SECRET']",
    "secretName: my-app-tls", "use_secret: true", "key: 'name'", "key = 'user:profile:v2'", "keyof typeof table1",
    "primaryKey: 'order_id'", "cache_key = 'v1/users/index'", "key={item.id}", "sort_key: created_at",
    "publicKey: 'a1B2c3D4e5F6a7B8c9D0e1F2'", '"next-auth": "5.0.0-beta.25"', 'cloud.example.org/auth="v0.20.0"',
    "auth: 'required'", "author = 'ada1'", "authorize(user, role1)", "authentication: 'jwt2'",
    "openssl req -new -key key1.key -out key1.csr", "openssl req -newkey rsa:2048 -days 365", "--token-limit 12000000",
    "https://example.org:8080/a@b1", "http://user@example.org", "git@example.org:ada/shop.git", "ssh://git@host1/a.git",
    "https://very-long-host-name-1.example.org/path@2", "postgres://localhost:5432/shop",
    "5f3a9c0e-7b1d-4c2a-9e8f-0a1b2c3d4e5f", "sha512-" + "Ab1+" * 22, "integrity sha256-" + "Zz9/" * 11,
    "skip-links-for-keyboard-users-1", "risk-proj-assessment-of-a-long-title", "task_live_reload_of_everything_1",
    "api-gateway-configuration-1", "pattern.matches.something_long_enough_1", "path.to.some_module.with_many_parts_2",
    "pubkey-pinning-is-deprecated", "rubygems_version_requirement_of_all", "patch.applied_to_every_module_of_it1",
    "AP_STYLE_CONSTANT_NAME_OF_LENGTH_40_AND_MORE", "APPLICATION_CONTEXT_FACTORY_BEAN_NAME_1", "SKIPPED = 12",
    "EAAAnalysis", "ACCEPT_ENCODING_HEADER_NAME_1", "LTAIrport", "s-s4t2", "A3-paper", "v1.0-alpha", "4b1d7e2",
    "dp.pt.x", "fo1_small", "the basic idea-of-authentication-schemes", "a token economy-of-incentives-2",
    "digest of something-that-is-long", "curl -u $USER:$PASSWORD https://example.org", "curl --user-agent x:1 y",
    "kind: Secret\nmetadata:\n  name: database\n", "identified by its name", "login as root, password follows",
    "live_reload_when_the_configuration_was_changed_1", "test_a_live_reload_of_everything_in_the_workspace_1",
    "api_response_of_the_first_page_with_all_of_its_lines1", "web_application_firewall_configuration", "pk.model_name",
    "na1.example.org", "VF.render()", "1000.50 and 1000.75", "t1.start_time.isoformat", "00:15:00", "AQVNet",
    "NF-kappaB", "slides.u.s.a-trip-of-a-class", "as-InternationalizationOf", "known as-a-service-architecture-2026-10",
    "pa-rental-leave-policy-of-2026-for-employees-1", "mask-" + "abcdefgh" * 6, "fc-header-toolbar-title-of-calendar1",
    "access-production-database-of-the-shop-in-2026", "AKIDENTIFIERS", "tskey-kind", "controls__button2",
    "chapters 1/12 and 2/2024:2025", "bkua_small.word", "wandb_v1_migration", "pk_eyJack",
    "pi_estimate_secret_of_the_circle", "web_hooks_of_2024", "aio_pika", "cfk_small",
    "ext_module.main.acc_total.value",
    "00112233445566778899aabbccddeeff0011223344", "NRBR-design", "salad_cloud_of_words", "endr+1", "ewogICA",
    "<password>${db.password}</password>", "<passwordField>password</passwordField>", "Private-Lines: none",
    "the password is required", "password is at least 8 characters", "password is hashed with sha256",
    "the password field is in LoginForm2.tsx", "password reset in v2.3", "password is stored in users.password_hash",
    "password = input()", "password rules: 8 chars, 1 digit", "password is 12-char", "password is base64-encoded",
    "password SHA-256 hash", "the password is 2FA-protected", "password is utf-8 encoded", "password: bytes32",
    "password is ada1@example.com", "password LoginForm2", "password is required!", "password is auth/hash2",
    "1Password 7 and password 1Password", "password_hash abc12345", "ela desenha abc12345", "password field2",
    "password form2html(x)", "password utf8mb4", "the password is ${DB_PASS1}", "compass abc12345", "bypass abc12345",
    "the password isn't required", "password: str=None", "密码是必填项", "パスワードは8文字以上です",
    "пароль обязателен", "das Passwort ist mindestens 12 Zeichen lang", "le mot de passe est obligatoire",
    "la contraseña es obligatoria",
    "withCredentials: defaultToConfig2,", "  cancelToken: defaultToConfig2,", "password: this.form.password",
    'api_key=os.environ["X1"]', 'secret = get_secret2("name")', "token: ${{ secrets.NPM_TOKEN_2 }}",
    "signingKey: Uint8Array,", "let signingKey: Uint8Array = randomBytes(32);", "const token = await login2(user)",
    "val lastToken: OneTimeToken? = null", "private_key: Ed25519PrivateKey | Ed448PrivateKey",
    "pub token: Token2Kind,", "    Token: *apiToken,", "Token = accessToken!;", "let token = access_token?;",
    "  @token = @token_value", "token = Token::Ident2;", "secret: Secret::Version1, // of the first",
    "self.token = refresh_token2", "Credentials(token=access_token2, secret=client_secret2)",
    "password: userValue2,", "  password = newUserInput2;", "this.pwd = currentDirectory2",
    "OAuth2Authorization authorization = TestOAuth2Authorizations.authorization(client2).build();",
    "OAuth2Authorization authorization = new OAuth2Authorization();", "authorization: authorizationHeader2,",
    "exports.SOCKS5_NO_ACCEPTABLE_AUTH = SOCKS5_NO_ACCEPTABLE_AUTH;", "(exports.Socks5Auth = Socks5Auth = {})",
    "auth = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.word)}`;", "Token: '#d0d0d0',",
    'token = "#{2.days.ago.to_i}-#{Utils.random_str(30)}"', '"@esfx/canceltoken": "^1.0.0",',
    "Provider.emptyPassword=\\u041F\\u0443\\u0441 \\u043F\\u0430",
    "const header = '-----BEGIN PRIVATE " + "KEY-----';\nconst footer = '-----END PRIVATE " + "KEY-----';",
    'if key.startswith("-----BEGIN RSA PRIVATE ' + 'KEY-----"):\n    return load_key_of_many_characters(key)',
    "'Bearer resource_metadata=\"https://example.org/.well-known/resource\"',",
    "const TOKEN_STRINGS = '[A-Za-z0-9._~+/-]+=*'", "amqp://guest:**@example.org//",
)  # fmt: skip
"""Texts that are not changed."""
