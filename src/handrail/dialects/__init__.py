"""How each contract spells the conditions of the error tree on its wire."""

from handrail.contract.errors import Failure
from handrail.dialects import aai, desktop, mimo, webgal
from handrail.dialects.spelling import Envelope, Table

_ENVELOPES = {"webgal": webgal.envelope, "mimo": mimo.envelope, "desktop": desktop.envelope, "aai": aai.envelope}
_TABLES: dict[str, Table] = {"webgal": webgal.CODES, "mimo": mimo.CODES, "desktop": desktop.CODES, "aai": aai.CODES}


def envelope(dialect: str, failure: Failure) -> Envelope:
    return _ENVELOPES[dialect](failure)


def table(dialect: str) -> Table:
    return _TABLES[dialect]
