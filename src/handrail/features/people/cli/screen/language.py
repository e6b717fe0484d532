"""Which language the person at this terminal reads."""

import os
from collections.abc import Mapping

from handrail.features.people.cli.screen.chinese import CHINESE
from handrail.features.people.cli.screen.english import ENGLISH
from handrail.features.people.cli.screen.texts import Texts


def texts_for(environ: Mapping[str, str] = os.environ) -> Texts:
    """HANDRAIL_LANG decides; without it, the language of the terminal's locale."""
    wanted = environ.get("HANDRAIL_LANG") or environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG")
    return CHINESE if (wanted or "").lower().startswith("zh") else ENGLISH
