"""`python -m tests.quick_start_echo`: prints how it was started, and exits with status 7."""

import json
import os
import sys

if __name__ == "__main__":
    typed = sys.stdin.read().strip()
    told = {"words": sys.argv[1:], "own": os.environ.get("OWN"), "folder": os.getcwd(), "typed": typed}
    print(json.dumps(told))
    sys.exit(7)
