"""An app with one tool for each possible outcome of a call; tests install it, and the bus starts it."""

import asyncio
import os
import sys
from dataclasses import dataclass
from typing import Literal

from handrail.aai import App

app = App("com.example.trial", name="Trial", description="Tools that end in every way.", version="1.2.3")


@dataclass
class Greeting:
    text: str
    pid: int


@app.tool(idempotent=True, examples=[{"name": "Ada"}])
def greet(name: str, *, mood: Literal["calm", "loud"] = "calm", times: int = 1) -> Greeting:
    """Greet somebody.

    Args:
        name: Whom to greet.
        mood: How.
    """
    text = " ".join([f"Hello, {name}!"] * times)
    return Greeting(text.upper() if mood == "loud" else text, os.getpid())


@app.tool
async def wait_for_ever() -> None:
    """Waits, and answers when it is cancelled."""
    await asyncio.Event().wait()


@app.tool
async def pass_on(rounds: int) -> int:
    """Let others run, and tell how often."""
    for _ in range(rounds):
        await asyncio.sleep(0)
    return rounds


@app.tool
def fill(size: int) -> str:
    """A text of that many letters."""
    return "x" * size


@app.tool
def forget() -> None:
    """Return nothing."""


@app.tool
def refuse(code: str) -> None:
    """Fail as the app itself wants it."""
    raise app.Error(code, "The trial ends here.")


@app.tool
def crash() -> None:
    """Fail as nobody wants it."""
    raise RuntimeError("the secret of /etc/shadow")


@app.tool
def lie() -> int:
    """Return what the signature does not say."""
    return "seven"  # type: ignore[return-value]


@app.tool
def leave() -> None:
    """Try to end the process."""
    sys.exit(3)


@app.tool
def chatter() -> str:
    """Print and read where the wire might be."""
    print("not for the wire", flush=True)
    return sys.stdin.read()


if __name__ == "__main__":
    app.run()
