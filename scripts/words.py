"""Finds words that handrail doesn't use in texts for people: the console, the command line and the docs.

An aid, not the goal: it keeps out what was rewritten before. `docs/glossary.md` lists the words to use instead.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = (
    "README.md",
    "docs/**/*.md",
    "web/console/src/**/texts/*.ts",
    "web/console/src/texts/*.ts",
    "web/extension/_locales/en/messages.json",
    "src/handrail/**/*.py",
)
"""In Python, only quoted texts are checked; help texts are in docs/reference/cli.md."""

INSTEAD = {
    r"(?<!webgal/)(?<![\"{])\bmend(s|ed|ing)?\b(?! characters)(?!\")": "fix",
    r"\banew\b": "again",
    r"\bput away\b": "archive",
    r"\btake out again\b": "unarchive",
    r"\bas a film\b": "replay",
    r"\bsend away\b": "sign out",
    r"\bfor good\b(?! reason| measure)": "always",
    r"(?<!there )\bis no (?!longer|more|different|such|way|need|reason|guarantee|one\b)\w+": "isn't a …, unknown …",
    r"\bTell what works\b": "Check your setup",
    r"\bAnswer what waits\b": "Answer pending approvals and questions",
    r"\bTake a write back\b": "Undo a change",
    r"\buntil Ctrl-C\b": "Start the server",
    r"\bthe project's folder, if not this one\b": "Project folder [current directory]",
    r"\bor another one; 0 takes any free one\b": "Port; 0 picks a free one [6006]",
    r"\bwhere the policy wants a person asked\b": "How to handle approvals",
    r"\banother deadline than\b": "Override the timeout",
    r"\bfor the next words\b": "takes effect with your next message",
    r"\bonce and within ten minutes\b": "one-time link, expires in 10 min",
    r"\ba browser of its own runs\b": "Launched a paired Chromium",
    r"\bno handrail server runs\b": "handrail isn't running",
    r"\bnothing that is handrail answers\b": "handrail isn't responding",
    r"\bholds again what it held\b": "was restored",
    r"\blook at what \. holds\b": "Use list_files to see what exists",
    r"\bnobody is asked here\b": "approvals are off",
    r"\bnothing left to go on with\b": "Nothing to resume",
    r"\bwhat should happen\b": "What should I work on?",
    r"\bgives the agent hands\b": "is optional",
    r"\bit does not go on\b": "The agent stopped",
    r"\blook at the key and at what\b": "Check your API key and model access",
    r"\bremark for the agent\b": "Tell the agent why",
    r"\bneeds your word\b": "Approvals appear here",
    r"\bto the asking program alone\b": "Sent only to the requester",
    r"\bopens neither approvals nor\b": "API token. Can't approve or sign in",
    r"\ba browser that says nothing about itself\b": "Unknown browser",
    r"\bno fitting number\b": "Enter a valid number",
    r"\bwrite a task's record as one page\b": "Export a task as an HTML report",
    r"\bnobody (is|was|has|answered|came|who)\b(?=[^\"]*[.,;:(]\"?)": "no one, no program",
    r"\bstands (twice|there)\b": "appears twice, is already used",
    r"\bmakes no sense\b": "can't be read",
    r"\bis none of the\b": "isn't one of the",
    r"\blike a film\b": "in order",
    r"\bwhat holds in\b": "the rules in",
    r"\bits value is asked for\b": "prompts for its value",
    r"\bwhat waits\b(?!_)": "pending approvals and questions",
    r"\bwithout a further word\b": "without a subcommand",
    r"\bspeaks (no )?version\b": "supports version",
    r"输入模式": "输入 Schema",
    r"执行号": "执行 ID",
}
_PATTERNS = [(re.compile(pattern, re.IGNORECASE), better) for pattern, better in INSTEAD.items()]
_PYTHON_TEXT = re.compile(r'(?<!")"(?!"")(?:[^"\\\n]|\\.)+"')


def main() -> int:
    matches = list(findings())
    for location, words, better in matches:
        print(f"{location}: “{words}”; better: {better}", file=sys.stderr)
    return 1 if matches else 0


def findings() -> Iterator[tuple[str, str, str]]:
    for file in sorted({file for pattern in PLACES for file in ROOT.glob(pattern)}):
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
            for text in _texts(file, line):
                for pattern, better in _PATTERNS:
                    if (word := pattern.search(text)) is not None:
                        yield f"{file.relative_to(ROOT)}:{number}", word[0], better


def _texts(file: Path, line: str) -> list[str]:
    if line.lstrip().startswith(('"""', 'r"""', "#")):
        return []
    return _PYTHON_TEXT.findall(line) if file.suffix == ".py" else [line]


if __name__ == "__main__":
    sys.exit(main())
