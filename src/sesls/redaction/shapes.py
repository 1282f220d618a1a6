"""Tokens that show by their shape whose they are. A new vendor is one line in a table below.

`PREFIXED` holds tokens that begin with something only their vendor writes; `LANDMARKS` those that carry one inside.
The facts are the vendors' own pages where they publish a grammar, else what several public scanners agree on. Lengths
are floors, since vendors lengthen their tokens (GitHub from 40 to about 520 characters, OpenAI from 51 to 164), and a
mistyped or cut token is a secret all the same; no checksum is verified for the same reason.
"""

from __future__ import annotations

from typing import NamedTuple

HEX = "0-9a-f"
LOWER = "0-9a-z"
UPPER = "0-9A-Z"
BASE62 = "A-Za-z0-9"
WORD = "A-Za-z0-9_"
DASHED = "A-Za-z0-9-"
URLSAFE = "A-Za-z0-9_-"
DOTTED = "A-Za-z0-9_.-"
BASE64 = "A-Za-z0-9+/=_-"

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


class Shape(NamedTuple):
    """Tokens of one kind that begin alike."""

    kind: str
    """What the mark says (see `kinds`); empty for what is public by design and is left alone."""
    prefixes: str
    """How such tokens begin, separated by spaces."""
    alphabet: str = ""
    """The characters of a body, as in a regular expression's brackets; none if a cut token is not to be looked for."""
    least: int = 16
    """The fewest characters of a body."""
    form: str = ""
    """The regular expression of a body, in place of `least`, where its parts are known or its prefix is weak."""
    sure: bool = False
    """Whether a body need not look random: nobody writes words after this prefix."""
    alone: bool = False
    """Whether the prefix has to begin a word, because it also ends names (`cache-key-…`)."""


PREFIXED: tuple[Shape, ...] = (
    # Code hosting
    Shape("GITHUB_TOKEN", "ghp_ gho_ ghu_ ghs_ ghr_", BASE62),  # 30 and a CRC of 6; ghr_ has 76
    Shape("GITHUB_TOKEN", "ghs_", DOTTED, form=r"[0-9]{1,12}_eyJ[A-Za-z0-9_.-]{6,}"),  # app and JWT, since April 2026
    Shape("GITHUB_TOKEN", "github_pat_", WORD, 10),  # 22, underscore, 59
    Shape(
        "GITLAB_TOKEN",
        "glpat- gldt- glrt- glrtr- glptt- glft- glsoat- gloas- glagent- glcbt- glimt- glffct- glwt-",
        URLSAFE,
        form=r"[A-Za-z0-9_-]{10,}(?:(?:\.[0-9a-z]{2})?\.[0-9a-z]{9})?",  # routable: a version, length and CRC
    ),
    Shape("GITLAB_TOKEN", "GR1348941", URLSAFE),  # runner registration, before glrt-
    Shape("ATLASSIAN_TOKEN", "ATBB", BASE62, 20),  # Bitbucket app password, 32
    Shape("ATLASSIAN_TOKEN", "ATATT3 ATCTT3", URLSAFE, form=r"[A-Za-z0-9_-]{16,}(?:=[0-9A-F]{8})?"),
    Shape("SOURCEGRAPH_TOKEN", "sgp_", WORD, 32),  # 40 hex, optionally after an instance
    # Clouds and hosting
    Shape("AWS_KEY", "AKIA ASIA ABIA ACCA", UPPER, form="[0-9A-Z]{16}", sure=True),
    Shape("AWS_SECRET", "ABSK", BASE64, 40),  # Bedrock, 109 to 269
    Shape("AWS_SECRET", "bedrock-api-key-", BASE64, 24),  # Bedrock, short-lived: a presigned URL
    Shape("", "AIDA AROA AGPA AIPA ANPA ANVA ASCA APKA", UPPER, 12),  # AWS ids of users, roles, groups, …
    Shape("GOOGLE_API_KEY", "AIza", URLSAFE, 16),  # 35
    Shape("GOOGLE_API_KEY", "AQ.", URLSAFE, 24),  # Gemini, since 2026: AQ.Ab and about 48
    Shape("GOOGLE_TOKEN", "ya29.", DOTTED, 16),  # OAuth access, 100 to 250
    Shape("GOOGLE_TOKEN", "GOCSPX-", URLSAFE, 12),  # OAuth client secret, 28
    Shape("DIGITALOCEAN_TOKEN", "dop_v1_ doo_v1_ dor_v1_", HEX),  # 64
    Shape("CLOUDFLARE_TOKEN", "cfut_ cfat_ cfk_", URLSAFE, 20),  # 40 and a checksum of 8 hex
    Shape("CLOUDFLARE_TOKEN", "v1.0-", form="[0-9a-f]{24}(?:-[0-9a-f]*)?"),  # Origin CA, the second part 146
    Shape("ALIBABA_KEY", "LTAI", BASE62, 12),  # 12 to 20
    Shape("FLY_TOKEN", "fm2_ fm1r_ fm1a_", BASE64, 30),  # macaroons, after "FlyV1 "
    Shape("FLY_TOKEN", "fo1_", URLSAFE, 20),  # 43
    Shape("HEROKU_KEY", "HRKU-", URLSAFE, 20),  # HRKU-AA and 58
    Shape("NETLIFY_TOKEN", "nfp_ nfc_ nfo_", BASE62, 20),  # 36
    Shape("RENDER_KEY", "rnd_", BASE62, 20),  # 28
    Shape("VERCEL_TOKEN", "vcp_ vci_ vca_ vcr_ vck_", BASE62, 20),  # 56
    Shape("SCALINGO_TOKEN", "tk-us-", URLSAFE, 30),  # 48
    Shape("DATABRICKS_TOKEN", "dapi", HEX, form="[0-9a-f]{32}(?:-[0-9]{1,2})?"),
    # Databases
    Shape("SUPABASE_KEY", "sbp_", BASE62, 20),  # 40 hex
    Shape("SUPABASE_KEY", "sb_secret_", URLSAFE),  # 22 and a checksum of 8
    Shape("", "sb_publishable_", URLSAFE),
    Shape("PLANETSCALE_TOKEN", "pscale_tkn_ pscale_pw_ pscale_oauth_", "A-Za-z0-9_.=-"),  # 32 to 64
    Shape("NEON_KEY", "napi_", BASE62, 24),  # 64
    Shape("MONGODB_KEY", "mdb_sa_sk_", URLSAFE),  # 40
    Shape("PREFECT_TOKEN", "pnu_ pnb_", BASE62, 24),  # 36
    # Secrets, infrastructure, delivery
    Shape("VAULT_TOKEN", "hvs. hvb. hvr.", URLSAFE, 20),  # 24 to 300
    Shape("VAULT_TOKEN", "s.", form="[A-Za-z0-9]{24}", alone=True),  # before Vault 1.10
    Shape("VAULT_TOKEN", "b.AAAAAQ", URLSAFE, 40),
    Shape("DOPPLER_TOKEN", "dp.pt. dp.ct. dp.sa. dp.scim. dp.audit.", BASE62, 24),  # 40 to 44
    Shape("DOPPLER_TOKEN", "dp.st.", DOTTED, form=r"(?:[a-z0-9_-]{1,40}\.)?[A-Za-z0-9]{24,}"),  # of one config
    Shape("ONEPASSWORD_TOKEN", "ops_eyJ", BASE64, 30),  # 250 and more
    Shape("ONEPASSWORD_TOKEN", "A3-", form="[0-9A-Z]{6}(?:-[0-9A-Z]{5,11}){4,5}", sure=True),  # secret key
    Shape("AGE_SECRET_KEY", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1", UPPER, 20, sure=True),  # 58 of bech32
    Shape("PULUMI_TOKEN", "pul-", HEX, 20),  # 40
    Shape("INFRACOST_KEY", "ico-", BASE62, 24, alone=True),  # 32
    Shape("CIRCLECI_TOKEN", "CCIPAT_ CCIPRJ_", WORD),  # a base58 UUID, underscore, 40 hex
    Shape("BUILDKITE_TOKEN", "bkua_ bkaa_ bkaj_ bkct_ bkpt_", BASE62, 20),  # 40 or 53
    Shape("SONAR_TOKEN", "squ_ sqp_ sqa_", HEX, 20),  # 40
    Shape("TAILSCALE_KEY", "tskey-", DASHED),  # kind, id and secret
    Shape("DOCKER_TOKEN", "dckr_pat_ dckr_oat_", URLSAFE, 12),  # 27, 32
    Shape("HARNESS_TOKEN", "pat. sat.", DOTTED, form=r"[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{16,}", alone=True),
    Shape("OPENSHIFT_TOKEN", "sha256~", URLSAFE, 20),  # 43; a digest has a colon
    # Packages
    Shape("NPM_TOKEN", "npm_", BASE62, 20),  # 30 and a CRC of 6
    Shape("PYPI_TOKEN", "pypi-AgE", URLSAFE, 20),  # a macaroon that names the index in its head
    Shape("RUBYGEMS_KEY", "rubygems_", HEX),  # 48
    Shape("CRATESIO_TOKEN", "cio", BASE62, form="[A-Za-z0-9]{32}"),
    Shape("NUGET_KEY", "oy2", LOWER, form="[0-9a-z]{43}"),
    Shape("CLOJARS_TOKEN", "CLOJARS_", LOWER, 20),  # 60
    Shape("JFROG_TOKEN", "AKCp cmVmd", BASE62, 40),  # 68 to 70; reference token 59
    # Models and agents
    Shape("ANTHROPIC_KEY", "sk-ant-", URLSAFE),  # api03-, admin01-, oat01-, ort01-, sid01- and 93, then AA
    Shape("OPENAI_KEY", "sk-proj- sk-svcacct- sk-admin- sk-None-", URLSAFE),  # up to 164
    Shape("OPENROUTER_KEY", "sk-or-v1- sk-or-", HEX),  # 64
    Shape("LANGFUSE_KEY", "sk-lf-", HEX + "-", 20),  # a UUID
    Shape("", "pk-lf-", HEX + "-"),
    Shape("OPENAI_KEY", "sk-", URLSAFE, 20),  # 20, T3BlbkFJ, 20; also DeepSeek, Kimi and others, 32
    Shape("HUGGINGFACE_TOKEN", "hf_ api_org_", BASE62, 20),  # 34 letters
    Shape("GROQ_KEY", "gsk_", BASE62, 24),  # 52
    Shape("XAI_KEY", "xai-", BASE62, 24),  # 80
    Shape("PERPLEXITY_KEY", "pplx-", BASE62, 20),  # 48
    Shape("REPLICATE_TOKEN", "r8_", BASE62, 20),  # 37
    Shape("CEREBRAS_KEY", "csk-", BASE62, 24),  # 48
    Shape("NVIDIA_KEY", "nvapi-", URLSAFE, 20),  # 60 to 70
    Shape("TOGETHER_KEY", "tgp_v1_", URLSAFE),  # 43
    Shape("TAVILY_KEY", "tvly- tvly-dev- tvly-prod-", DASHED, 20),  # 32
    Shape("FIRECRAWL_KEY", "fc-", HEX, form="[0-9a-f]{32}"),
    Shape("LANGSMITH_KEY", "lsv2_pt_ lsv2_sk_", HEX + "_", 20),  # 32 hex, underscore, 10 hex
    Shape("ELEVENLABS_KEY", "sk_", HEX, form="[0-9a-f]{40,}"),  # 48
    Shape("PINECONE_KEY", "pcsk_", WORD, 20),  # 5 or 6, underscore, 63
    Shape("WANDB_KEY", "wandb_v1_", URLSAFE, 20),  # 77
    Shape("FIREWORKS_KEY", "fw_", BASE62, 22),  # 24
    Shape("JINA_KEY", "jina_", URLSAFE, 30),  # 60
    Shape("E2B_KEY", "e2b_", HEX, 32),  # 40
    Shape("RUNPOD_KEY", "rpa_", BASE62, 30),  # 46
    Shape("APIFY_TOKEN", "apify_api_", BASE62, 20),  # 36
    Shape("TRIGGER_KEY", "tr_dev_ tr_prod_ tr_stg_ tr_pat_", BASE62, 18),
    # Analytics and observability
    Shape("POSTHOG_KEY", "phx_ phs_", BASE62, 24),  # 41 to 49
    Shape("", "phc_", BASE62),
    Shape("SENTRY_TOKEN", "sntrys_", BASE64, 24),  # base64 JSON, underscore, 43
    Shape("SENTRY_TOKEN", "sntryu_ sntrya_ sntryi_", HEX, 24),  # 64
    Shape("GRAFANA_TOKEN", "glsa_", WORD, 20),  # 32, underscore, a CRC of 8 hex
    Shape("GRAFANA_TOKEN", "glc_", BASE64, 24),  # base64 JSON
    Shape("GRAFANA_TOKEN", "eyJrIjoi", BASE64, 40),  # API key before version 9, base64 JSON
    Shape("NEWRELIC_KEY", "NRAK- NRIQ- NRRA-", UPPER, 20, sure=True),  # 27
    Shape("NEWRELIC_KEY", "NRII-", URLSAFE, 20),  # 32
    Shape(
        "DYNATRACE_TOKEN",
        "dt0c01. dt0s01. dt0s02. dt0s03. dt0s04. dt0s06. dt0s08. dt0s09. dt0s16.",
        UPPER + ".",
        form=r"[0-9A-Z]{24}(?:\.[0-9A-Z]{6,})?",  # 24, dot, 64 of base32
        sure=True,
    ),
    Shape("WAKATIME_KEY", "waka_", HEX + "-", 32),  # a UUID
    Shape("WAKATIME_KEY", "waka_tok_ waka_ref_", BASE62, 40),  # OAuth, 80
    Shape("ADAFRUIT_KEY", "aio_", BASE62, 24),  # 28
    # Messages and mail
    Shape("SLACK_TOKEN", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxe- xapp-", DASHED, 10),
    Shape("SLACK_TOKEN", "xoxe.xoxp- xoxe.xoxb-", DASHED, 20),  # configuration, 163 to 166
    Shape("SLACK_TOKEN", "xoxd-", "A-Za-z0-9%+/=_-", 20),  # browser cookie
    Shape("SENDGRID_KEY", "SG.", DOTTED, form=r"[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]{6,})?"),  # 22, dot, 43
    Shape("TWILIO_KEY", "SK", HEX, form="[0-9a-f]{32}"),
    Shape("", "AC", HEX, form="[0-9a-f]{32}"),  # Twilio account
    Shape("MAILGUN_KEY", "key-", HEX, form="[0-9a-f]{32}", alone=True),
    Shape("BREVO_KEY", "xkeysib- xsmtpsib-", DASHED, 24),  # 64 hex, dash, 16
    Shape("RESEND_KEY", "re_", WORD, form="[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),  # 8, underscore, 24
    # Payment and commerce
    Shape("STRIPE_KEY", "sk_live_ sk_test_ rk_live_ rk_test_ sk_org_live_ sk_org_test_ sk_prod_ rk_prod_", BASE62, 10),
    Shape("STRIPE_KEY", "whsec_", BASE64, 20),  # webhook, 32
    Shape("", "pk_live_ pk_test_", BASE62),
    Shape("SQUARE_TOKEN", "EAAA", URLSAFE, 50),  # 60
    Shape("SQUARE_TOKEN", "sq0atp- sq0csp-", URLSAFE),  # 22, 43
    Shape("SHOPIFY_TOKEN", "shpat_ shpca_ shppa_ shpss_", HEX),  # 32
    Shape("EASYPOST_KEY", "EZAK EZTK", BASE62, 40),  # 54
    Shape("DUFFEL_TOKEN", "duffel_live_ duffel_test_", "A-Za-z0-9_=-", 20),  # 43
    Shape("SHIPPO_TOKEN", "shippo_live_ shippo_test_", HEX, 20),  # 40
    Shape("FLUTTERWAVE_KEY", "FLWSECK_TEST- FLWSECK-", DASHED, 20),
    # Work and content
    Shape("LINEAR_KEY", "lin_api_ lin_oauth_", BASE62),  # 40, 64 hex
    Shape("NOTION_TOKEN", "ntn_", BASE62, form="[0-9]{9,11}[A-Za-z0-9]*", sure=True),  # 11 digits, 35
    Shape("NOTION_TOKEN", "secret_", BASE62, 32),  # before 2024, 43
    Shape("CLICKUP_TOKEN", "pk_", WORD, form="[0-9]{5,10}_[0-9A-Z]{32}"),
    Shape("SALESFORCE_TOKEN", "00D", form=r"[A-Za-z0-9]{9,15}![A-Za-z0-9_.]{40,}"),  # session: organisation, !, secret
    Shape("FIGMA_TOKEN", "figd_", URLSAFE, 20),  # 38 to 42
    Shape("AIRTABLE_TOKEN", "pat", form=r"[A-Za-z0-9]{14}\.[0-9a-f]{6,}"),  # 14, dot, 64 hex
    Shape("POSTMAN_KEY", "PMAK-", HEX + "-", 20),  # 24 hex, dash, 34 hex
    Shape("HUBSPOT_TOKEN", "pat-na1- pat-na2- pat-eu1- pat-ap1-", HEX + "-", form=_UUID, sure=True),
    Shape("CONTENTFUL_TOKEN", "CFPAT-", URLSAFE, 20),  # 43
    Shape("MAPBOX_TOKEN", "sk.eyJ tk.eyJ", DOTTED, 16),  # a payload, dot, 22
    Shape("", "pk.eyJ", DOTTED),
    Shape("LAUNCHDARKLY_KEY", "sdk- api-", form=_UUID, sure=True),
    Shape("FACEBOOK_TOKEN", "EAA", BASE62, 60),  # 100 and more
    Shape("DROPBOX_TOKEN", "sl.", URLSAFE, 60, alone=True),  # 130 and more
    Shape("DROPBOX_TOKEN", "sl.u.", URLSAFE, 30),
    Shape("TYPEFORM_TOKEN", "tfp_", URLSAFE, 30),  # 59
    Shape("README_KEY", "rdme_", LOWER, 30),  # 70
    Shape("FRAMEIO_TOKEN", "fio-u-", URLSAFE, 30),  # 64
    # Nobody's in particular
    Shape("JWT", "eyJ", DOTTED, form=r"[A-Za-z0-9_-]{8,600}+(?:\.[A-Za-z0-9_-]*+){4}"),  # encrypted, RFC 7516
    Shape("JWT", "eyJ", DOTTED, form=r"[A-Za-z0-9_-]{8,600}+\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),  # RFC 7519
    Shape("PRIVATE_KEY", "b3BlbnNzaC1rZXktdjE", BASE64, 24, sure=True),  # "openssh-key-v1", its head line lost
    # "-----BEGIN … PRIVATE KEY" in base64 itself, as in secrets of Kubernetes; certificates differ from it
    Shape("PRIVATE_KEY", "LS0tLS1CRUdJTiBSU0EgUFJJVkFURS", BASE64, 24, sure=True),
    Shape("PRIVATE_KEY", "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVE", BASE64, 24, sure=True),
    Shape("PRIVATE_KEY", "LS0tLS1CRUdJTiBFQyBQUklWQVRF", BASE64, 24, sure=True),
    Shape("PRIVATE_KEY", "LS0tLS1CRUdJTiBQUklWQVRF", BASE64, 24, sure=True),
)

GLUED = ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "AIza", "hvs.", "hvb.", "xoxb-", "xoxp-", "xapp-", "glrt-", "gldt-")
"""Prefixes that count in the middle of a word, besides those of six and more characters: no word ends like them."""


class Landmark(NamedTuple):
    """Tokens of one kind that carry a literal."""

    kind: str
    literal: str
    form: str
    """The regular expression of the whole."""
    run: int = 12
    """How long a run of letters, digits and `-_.~+/` there must be in it: what spares most texts the search."""


_EDGE = "(?<![A-Za-z0-9])"
_END = "(?![A-Za-z0-9])"
_W = "[A-Za-z0-9]"
_U = "[A-Za-z0-9_-]"

LANDMARKS: tuple[Landmark, ...] = (
    # Entra client secret: three, a digit, Q~, 31 to 34
    Landmark("AZURE_KEY", "Q~", r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{8,}"),
    Landmark("AZURE_KEY", "JQQJ99", rf"{_EDGE}{_W}{{20,200}}JQQJ99{_W}{{4,}}", 40),  # DevOps and others: 52, JQQJ99, 26
    Landmark("GOOGLE_TOKEN", "1//0", rf"{_EDGE}1//0{_U}{{10,}}"),  # OAuth refresh
    Landmark("TERRAFORM_TOKEN", ".atlasv1.", rf"{_W}{{10,16}}\.atlasv1\.{_U}{{6,}}", 24),  # 14, 60 to 70
    Landmark("MAILCHIMP_KEY", "-us", rf"{_EDGE}[0-9a-f]{{32}}-us[0-9]{{1,2}}{_END}", 36),
    Landmark("TELEGRAM_TOKEN", ":AA", rf"(?:{_EDGE}|(?<=bot))[0-9]{{8,10}}:AA{_U}{{6,}}"),  # 33
    Landmark("SLACK_WEBHOOK", "hooks.slack.com/", rf"hooks\.slack\.com/[a-z]{{5,}}(?:/{_W}{{6,}}){{3}}", 36),
    Landmark("DISCORD_WEBHOOK", "/webhooks/", rf"discord(?:app)?\.com/api/[v0-9/]*webhooks/[0-9]{{6,}}/{_U}{{6,}}", 36),
    Landmark("TEAMS_WEBHOOK", "office.com/webhook", rf"\.office\.com/webhook(?:b2)?/{_U}{{36}}(?:[@/]{_U}+)+", 40),
    Landmark("PAYPAL_TOKEN", "access_token$", r"access_token\$[a-z]{4,12}\$[0-9a-z]{8,}(?:\$[0-9a-f]{6,})?"),
    Landmark("ASANA_TOKEN", "1/", rf"{_EDGE}1/[0-9]{{12,19}}:[0-9a-z]{{6,}}"),
    Landmark("ASANA_TOKEN", "2/", rf"{_EDGE}2/[0-9]{{12,19}}/[0-9]{{12,19}}:[0-9a-z]{{6,}}"),
    Landmark("DISCORD_TOKEN", ".", rf"{_EDGE}[MNO]{_U}{{23,25}}\.{_U}{{6}}\.{_U}{{6,}}", 38),  # the last part 27 to 38
    Landmark("NEWRELIC_KEY", "NRAL", rf"{_EDGE}[0-9a-f]{{28,40}}(?:F{{4}})?NRAL{_END}", 32),  # ingest licence
    Landmark("MAXMIND_KEY", "_mmk", rf"{_EDGE}{_W}{{6}}_{_W}{{29}}_mmk{_END}", 40),
)
