"""Which language the person at this terminal reads."""

import os
from collections.abc import Mapping

from handrail.faces.cli.screen.chinese import CHINESE
from handrail.faces.cli.screen.english import ENGLISH
from handrail.faces.cli.screen.texts import Texts


def texts_for(environ: Mapping[str, str] = os.environ) -> Texts:
    """HANDRAIL_LANG decides; without it, the language of the terminal's locale."""
    wanted = environ.get("HANDRAIL_LANG") or environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG")
    return CHINESE if (wanted or "").lower().startswith("zh") else ENGLISH
