"""How each contract spells the conditions of the error tree on its wire."""

from handrail.faces.http import dialect as mimo
from handrail.features.apps import dialect as aai
from handrail.features.desktop import dialect as desktop
from handrail.kernel import default_dialect as webgal
from handrail.kernel.error_spelling import Envelope, Table
from handrail.ports.errors import Failure

_ENVELOPES = {"webgal": webgal.envelope, "mimo": mimo.envelope, "desktop": desktop.envelope, "aai": aai.envelope}
_TABLES: dict[str, Table] = {"webgal": webgal.CODES, "mimo": mimo.CODES, "desktop": desktop.CODES, "aai": aai.CODES}


def envelope(dialect: str, failure: Failure) -> Envelope:
    return _ENVELOPES[dialect](failure)


def table(dialect: str) -> Table:
    return _TABLES[dialect]
