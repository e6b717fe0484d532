"""Unexpected exceptions: what is logged, and what the caller gets."""

import logging
from traceback import format_tb

from handrail.ports.errors import Failure, InputOutput, Internal

logger = logging.getLogger(__name__)


def unexpected_error(tool: str, fault: Exception) -> Failure:
    """Logs where it happened; returns the Failure for the caller. Neither quotes the message: it may contain a key."""
    logger.error("%s failed: %s\n%s", tool, type(fault).__name__, "".join(format_tb(fault.__traceback__)))
    if isinstance(fault, OSError):
        return InputOutput(f"The operating system refused: {fault.strerror or type(fault).__name__}.")
    return Internal(f"handrail failed: {type(fault).__name__}.", hint="Please report this, with what its log says.")
