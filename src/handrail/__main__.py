"""`python -m handrail`: the command line."""

from handrail.faces.cli.main import main

if __name__ == "__main__":
    main()
