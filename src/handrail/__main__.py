"""The program `handrail`, also as `python -m handrail`: the command line with every feature."""

from handrail.faces.cli.main import CommandList, run
from handrail.features import built_in


def commands() -> CommandList:
    return CommandList(built_in())


def main() -> None:
    run(commands())


if __name__ == "__main__":
    main()
