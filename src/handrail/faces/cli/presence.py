"""Proof that a person is at this terminal: where the command runs, and a word that they must type."""

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


def random_word() -> str:
    """A word that the person reads on the screen and types."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))


def with_typed_word(look: InspectTerminal) -> InspectTerminal:
    """Also asks the person to type a random word; a command line alone doesn't prove that anyone is typing."""

    def prove() -> TerminalProof:
        proof = look()
        word = show_word(sys.stdin.fileno())
        if sys.stdin.readline().strip().lower() != word:
            raise PresenceNeeded(
                "The word wasn't typed.", reason="presence", why="the word that was shown wasn't typed"
            )
        return proof

    return prove


def show_word(keyboard: int) -> str:
    """Shows a random word on the terminal device: a program may read stdout and stderr. Discards earlier input."""
    import termios

    word = random_word()
    descriptor = os.open(os.ttyname(keyboard), os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        termios.tcflush(keyboard, termios.TCIFLUSH)
        os.write(descriptor, f"To confirm that you are here, type {word}: ".encode())
    finally:
        os.close(descriptor)
    return word


def cached_proof(prove: InspectTerminal) -> InspectTerminal:
    """Asks for one word for all answers of a command."""
    lock, outcomes = threading.Lock(), list[TerminalProof | PresenceNeeded]()

    def prove_once() -> TerminalProof:
        with lock:
            if not outcomes:
                try:
                    outcomes.append(prove())
                except PresenceNeeded as refused:
                    outcomes.append(refused)
            outcome = outcomes[0]
        if isinstance(outcome, PresenceNeeded):
            raise outcome
        return outcome

    return prove_once


def require_person(stores: "Stores", what: str) -> None:
    """For commands that change permissions. Raises PresenceNeeded."""
    if stores.presence.require_terminal(what) is not None:
        with_typed_word(stores.presence.inspect_terminal)()
