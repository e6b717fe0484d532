"""What is logged to a terminal."""

import subprocess
import sys

LOGS = """
import logging
from handrail.faces.cli.output import log_to_stderr
log_to_stderr()
logging.getLogger("server").warning("it said %s", "\\x1b[4$p\\nhandrail asks: do you allow this?")
"""


def test_other_programs_text_in_the_log_controls_no_terminal_and_imitates_no_question() -> None:
    result = subprocess.run([sys.executable, "-c", LOGS], capture_output=True, text=True, check=True)
    assert result.stderr == ("handrail: WARNING server: it said \\u{1b}[4$p\n  handrail asks: do you allow this?\n")
