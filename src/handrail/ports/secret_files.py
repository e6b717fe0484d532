"""Names of files that usually contain secrets, and are therefore closed unless a rule opens them."""

import re
from functools import lru_cache
from itertools import pairwise

from handrail.ports.folded_name import fold_name, fold_parts

_NAMES = frozenset(
    {
        *(".env", ".npmrc", ".netrc", "_netrc", ".pypirc", ".pgpass", ".git-credentials", ".htpasswd"),
        *(".ssh", ".aws", ".gnupg", ".azure", ".boto", ".s3cfg", ".vault-token", ".dockercfg", ".dockerconfigjson"),
        *("kubeconfig", "credentials.json", "application_default_credentials.json"),
    }
)
_PATTERNS = re.compile(
    r"\.env\.(?!(?:.*\.)?(?:example|sample|template)$).*"
    r"|.*\.(?:pem|key|p12|pfx|jks|keystore|kubeconfig)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519).*",
    re.DOTALL,
)
_PAIRS = frozenset({(".kube", "config"), (".docker", "config.json"), (".config", "gcloud"), (".config", "gh")})


def is_secret_name(name: str) -> bool:
    """Whether a name, in any folder, is closed."""
    return any(part in _NAMES or _PATTERNS.fullmatch(part) is not None for part in fold_parts(name))


@lru_cache(maxsize=1024)
def is_secret(names: tuple[str, ...]) -> bool:
    """Whether one of a path's names is closed; everything below it is closed too."""
    return any(map(is_secret_name, names)) or any(pair in _PAIRS for pair in pairwise(map(fold_name, names)))


@lru_cache(maxsize=4096)
def is_secret_path(path: str) -> bool:
    return is_secret(tuple(part for part in path.split("/") if part not in ("", ".")))


@lru_cache(maxsize=256)
def names_secrets(pattern: str) -> bool:
    """Whether a rule's path names such files: `.env`, `*.pem` or `.ssh/**`, but not `**`."""
    return is_secret_path(re.sub(r"\[(.)\]", r"\1", re.sub(r"[*?]+", "x", pattern)))
