"""Mask secrets recognized by their own format: service tokens and webhooks. Pure.

A format is the one a service documents; a new one is a new row.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex

PHRASES = r"(?:passwor[dt]|passwd|passphrase|passcode|pwd|contrase[nñ]a)"
"""Names of passwords."""

OTHER_PHRASES = (
    r"(?:(?<!\w)senha|(?<=mot\ de\ )passe|(?<=palavra-)passe|wachtwoord|парол(?:ь|я|ем)"
    r"|密[码碼]|口令|パスワード|비밀번호)"
)
"""Their names in other languages, which only sentences have."""

_PLACEHOLDER = lazy_regex(
    r"(?i)^[./~]|^\$\w|\$[{(]|%[sdrv](?![A-Za-z0-9])|%[({]|^%\w+%$|^[{<]|[{<]\w{1,40}[>}]|\{\{|<%|#\{|\.\.\.|…|\*\*\*|x{6}|\byour[-_]?|example"
    r"|placeholder|process\.env|environ|redacted|change[-_]?me|^\#(?:[0-9a-f]{3}){1,2}$|^[~^]\d+(?:\.\d+){1,2}$"
)
_EXPRESSION = lazy_regex(
    r"[$#%]?\{{1,2}[ ]?[\w.:?|\[\]-]{1,80}[ ]?\}{1,2}|[$#]?\{[ ]?[\w.]{1,60}\([\w., ()-]{0,80}\)[ ]?\}"
    r"|%\(\w+\)s|<[\w ./-]{1,60}>"
)
"""Template expressions; braces around anything else count as signs."""

_JOINS_NAMES = frozenset("-_./:=|")
_SIGNS = frozenset("!#$%^&*()[]{}<>-_+=~?@,;:|/")
_NOT_IN_NAMES = lazy_regex(r"[!#^*+=~?@$%&]")
_RANGE = lazy_regex(r"a-z|A-Z|0-9|\\w")
"""Characters that only a pattern contains."""

_CHANGES = lazy_regex(r"[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])")
_ITSELF = lazy_regex(rf"(?i){PHRASES}|mot.de.passe")
_PASSWORD_WORDS = frozenset(
    "required optional undefined description credentials authenticate authentication authorization unspecified"
    " encrypted unencrypted disabled placeholder confidential identifier validation protected plaintext cleartext"
    " incorrect mandatory sensitive interactive configuration environment unsupported deprecated".split()
)
_PROSE = frozenset(
    "the and for with must this that your you are not has have will can should may least most from when which than"
    " characters is be".split()
)


def is_random(value: str) -> bool:
    """Whether a value is not a word or name: it mixes digits with letters, or has characters that names do not have."""
    has_digit = any(char.isdigit() for char in value)
    has_letter = any(char.isalpha() for char in value)
    return (has_digit and has_letter) or bool(_NOT_IN_NAMES.search(value))


def is_machine_generated(value: str) -> bool:
    """Whether a value looks machine-generated: letters and digits alternate often, or it has many kinds of signs."""
    return len(_CHANGES.findall(value)) >= 6 or _has_many_signs(value)


def is_mixed(value: str) -> bool:
    """Whether a value has lowercase letters, uppercase letters and digits."""
    return any(map(str.isdigit, value)) and any(map(str.isupper, value)) and any(map(str.islower, value))


_CODE_NAME = lazy_regex(r"[*@!~]?(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*[!?]{0,2}")
_NAME_PART = lazy_regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NUMBER = lazy_regex(r"[0-9]+")
_JOINED = lazy_regex(r"[a-z0-9][A-Z]|[A-Za-z0-9]_|::")
_MIN_PART_CHARACTERS = 3
_MAX_NUMBERS = 2


def is_name_in_code(value: str) -> bool:
    """Whether a value consists of words, as names in code do: `defaultToConfig2`, `Ed25519PrivateKey`, `*apiToken`.

    Letters of one case alone may only end with a number of one or two digits.
    """
    if not _CODE_NAME.fullmatch(value):
        return False
    name = value.strip("*@!~?")
    parts = _NAME_PART.findall(name)
    numbers = _NUMBER.findall(name)
    if not parts or len(numbers) > _MAX_NUMBERS or sum(map(len, parts)) < _MIN_PART_CHARACTERS * len(parts):
        return False
    return bool(_JOINED.search(name)) or not numbers or (len(numbers[0]) <= 2 and name.endswith(numbers[0]))


def is_placeholder(value: str) -> bool:
    """Whether a value is filled in elsewhere (`${PASSWORD}`, `<your key>`, a path), a colour, or a version."""
    return _PLACEHOLDER.search(value) is not None and not _has_many_signs(value)


def repeats_its_name(value: str) -> bool:
    """Whether the value only repeats a password's name, as labels and schemas do: `password: "newPassword"`."""
    return _ITSELF.search(value) is not None


def describes_password(value: str) -> bool:
    """Whether a word describes a password."""
    return value.lower() in _PASSWORD_WORDS


def is_prose(value: str) -> bool:
    """Whether a sequence of words is a sentence and not a passphrase."""
    return not _PROSE.isdisjoint(value.lower().split())


_NOT_STATED = lazy_regex(
    r"(?ix) ^(?: [^\W\d]\w*(?:\.[^\W\d]\w*)+ | [\w.-]+(?:/[\w.-]*)+ | [\w.+-]+@[\w-]+(?:\.[\w-]+)+ | \w+://.*"
    r"| \d{4}-\d\d-\d\d.* | v?\d+(?:[.:-]\d+)+\w{0,5}"
    r"| \d{1,4}%?[-+]?(?:characters?|chars?|digits?|numbers?|letters?|symbols?|words?|bits?|bytes?|[km]b|ms|secs?"
    r"|seconds?|mins?|minutes?|hours?|hrs?|days?|weeks?|months?|years?|times?|factors?|steps?|fa|th|st|nd|rd)(?:-.*)?"
    r"| (?:sha|md|aes|rsa|ecdsa|hmac|pbkdf|argon|bcrypt|base|utf|oauth|saml|http|tls|ssl|ipv|x|p|pkcs|ed|rfc|iso)-?"
    r"\d{1,5}(?:[-_+].*|id?|d|url|mb4|gcm|crypt|sum|with\w+)?"
    r"| (?:u?int|float|bytes|n?varchar|char|string|text)\d{1,3}"
    r"| (?:field|param|arg|input|column|line|page|step|issue|row|item|value|option|user|version|level)-?\d{1,2}"
    r"| .*-(?:protected|encoded|encrypted|hashed|based|only|enabled|style|like|compatible|compliant|safe) )$"
)
"""Words with a digit or sign that follow the name of a password in prose and code: members, paths, addresses, dates,
versions, measures, algorithms, types, numbered things, and compounds."""
_SIGN_WITHIN = lazy_regex(r"[^\W_][!#$%&@^~]++[^\W_]")
_DIGIT_WITHIN = lazy_regex(r"[0-9].*[0-9]|[0-9][^\W\d_]")


def is_stated_password(value: str, *, follows_verb_or_colon: bool) -> bool:
    """Whether a word after the name of a password is one, and not the next word of a sentence, as `sha256` and `a.b`.

    Without a verb or colon between them it has two digits, or one before a letter, and no sign that joins names.
    """
    word = value.rstrip("!")
    mixes = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    if follows_verb_or_colon:
        is_secret = mixes or _SIGN_WITHIN.search(word) is not None
    else:
        is_secret = mixes and _DIGIT_WITHIN.search(word) is not None and _JOINS_NAMES.isdisjoint(word)
    return is_secret and not (is_placeholder(value) or repeats_its_name(value) or _NOT_STATED.match(word))


def _has_many_signs(value: str) -> bool:
    return len(_SIGNS.intersection(_EXPRESSION.sub("", value))) >= 6 and not _RANGE.search(value)


MASK = "[redacted]"

_WORD = "A-Za-z0-9_-"
_BASE64 = "A-Za-z0-9+/"
_HEX = "a-fA-F0-9"
_UUID = rf"[{_HEX}]{{8}}-[{_HEX}]{{4}}-[{_HEX}]{{4}}-[{_HEX}]{{4}}-[{_HEX}]{{12}}"

_PREFIXED = (
    # Models: OpenAI, Anthropic, OpenRouter, Groq, xAI, Hugging Face, Perplexity, Replicate; Stripe begins likewise.
    *((f"{kind}{mark}{what}", rf"[-_][{_WORD}]{{16,}}") for kind in ("sk", "rk", "pk", "whsec") for mark in "-_"
      for what in ("live", "test", "prod", "proj", "ant", "svcacct", "admin", "or")),
    ("sk-", rf"[{_WORD}]{{20,}}"), ("whsec_", r"[A-Za-z0-9+/=]{20,}"), ("gsk_", r"[A-Za-z0-9]{30,}"),
    ("xai-", r"[A-Za-z0-9_]{30,}"), ("hf_", r"[A-Za-z0-9]{30,}"), ("api_org_", r"[A-Za-z0-9]{34}"),
    ("pplx-", r"[A-Za-z0-9]{40,}"), ("r8_", r"[A-Za-z0-9]{37}"),
    # Code: GitHub, GitLab, Atlassian, Sourcegraph, Linear, Figma, Notion, Postman, ReadMe, Typeform, Octopus.
    *((f"gh{kind}_", r"[A-Za-z0-9_]{30,}") for kind in "pousr"), ("github_pat_", r"[A-Za-z0-9_]{30,}"),
    *((f"gl{kind}-", rf"[{_WORD}]{{18,}}(?:\.[0-9a-z]{{2}}\.?[0-9a-z]{{7,9}}\b)?")
      for kind in ("pat", "ptt", "dt", "rt", "oas", "ft", "soat", "cbt", "imt", "agent", "ffct")),
    ("_gitlab_session=", r"[0-9a-z]{32}"),
    ("GR1348941", rf"[{_WORD}]{{20,}}"), *((kind, r"[\w=-]{50,}") for kind in ("ATATT3", "ATCTT3")),
    ("ATBB", r"[A-Za-z0-9]{28,}"), ("sgp_", rf"(?:(?:[{_HEX}]{{16}}|local)_)?[{_HEX}]{{40}}"),
    ("lin_api_", r"[A-Za-z0-9]{30,}"), ("lin_oauth_", r"[A-Za-z0-9]{30,}"), ("figd_", rf"[{_WORD}]{{30,}}"),
    ("figp_", r"[\w=-]{40,}"),
    ("ntn_", r"[A-Za-z0-9]{30,}"), ("secret_", r"[A-Za-z0-9]{43}\b"), ("PMAK-", rf"[{_HEX}]{{24}}-[{_HEX}]{{34}}"),
    ("rdme_", r"[a-z0-9]{70}"), ("tfp_", r"[\w.=-]{40,}"), ("API-", r"[A-Z0-9]{26}\b"), ("ico-", r"[A-Za-z0-9]{32}\b"),
    # Packages and builds: npm, PyPI, RubyGems, Clojars, Docker, Artifactory, Pulumi, Prefect, Doppler, Terraform.
    ("npm_", r"[A-Za-z0-9]{30,}"), ("pypi-", rf"[{_WORD}]{{40,}}"), ("rubygems_", r"[A-Za-z0-9]{48}"),
    ("CLOJARS_", r"[a-z0-9]{60}"), ("dckr_pat_", rf"[{_WORD}]{{20,}}"), ("dckr_oat_", rf"[{_WORD}]{{20,}}"),
    ("AKCp", r"[A-Za-z0-9]{60,}"), ("AP", r"[0-9A-F](?=[A-Za-z]{0,64}[0-9])(?=[A-Z0-9]{0,64}[a-z])[A-Za-z0-9]{30,}"),
    ("cmVmd", r"[A-Za-z0-9]{59}\b"), ("pul-", r"[a-z0-9]{40}"),
    ("pnu_", r"[A-Za-z0-9]{36}"),
    *((f"dp.{kind}.", r"[\w.-]{40,}") for kind in ("pt", "st", "ct", "sa", "scim", "audit")),
    # Clouds: AWS, Google, Alibaba, Tencent, DigitalOcean, Fly, Heroku, Cloudflare, Databricks, OpenShift, Vault.
    *((kind, r"[A-Z0-9]{16}\b") for kind in ("AKIA", "ASIA", "AROA", "AIDA", "ABIA", "ACCA")),
    ("A3T", r"[A-Z0-9]{17}\b"), ("ABSK", rf"[{_BASE64}]{{100,}}"), ("bedrock-api-key-", rf"[{_BASE64}]{{20,}}"),
    *((kind, rf"[{_BASE64}]{{100,}}={{0,2}}") for kind in ("IQoJb3JpZ2luX2", "FwoGZXIvYXdz", "FQoGZXIvYXdz")),
    ("AIza", rf"[{_WORD}]{{30,}}"), ("ya29.", rf"(?:[a-z]\.)?[{_WORD}]{{20,}}"), ("GOCSPX-", rf"[{_WORD}]{{20,}}"),
    ("AQ.", rf"Ab[{_WORD}]{{40,}}"), ("1//", rf"0[{_WORD}]{{60,}}"), ("AVNS_", rf"[{_WORD}]{{19}}(?![{_WORD}])"),
    ("LTAI", r"[A-Za-z0-9]{16,24}\b"), ("AKID", r"(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{32}\b"),
    *((f"do{kind}_v1_", r"[a-f0-9]{40,}") for kind in "por"),
    ("fo1_", rf"[{_WORD}]{{43}}"), *((kind, rf"[{_BASE64}]{{100,}}") for kind in ("fm1a_", "fm1r_", "fm2_")),
    ("HRKU-", rf"[{_WORD}]{{30,}}"), ("v1.0-", r"[A-Za-z0-9-]{171}"), ("dapi", r"[a-f0-9]{32}\b"),
    ("sha256~", rf"[{_WORD}]{{43}}"), *((f"hv{kind}.", rf"[{_WORD}]{{20,}}") for kind in "sbr"),
    *((f"pscale_{kind}_", r"[\w=.-]{32,}") for kind in ("tkn", "pw", "oauth")),
    ("tk-us-", rf"[{_WORD}]{{48}}"), ("nfp_", r"[A-Za-z0-9]{36}"), ("sbp_", r"[a-z0-9]{40}"),
    # Messages: Slack, SendGrid, Brevo, Mailgun, Twilio.
    *((f"xox{kind}-", r"[A-Za-z0-9-]{10,}") for kind in "abceoprsd"), ("xoxe.xox", r"[bp]-[A-Za-z0-9-]{20,}"),
    ("xapp-", r"[A-Za-z0-9-]{20,}"), ("SG.", rf"[{_WORD}]{{16,64}}\.[{_WORD}]{{16,}}"),
    *((kind, rf"[{_HEX}]{{64}}-[A-Za-z0-9]{{16}}") for kind in ("xkeysib-", "xsmtpsib-")),
    *((kind, rf"[{_HEX}]{{32}}\b") for kind in ("key-", "pubkey-", "SK", "AC")),
    # Payments and shops: Square, Shopify, PayPal's Braintree, EasyPost, Flutterwave, Duffel, Shippo, Adobe, Facebook,
    # Plaid.
    *((f"sq0{kind}-", rf"[{_WORD}]{{22,}}") for kind in ("atp", "csp", "idp")),
    ("sandbox-sq0csb-", rf"[{_WORD}]{{40,}}"), ("EAAA", rf"[{_WORD}]{{22,}}"),
    *((f"shp{kind}_", r"[a-fA-F0-9]{32}") for kind in ("at", "ca", "pa", "ss", "tka")),
    *((f"{key}_{kind}_", r"[A-Za-z0-9]{16,}") for key in ("ek", "sk_org") for kind in ("live", "test")),
    ("access_token$production$", r"[a-z0-9]{16}\$[a-f0-9]{32}"),
    *((kind, r"[A-Za-z0-9]{54}\b") for kind in ("EZAK", "EZTK")),
    *((kind, r"[A-Za-z0-9]{12,}(?:-X)?") for kind in ("FLWSECK_TEST-", "FLWSECK-", "FLWPUBK_TEST-")),
    *((f"duffel_{kind}_", r"[\w=-]{43}") for kind in ("live", "test")), ("p8e-", r"[a-z0-9]{32}\b"),
    *((f"shippo_{kind}_", rf"[{_HEX}]{{40}}") for kind in ("live", "test")),
    *((kind, r"[A-Za-z0-9]{100,}") for kind in ("EAAC", "EAAM", "EAAB")),
    *((f"access-{kind}-", _UUID) for kind in ("sandbox", "development", "production")),
    # Watching: Grafana, New Relic, Sentry, Dynatrace; and 1Password, age, Frame.io, Mapbox.
    ("eyJrIjoi", rf"[{_BASE64}]{{60,}}"), ("glc_", rf"[{_BASE64}]{{32,}}"),
    ("glsa_", r"[A-Za-z0-9_]{41}"),
    *((f"NR{kind}-", rf"(?=[A-Za-z_-]{{0,64}}[0-9])[{_WORD}]{{19,}}") for kind in ("AK", "II", "IQ", "JS", "RA", "BR")),
    ("sntrys_", r"[\w+/=-]{50,}"), ("sntryu_", rf"[{_HEX}]{{64}}"),
    *((f"dt0{kind}01.", r"[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}") for kind in "cs"),
    ("ops_eyJ", rf"[{_BASE64}=_-]{{50,}}"), ("A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{5,11}-){3,4}[A-Z0-9]{5}"),
    *((f"s-s4t2{kind}-", rf"[{_HEX}]{{64}}") for kind in ("ud", "af")), ("4b1d", r"[A-Za-z0-9]{38}\b"),
    ("AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}"), ("fio-u-", r"[\w=-]{64}"),
    *((f"sm_{kind}_", r"[A-Za-z0-9]{16}\b") for kind in ("aat", "pat", "sat")),
    # Models and agents: ElevenLabs, Pinecone, LangSmith, Fireworks, NVIDIA, Together, Jina, Tavily, E2B, Llama Cloud,
    # Cerebras, Firecrawl, Weights & Biases, Voyage, Modal.
    ("sk_", rf"[{_HEX}]{{48}}\b"), ("pcsk_", r"[A-Za-z0-9]{4,8}_[A-Za-z0-9]{30,}"),
    ("lsv2_", rf"(?:pt|sk)_[{_HEX}]{{32}}_[{_HEX}]{{10}}"), ("fw_", r"(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{22,26}\b"),
    ("nvapi-", rf"[{_WORD}]{{50,}}"), ("tgp_v1_", rf"[{_WORD}]{{40,}}"), ("jina_", r"[A-Za-z0-9]{50,}"),
    ("tvly-", rf"[{_WORD}]{{28,}}"), ("e2b_", rf"[{_HEX}]{{40}}\b"), ("llx-", r"[A-Za-z0-9]{40,}"),
    ("ls__", r"(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{32,}"), ("csk-", r"(?=[a-z]{0,64}[0-9])[a-z0-9]{48}\b"),
    ("fc-", rf"[{_HEX}]{{32}}\b"), ("wandb_v1_", r"[A-Za-z0-9_]{40,}"),
    ("pa-", rf"(?=[a-z0-9_-]{{0,64}}[A-Z])(?=[A-Za-z_-]{{0,64}}[0-9])[{_WORD}]{{43}}(?![{_WORD}])"),
    *((kind, r"(?=[a-z0-9]{0,64}[A-Z])(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{22}\b") for kind in ("ak-", "as-")),
    # Builds and hosting: CircleCI, Buildkite, crates.io, NuGet, Tailscale, Supabase, Vercel, Render, Neon, Scaleway.
    *((kind, rf"[A-Za-z0-9]{{20,}}_[{_HEX}]{{40}}") for kind in ("CCIPAT_", "CCIPRJ_")),
    *((f"bk{kind}_", r"(?:[A-Za-z0-9]{2,16}={0,2}\.)?[A-Za-z0-9]{40,}") for kind in ("ua", "aa", "ar", "ct")),
    *((f"bk{kind}_", rf"[A-Za-z0-9]{{2,16}}_[{_HEX}]{{40,}}") for kind in ("pat", "ps")),
    ("bkpt_", rf"eyJ[=A-Za-z0-9_-]{{40,}}--[{_HEX}]{{40}}"),
    ("cio", r"(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{32}\b"), ("oy2", r"[a-z0-9]{43}\b"),
    ("tskey-", r"(?:[a-z]{2,12}-[A-Za-z0-9-]{16,}|k[A-Za-z0-9]{4,20}-[A-Za-z0-9]{16,})"),
    ("sb_secret_", rf"[{_WORD}]{{20,}}"), ("sbp_oauth_", rf"[{_HEX}]{{40}}"), ("sbp_v0_", rf"[{_HEX}]{{40}}"),
    *((f"vc{kind}_", r"(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{24,}") for kind in "aciprk"),
    ("vercel_blob_rw_", r"[A-Za-z0-9_]{30,}"),
    ("rnd_", r"(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{28,}"), ("napi_", r"[a-z0-9]{60,}"), ("SCW", r"[A-Z0-9]{17}\b"),
    # Products: Dropbox, Resend, PostHog, Contentful, HubSpot, MongoDB Atlas, Paddle, Cal.com, Inngest, LaunchDarkly.
    ("sl.", r"(?:u\.)?[\w=-]{130,}"),
    ("re_", r"(?=[A-Za-z_]{0,32}[0-9])(?=[a-z0-9_]{0,32}[A-Z])[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b"),
    *((kind, r"[A-Za-z0-9]{32,}") for kind in ("phx_", "phs_")), ("CFPAT-", rf"[{_WORD}]{{43}}"),
    *((f"{kind}-", rf"{region}{_UUID}") for kind, region in
      (("pat", "(?:na|eu|ap)[0-9]-"), ("sdk", ""), ("api", ""))),
    ("mdb_sa_sk_", rf"[{_WORD}]{{30,}}"), ("pdl_live_apikey_", r"[a-z0-9_A-Z]{40,}"),
    ("cal_live_", rf"[{_HEX}]{{32}}"), ("signkey-", rf"[a-z]{{2,10}}-[{_HEX}]{{32,}}"),
    *((f"{kind}.eyJ", rf"[{_WORD}]{{30,}}\.[{_WORD}]{{20,}}") for kind in ("sk", "tk")),
    *((f"{kind}.", rf"[{_WORD}]{{22}}\.[A-Za-z0-9]{{24}}\.[A-Za-z0-9]{{20}}") for kind in ("pat", "sat")),
    ("pat", rf"[A-Za-z0-9]{{14}}\.[{_HEX}]{{64}}"),
    # Snyk, MailerSend, Stytch, Axiom, PubNub.
    *((f"snyk_{kind}at.", r"[A-Za-z0-9]{8}\.[\w-]{6,}\.[\w-]{6,}") for kind in "us"), ("mlsn.", r"[A-Za-z0-9]{60,}"),
    *((f"secret-{kind}-", r"(?=[A-Za-z_-]{0,34}[0-9])[\w-]{35}=") for kind in ("live", "test")),
    *((f"xa{kind}t-", _UUID) for kind in "ap"), *((f"{kind}-c-", _UUID) for kind in ("pub", "sub")),
    # Services of one kind of customer: data, shops, addresses, code quality, chats.
    ("aio_", r"[A-Za-z0-9]{28}\b"), ("apify_api_", rf"[{_WORD}]{{36}}"),
    *((f"bb_{kind}_", rf"[{_HEX}]{{30}}\b") for kind in ("pr", "ma")),
    ("api_", r"(?=[A-Za-z.]{0,64}[0-9])[A-Za-z0-9.]{45}\b"),
    *((f"cf{kind}_", rf"[A-Za-z0-9]{{40}}[{_HEX}]{{8}}\b") for kind in ("ut", "at", "k")),
    *((f"dd{kind}_", r"[A-Za-z0-9]{36}\b") for kind in "pw"), ("web_", r"(?=[a-z]{0,64}[0-9])[0-9a-z]{32}\b"),
    ("endr+", r"(?=[A-Za-z-]{0,64}[0-9])[A-Za-z0-9-]{16}\b"), ("API_KEY", r"(?=[A-Z]{0,64}[0-9])[0-9A-Z]{32}\b"),
    *((f"flb_{kind}_", r"[A-Za-z0-9]{20,}") for kind in ("live", "test")), ("shltm_", rf"[{_WORD}]{{40}}"),
    ("na1.", rf"[{_BASE64}]{{100}}"), ("NF-", r"(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{32}\b"),
    *((f"{kind}_", rf"(?:[{_HEX}]{{35}}\b|(?=[a-z0-9_-]{{0,64}}[A-Z])(?=[A-Za-z_-]{{0,64}}[0-9])[{_WORD}]{{40}}\b)")
      for kind in ("live", "test")),
    ("pk_", rf"(?:[A-Za-z0-9]{{6}}_)?[{_HEX}]{{34}}\b"), ("pk.", rf"[{_HEX}]{{32}}\b"),
    ("00", rf"(?=[a-z0-9_-]{{0,64}}[A-Z])(?=[A-Z0-9_-]{{0,64}}[a-z])[{_WORD}]{{40}}\b"),
    *((f"ak_{kind}_", r"[A-Za-z0-9]{30}") for kind in ("live", "test")), ("ramp_id_", r"[A-Za-z0-9]{40}"),
    ("ramp_sec_", r"[A-Za-z0-9]{48}"), ("rzp_live_", r"[A-Za-z0-9]{14}\b"), ("rootly_", rf"[{_HEX}]{{64}}"),
    ("salad_cloud_", r"[A-Za-z0-9]{1,7}_(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{20,}"), ("3MVG9", r"[\w.+/=]{80,}"),
    ("5AEP861", r"[\w.=]{80,}"), *((f"sq{kind}_", rf"[{_HEX}]{{40}}") for kind in "upa"), ("sqco_", r"[A-Za-z0-9]{59}"),
    ("slk_", rf"[{_HEX}]{{64}}"), *((f"{kind}_", r"[A-Za-z0-9]{24}_secret_[A-Za-z0-9]{25}") for kind in ("pi", "seti")),
    ("thog-key-", rf"[{_HEX}]{{16}}"), ("thog-secret-", rf"[{_HEX}]{{32}}"), ("BBFF-", r"[A-Za-z0-9]{30}"),
    ("VF.", rf"(?:(?:DM|WS)\.)?[{_HEX}]{{24}}\.[A-Za-z0-9]{{16}}\b"), ("1000.", rf"[{_HEX}]{{32}}\.[{_HEX}]{{32}}"),
    # Trigger.dev, Browserbase, Polar, Zuplo, Pinterest, Sourcegraph Amp, Context7, Cursor, Depot, Neon, Lightspeed,
    # Persona, WakaTime, Plane, Mercury.
    *((f"tr_{kind}_", r"(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{20,24}\b") for kind in ("dev", "stg", "prod", "preview")),
    *((f"bb_{kind}_", rf"(?=[A-Za-z_-]{{0,64}}[0-9])(?=[a-z0-9_-]{{0,64}}[A-Z])[{_WORD}]{{27,}}") for kind in
      ("live", "test")),
    ("polar_", r"(?:[a-z]{1,3}_){1,2}[A-Za-z0-9]{40,}"), ("zpka_", r"[a-z0-9]{32}_[a-z0-9]{8}"),
    ("pina_", r"[A-Z0-9]{60,}"), ("sgamp_user_", rf"[A-Z0-9]{{26}}_[{_HEX}]{{64}}"), ("ctx7sk-", _UUID),
    *((kind, rf"[{_HEX}]{{64}}\b") for kind in ("crsr_", "key_", "depot_project_", "depot_org_", "depot_user_")),
    ("npg_", r"(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{12}\b"), ("lsxs_", r"[ap]t_[A-Za-z0-9]{32}"),
    *((f"persona_{kind}_", rf"(?=[A-Za-z_-]{{0,64}}[0-9])[{_WORD}]{{36}}") for kind in ("production", "sandbox")),
    ("waka_", _UUID), ("plane_api_", rf"[{_HEX}]{{32}}"), ("mercury_production_", r"[a-z]{2,4}_[A-Za-z0-9]{30,}"),
    ("dnkey-", r"[a-z0-9]{26}-[a-z0-9]{52}"), ("t1.", r"[A-Za-z0-9_-]{30,}={0,2}\.[A-Za-z0-9_-]{80,}"),
    ("AQVN", rf"[{_WORD}]{{35,38}}\b"), *((f"{kind}.A", rf"[{_WORD}]{{50,}}(?:\.[0-9])?\.Ag[{_WORD}]{{250,}}")
                                         for kind in "01"),
)  # fmt: skip
"""Tokens by prefix and what follows. One pattern of all alternatives takes a second per megabyte, so it searches only
the long runs of a text; each pattern runs only on a text in which one was found, if its prefix occurs.
"""

_compiled = cache(lazy_regex)

_DISCORD_PREFIX = r"[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27}"
_DISCORD = lazy_regex(r"(?<![\w.-])[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w.-])")


def _any_token() -> re.Pattern[str]:
    """Build one pattern of all tokens, grouped by first letter, so that few are tried at each position."""
    by_letter: dict[str, list[str]] = {}
    for prefix, rest in _PREFIXED:
        by_letter.setdefault(prefix[0], []).append(re.escape(prefix[1:]) + rest)
    alternatives = [f"{re.escape(letter)}(?:{'|'.join(dict.fromkeys(rest))})" for letter, rest in by_letter.items()]
    return lazy_regex(rf"(?<![A-Za-z0-9_])(?:{'|'.join([*alternatives, _DISCORD_PREFIX])})")


_ANY_TOKEN = _any_token()
_SHORTEST_TOKEN = 15
_TOKEN_CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.-~$"
_LONG_RUN = lazy_regex(rb" ([^ ]{%d,})" % _SHORTEST_TOKEN)
_ONLY_TOKENS = bytes(byte if byte in _TOKEN_CHARACTERS else 0x20 for byte in range(256))

_PEM = lazy_regex(
    r"-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?=(?:[\s\"'`+,;#*>|./()-]|\\{1,4}[nrt]?|%0[AD]|&#\w{1,4};|<br ?/?>"
    r"|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n\\]{0,200}){0,200}+[A-Za-z0-9+/=]{20}"
    r"|\s{0,4}(?:\n|\\n)[A-Za-z0-9+/=\s\\]{0,4000}-----END)"
    r"[\s\S]*?(?:-----END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)"
)
"""A private key. In code its first line may also be alone: what follows it must be the key's characters."""
_PUTTY = lazy_regex(r"(?<=Private-Lines: )([0-9]{1,4}\r?\n)((?:[A-Za-z0-9+/=]{1,76}\r?\n?){1,999})")

_FORMATS = (
    ("eyJ", r"(?<![^\W_])()eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,6000}\.[A-Za-z0-9_-]{8,}"),
    ("ZXlK", r"(?<!\w)()ZXlK[A-Za-z0-9+/_-]{40,}={0,2}"),  # the same, encoded once more
    ("AA", r"(?<!\w)()[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}"),  # Telegram
    ("/1", r"(?<![\w/.-])()[0-9](?:/[0-9]{12,20}){1,2}:[A-Za-z0-9]{32,}"),  # Asana
    ("-us", r"(?<!\w)()[0-9a-z]{32}-us[0-9]{1,2}\b"),  # Mailchimp
    ("Q~", r"(?<![\w~.])()[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),  # Azure AD
    (".atlasv1.", r"(?<!\w)()[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,80}"),  # Terraform Cloud
    ("_mmk", r"(?<!\w)()[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),  # MaxMind
    ("ewog", r"(?<![^\W_])()ewog[A-Za-z0-9_-]{10,2000}={0,2}\.e[wy][A-Za-z0-9_-]{10,6000}={0,2}\.[A-Za-z0-9_-]{8,}"),
    ("FFFFNRAL", rf"(?<!\w)()(?:[{_HEX}]{{32}}|eu01xx[{_HEX}]{{26}})FFFFNRAL\b"),
    ("-NRMA", rf"(?<!\w)()(?:AA[{_HEX}]{{40}}|eu01xx[{_HEX}]{{36}})-NRMA\b"),
    ("ik_", r"(?<!\w)()hc[a-z]ik_[A-Za-z0-9]{50,}"),  # Honeycomb
    ("mk_", r"(?<!\w)()hc[a-z]mk_[A-Za-z0-9]{50,}"),
    ("00D", r"(?<!\w)()00D[A-Za-z0-9]{12}![A-Za-z0-9_.]{90,}"),  # Salesforce
    (
        ".acc",
        r"(?<!\w)()(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,}",
    ),
    ("+ACR", rf"(?<![\w+/])()[{_BASE64}]{{42}}\+ACR[A-Za-z0-9]{{6}}\b"),  # Azure's marks within keys
    ("+ASt", rf"(?<![\w+/])()[{_BASE64}]{{76}}\+ASt[{_BASE64}]{{6}}=="),
    ("+ABa", rf"(?<![\w+/])()[{_BASE64}]{{76}}\+ABa[{_BASE64}]{{6}}=="),
    ("ACDb", rf"(?<![\w+/])()[{_BASE64}]{{76}}ACDb[{_BASE64}]{{6}}=="),
    ("AZDO", r"(?<!\w)()[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b"),
    ("APA91b", r"(?<!\w)()AAAA[\w-]{7}:APA91b[\w-]{100,}"),  # Firebase messages
    ("/hooks/catch/", r"(hooks\.zapier\.com/hooks/catch/)[A-Za-z0-9/]{12,60}"),
    (".tines.com/webhook/", r"(\.tines\.com/webhook/)[a-z0-9]{32}/[a-z0-9]{32}"),
    ("hooks.slack.com/", r"(hooks\.slack\.com/(?:services|workflows|triggers)/)[A-Za-z0-9/_-]{20,}"),
    ("/api/webhooks/", r"(discord(?:app)?\.com/api/webhooks/)[0-9]{15,21}/[\w-]{50,100}"),
    ("/webhookb2/", r"(webhook\.office\.com/webhookb2/)[\w@/-]{60,400}"),
    ("/soap/v3", r"(softlayer\.com/soap/v3(?:\.1)?/)[A-Za-z0-9]{40,100}"),
    ("sig=", r"([?&;]sig=)[A-Za-z0-9%+/=_-]{30,200}"),  # a signed Azure address
    ("mz-Signature=", r"(?i)(x-amz-signature=)[a-f0-9]{64}"),
    ("mz-Security-Token=", r"(?i)(x-amz-security-token=)[\w%+/=-]{40,4000}"),
)
"""Formats with a rare substring inside or before them; the first group, which precedes the secret, stays."""


_FACEBOOK = lazy_regex(
    r"(?i)(?<![\w.|])[0-9]{15,16}(?:\||%7C)(?=[a-z_-]{0,40}[0-9])(?=[0-9_-]{0,40}[a-z])[\w-]{27,40}(?![\w-])"
)
"""An app's token: its id and secret."""


def mask_known_tokens(text: str) -> str:
    """Mask every secret with a known format, or the user's own, whatever precedes it."""
    for own in OWN_PATTERNS.compiled:
        text = own.sub(MASK, text)
    runs = _long_runs(text)
    if _ANY_TOKEN.search(runs):
        for prefix, rest in _PREFIXED:
            if prefix in runs:
                text = _compiled(re.escape(prefix) + rest).sub(_mask_word, text)
        text = _DISCORD.sub(lambda match: MASK if is_mixed(match[0]) else match[0], text)
    if "|" in text or "%7" in text:
        text = _FACEBOOK.sub(MASK, text)
    if "-----BEGIN" in text:
        text = _PEM.sub(MASK, text)
    if "Private-Lines: " in text:
        text = _PUTTY.sub(rf"\1{MASK}\n", text)
    for mark, pattern in _FORMATS:
        if mark in runs:
            text = _compiled(pattern).sub(rf"\1{MASK}", text)
    return text


def mask_private_keys(text: str) -> str:
    """Mask private keys of many lines; every line stays in place."""
    if "-----BEGIN" in text:
        text = _PEM.sub(lambda match: MASK + "\n" * match[0].count("\n"), text)
    if "Private-Lines: " in text:
        text = _PUTTY.sub(lambda match: match[1] + MASK + "\n" * match[2].count("\n"), text)
    return text


def _long_runs(text: str) -> str:
    """Return the runs of token characters as long as the shortest token, each once: a tenth of a source text.

    A table makes all else spaces first: a pattern that begins with one takes a third of the time.
    """
    spaced = b" " + text.encode("utf-8", "replace").translate(_ONLY_TOKENS)
    return b"\n".join(set(_LONG_RUN.findall(spaced))).decode("ascii")


def _mask_word(match: re.Match[str]) -> str:
    """Mask a token that begins a word; inside a word it is not one."""
    start = match.start()
    inside = start > 0 and (match.string[start - 1].isalnum() or match.string[start - 1] == "_")
    return match[0] if inside else MASK


# The user's own formats: a subset of regular expressions, each matched in linear time. A pattern is a sequence of
# characters and classes, each with at most one repetition. Repetitions are possessive and, except the last, bounded.

MAX_PATTERN_CHARACTERS = 200
_MIN_MATCH_CHARACTERS, _MAX_MATCH_CHARACTERS = 6, 1_024
_MAX_REPEATED = 256
"""Bound of an open repetition that something follows."""

_PATTERN_ITEM = lazy_regex(
    r"(\\[dwDW]|\\[^A-Za-z0-9\s]|\[\^?(?:\\[dwDW]|\\[^A-Za-z0-9\s]|[^\\\[\]])+\]|[^\\\[\](){}*+?|^$.\x00-\x1f\x7f])"
    r"(?:([*+?])|\{([0-9]{1,3})(,?)([0-9]{0,3})\})?"
)
_ORDINARY_TEXT = (
    "The configuration of src/main/index_page.html was changed at 2026-11-23 10:15: a release for everybody; "
    "internationalization = getDefaultConfiguration(request, responseHandler) # 1234567 MAX_RETRIES"
)


class _PatternItem(NamedTuple):
    """A character or class of a pattern, and how often it may occur."""

    text: str
    fewest: int
    most: int | None


class _OwnPatterns:
    """The user's own patterns of this process, set once at its start.

    What was masked by others is cached under other keys.
    """

    texts: tuple[str, ...] = ()
    compiled: tuple[re.Pattern[str], ...] = ()


OWN_PATTERNS = _OwnPatterns()


def set_own_patterns(patterns: Iterable[str]) -> None:
    """Mask what these patterns match, too; those that `pattern_problem` refuses are left out."""
    valid = sorted({pattern for pattern in patterns if pattern_problem(pattern) is None})
    OWN_PATTERNS.texts = tuple(valid)
    OWN_PATTERNS.compiled = tuple(lazy_regex(_linear(_items(pattern) or []), re.ASCII) for pattern in valid)


def pattern_problem(pattern: str) -> str | None:
    """Return what is wrong with a pattern, as the end of a sentence that begins with it; None if it is accepted."""
    if not 0 < len(pattern) <= MAX_PATTERN_CHARACTERS:
        return f"must have 1 to {MAX_PATTERN_CHARACTERS} characters"
    items = _items(pattern)
    if items is None:
        return "may have only characters, classes such as [A-Z0-9], and repetitions such as {20}"
    if sum(item.fewest for item in items) < _MIN_MATCH_CHARACTERS:
        return f"can match fewer than {_MIN_MATCH_CHARACTERS} characters"
    if sum(map(_most, items)) > _MAX_MATCH_CHARACTERS:
        return f"can match more than {_MAX_MATCH_CHARACTERS} characters"
    for number, item in enumerate(items):
        if item.fewest != item.most and (follower := _overlapping(item, items[number + 1 :], pattern)) is not None:
            return f"repeats {item.text} before {follower.text}, which matches the same: give a number, such as {{20}}"
    if lazy_regex(_linear(items), re.ASCII).search(_ORDINARY_TEXT):
        return "matches ordinary text"
    return None


def _items(pattern: str) -> list[_PatternItem] | None:
    items: list[_PatternItem] = []
    position = 0
    while position < len(pattern):
        match = _PATTERN_ITEM.match(pattern, position)
        if match is None or not _is_class(match[1]):
            return None
        items.append(_item(match))
        if items[-1].most is not None and items[-1].fewest > items[-1].most:
            return None
        position = match.end()
    return items


def _item(match: re.Match[str]) -> _PatternItem:
    text, sign, fewest, comma, most = match.groups()
    if sign:
        return _PatternItem(text, int(sign == "+"), 1 if sign == "?" else None)
    if fewest is None:
        return _PatternItem(text, 1, 1)
    return _PatternItem(text, int(fewest), int(most) if most else None if comma else int(fewest))


def _is_class(text: str) -> bool:
    """Whether a character or class can be compiled: a range may be in the wrong order."""
    if any(sign * 2 in text for sign in "-&~|"):
        return False  # reserved for operations on sets
    try:
        lazy_regex(text).match("")
    except re.error:
        return False
    return True


def _linear(items: Sequence[_PatternItem]) -> str:
    """Return the regular expression of some items: it never tries a repetition twice."""
    parts = []
    for number, item in enumerate(items):
        is_open = item.most is None and number == len(items) - 1
        parts.append(f"{item.text}{{{item.fewest},{'' if is_open else _most(item)}}}+")
    return "".join(parts)


def _most(item: _PatternItem) -> int:
    return item.most if item.most is not None else max(item.fewest, _MAX_REPEATED)


def _overlapping(item: _PatternItem, followers: Sequence[_PatternItem], pattern: str) -> _PatternItem | None:
    """Return the item after a repetition that needs a character which the repetition would take; None without one."""
    characters = {*map(chr, range(128)), *pattern}
    taken = {char for char in characters if lazy_regex(item.text, re.ASCII).fullmatch(char)}
    for follower in followers:
        if any(map(lazy_regex(follower.text, re.ASCII).fullmatch, taken)):
            return follower
        if follower.fewest:
            break
    return None
