"""The program `handrail`, also as `python -m handrail`: the command line with every feature."""

from __future__ import annotations

from handrail.faces.cli.main import CommandList, run
from handrail.features import built_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from handrail.wiring import Wiring


def commands() -> CommandList:
    return CommandList(built_in())


def open_program() -> Wiring:
    from handrail.wiring import Wiring

    return Wiring()


def main() -> None:
    run(commands(), open_program)


if __name__ == "__main__":
    main()
