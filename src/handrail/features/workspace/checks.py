"""What searching and comparing files needs of this machine."""

from collections.abc import Iterator

from handrail.features.workspace.backends.ripgrep import program as ripgrep_program
from handrail.kernel.checks import Check, CheckContext, attempt, first_line


def checks(context: CheckContext) -> Iterator[Check]:
    yield _ripgrep()
    yield _diff()


def _ripgrep() -> Check:
    def look() -> str:
        program = ripgrep_program()
        return f"{first_line(program, '--version')} at {program}"

    return attempt("ripgrep", look, "search_files needs it. Install handrail again: it brings ripgrep along.")


def _diff() -> Check:
    def look() -> str:
        line = first_line("diff", "--version")
        if "GNU" not in line:
            raise OSError(f"not GNU diff: {line}")
        return line

    return attempt("GNU diff", look, "Large diffs are slow without it: install the package diffutils.", required=False)
