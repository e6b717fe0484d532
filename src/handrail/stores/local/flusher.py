"""Batches fsync: the first change starts a timer, and one flush covers all changes until then."""

import threading
from collections.abc import Callable

Later = Callable[[float, Callable[[], None]], None]


def start_timer(seconds: float, work: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, work)
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError:  # the interpreter is shutting down and can't start threads
        work()


class Flusher:
    """If a flush fails, the next change raises its error."""

    def __init__(self, flush: Callable[[], None], *, delay: float = 1.0, later: Later = start_timer) -> None:
        self._flush = flush
        self._delay = delay
        self._later = later
        self._is_counting = False
        self._failure: OSError | None = None

    def note_change(self) -> None:
        if not self._is_counting:
            self._is_counting = True
            self._later(self._delay, self._run)

    def raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _run(self) -> None:
        # Reset before the flush, because a change during the flush may need another one.
        self._is_counting = False
        try:
            self._flush()
        except OSError as failure:
            self._failure = failure
