"""The digest of what a person saw of a prompt; an answer with this digest counts for exactly that."""

from hashlib import sha256

import msgspec

from handrail.ports.errors import Conflict
from handrail.ports.prompts import Prompt


def shown_digest(request_id: str, prompt: Prompt) -> str:
    """The digest of the prompt's id and everything in it."""
    return sha256(msgspec.json.encode([request_id, prompt])).hexdigest()


def check_shown(request_id: str, prompt: Prompt, shown: str | None) -> None:
    """Conflict if the person saw something else under this id."""
    if shown is not None and shown != shown_digest(request_id, prompt):
        raise changed_since_shown(request_id)


def changed_since_shown(request_id: str) -> Conflict:
    return Conflict(
        f"{request_id} is not what was shown, or was changed after it was asked. It was not answered.",
        hint="Look at it again, or deny it.",
    )
