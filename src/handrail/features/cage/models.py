"""The model APIs as the agent reaches them: the key is added outside, and only requests to models pass."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from handrail.ports.secrets import Secret


class ModelApi:
    """`name` is its path on the endpoint, `variables` may contain its key, `base` is its real address.

    `scheme` is a prefix for the header's value.
    """

    def __init__(
        self,
        name: str,
        title: str,
        variables: tuple[str, ...],
        base_variables: tuple[str, ...],
        base: str,
        header: str,
        paths: tuple[str, ...],
        scheme: str = "",
    ) -> None:
        self.name = name
        self.title = title
        self.variables = variables
        self.base_variables = base_variables
        self.base = base
        self.header = header
        self.paths = paths
        self.scheme = scheme

    def allows(self, method: str, path: str) -> bool:
        """Whether this is a request to a model. The key doesn't open files, batches and accounts."""
        import re

        return any(re.fullmatch(pattern, f"{method} {path}") for pattern in self.paths)


ANTHROPIC = ModelApi(
    "anthropic",
    "Anthropic",
    ("ANTHROPIC_API_KEY",),
    ("ANTHROPIC_BASE_URL",),
    "https://api.anthropic.com",
    "x-api-key",
    (r"POST /v1/messages(/count_tokens)?", r"GET /v1/models(/[\w.-]+)?"),
)
OPENAI = ModelApi(
    "openai",
    "OpenAI",
    ("OPENAI_API_KEY", "CODEX_API_KEY"),
    ("OPENAI_BASE_URL",),
    "https://api.openai.com/v1",
    "authorization",
    (r"POST /responses(/compact)?", r"POST /chat/completions", r"GET /models(/[\w.-]+)?"),
    "Bearer ",
)
GEMINI = ModelApi(
    "gemini",
    "Gemini",
    ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ("GOOGLE_GEMINI_BASE_URL",),
    "https://generativelanguage.googleapis.com",
    "x-goog-api-key",
    (
        r"POST /v1(beta)?/models/[\w.-]+:(generateContent|streamGenerateContent|countTokens|embedContent)",
        r"GET /v1(beta)?/models(/[\w.-]+)?",
    ),
)
MODEL_APIS = (ANTHROPIC, OPENAI, GEMINI)


class Upstream:
    """A model API with its key."""

    def __init__(self, api: ModelApi, base: str, key: Secret) -> None:
        self.api = api
        self.base = base
        self.key = key


def upstream(api: ModelApi, environ: Mapping[str, str]) -> Upstream | None:
    """Takes key and address from the person's variables; None without a key."""
    key = next((environ[name] for name in api.variables if environ.get(name)), None)
    base = next((environ[name] for name in api.base_variables if environ.get(name)), api.base)
    if key is None:
        return None
    from handrail.ports.secrets import Secret

    return Upstream(api, base.rstrip("/"), Secret(key))
