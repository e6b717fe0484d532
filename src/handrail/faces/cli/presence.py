"""A person at this terminal: proven by where the command runs, and by a word that must be typed."""

import os
import secrets
import sys
import threading
from typing import TYPE_CHECKING

from handrail.ports.presence import InspectTerminal, PresenceNeeded, TerminalProof

if TYPE_CHECKING:
    from handrail.ports.stores import Stores

_LETTERS = "abcdefghjkmnpqrstuvwxyz"
_LENGTH = 5


def typing_a_word(look: InspectTerminal) -> InspectTerminal:
    """The same, where a person also types a word that is shown only now: a command line alone proves nobody's hands."""

    def prove() -> TerminalProof:
        found = look()
        word = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
        _show_on_terminal(f"To confirm that you are here, type {word}: ")
        if sys.stdin.readline().strip().lower() != word:
            raise PresenceNeeded(
                "The word wasn't typed.", reason="presence", why="the word that was shown wasn't typed"
            )
        return found

    return prove


def _show_on_terminal(text: str) -> None:
    """On the terminal itself: a program may read the other outputs. What was typed before is dropped."""
    import termios

    keyboard = sys.stdin.fileno()
    descriptor = os.open(os.ttyname(keyboard), os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        termios.tcflush(keyboard, termios.TCIFLUSH)
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def asked_once(prove: InspectTerminal) -> InspectTerminal:
    """The same for several answers of one command: one word for all of them."""
    turn, found = threading.Lock(), list[TerminalProof | PresenceNeeded]()

    def prove_once() -> TerminalProof:
        with turn:
            if not found:
                try:
                    found.append(prove())
                except PresenceNeeded as refused:
                    found.append(refused)
            outcome = found[0]
        if isinstance(outcome, PresenceNeeded):
            raise outcome
        return outcome

    return prove_once


def need_person(stores: "Stores", what: str) -> None:
    """For commands that change who may do what. PresenceNeeded."""
    if stores.presence.require_terminal(what) is not None:
        typing_a_word(stores.presence.inspect_terminal)()
