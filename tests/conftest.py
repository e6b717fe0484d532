"""What every test may rely on: no question opens a browser or starts a server by itself, unless a test wants it."""

import os

os.environ["HANDRAIL_CALL_PERSON"] = "false"
