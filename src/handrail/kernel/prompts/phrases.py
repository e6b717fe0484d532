"""handrail's own sentences in questions, each with a code by which clients can translate it."""

import re

from handrail.kernel.auto_run_files import reasons

_PHRASES = {
    "noScreenPicture": r"No picture of the screen could be taken\.",
    "noPagePicture": r"No picture of the page could be taken\.",
    "noPicture": r"No picture could be taken: (?P<object>.*)",
    "notOutlined": r"The browser did not outline it in the picture\.",
    "covered": r"Another window may cover it\.",
    "noPlace": r"It has no place on the screen\.",
    "notVisible": r"It is not visible on the page\.",
    "unsteady": r"The page changed while its picture was taken\.",
    "scriptDecides": r"not visible: this is neither a link nor a button that sends a form, so .*script decides",
    "unlessScript": r"(?P<object>.*?),? unless the page's own script does something else",
    "notListed": r"and (?P<object>\d+) more that are not listed",
    "somethingNear": r"Something near it has changed that the question does not quote\.",
    "unknownHost": r"an unknown host",
    "tenMinutes": r"further connections to this host and port for ten minutes",
    "thisRun": r"this run; only programs on this machine can connect",
    "noProgram": r"It starts no program\.",
    "moreCharacters": r"(?P<object>\".*\" and more, \d+) characters",
    "inCage": r"in its cage: the project itself changes only when you review it",
    "givenKey": r"the key that you have given",
    "keyOrGiven": r"a key: \$(?P<object>\S+) of the environment, or the one that you have given",
    "yourSignIn": r"your sign-in \((?P<object>.*)\)",
    "differentHosts": r"these are different hosts: who signs in at (?P<object>.* is known to .*) afterwards",
    "sessionBus": r"(?P<object>\S+) on the session bus",
    "systemBus": r"(?P<object>\S+) on the system bus",
    "theProgram": r"the program (?P<object>.+)",
    "appleEvents": r"(?P<object>\S+) by Apple Events",
    "setsVariables": r"It sets variables, which may change what other programs do\.",
    "setsVariablesFor": r"It sets variables for (?P<object>.*)",
    "tooManyPrograms": r"It starts too many programs to check\.",
    "programUnknown": r"The program is unknown until the command runs: (?P<object>.*)",
    "runsFile": r"It runs a file in the shell itself\.",
    "folderUnknown": r"It changes to an unknown folder\.",
    "startsUnknown": r"It is unknown what (?P<object>.*) starts\.",
    "redirectUnknown": r"It redirects to an unknown file: (?P<object>.*)",
    "notText": r"It contains characters that are not text\.",
    "tooLong": r"It is too long to parse\.",
    "nul": r"It contains a NUL character\.",
    "notShell": r"It can't be read as a shell command\.",
    "tooDeep": r"It is nested too deeply to be read\.",
    "function": r"It defines a function, which may take the name of a program\.",
    "notUnderstood": r"It has something that isn't understood: (?P<object>.*)\.",
    "wordsAfterRedirect": r"It has words after a redirect that may be arguments\.",
    "afterHereDocument": r"It continues after a here-document\.",
    "patternElsewhere": r"It has a pattern where no file is expected\.",
    "innerRepository": r"It would read a Git repository inside the project, whose settings can start programs\.",
    "noRepository": r"There is no Git repository, and without one `git diff` compares any folders\.",
    "restrictedHistory": r"It may show files of the repository's history that a rule restricts\.",
    "tooManyMatches": r"(?P<object>.*) matches too many files, one that looks like an option, or leads back by .*",
    "readsSecret": r"It would read (?P<object>.*)",
    "mayShowSecret": r"It may show (?P<object>.*)",
    **{code: rf"(?:(?P<object>\S.*): )?{re.escape(words)}" for code, words in reasons().items()},
}
_PATTERNS = [(code, re.compile(pattern, re.DOTALL)) for code, pattern in _PHRASES.items()]

CODES = frozenset(_PHRASES)


def phrase(text: str) -> tuple[str, str] | None:
    """The code of a sentence and its object; None if it isn't one of handrail's."""
    for code, pattern in _PATTERNS:
        if (match := pattern.fullmatch(text)) is not None:
            return code, match.groupdict().get("object") or ""
    return None
