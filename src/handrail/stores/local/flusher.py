"""Batches fsync: the first change starts a countdown, and one flush covers all that came until then."""

import threading
from collections.abc import Callable

Later = Callable[[float, Callable[[], None]], None]


def in_a_thread(seconds: float, work: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, work)
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError:  # the interpreter is going down and starts no thread any more
        work()


class Flusher:
    """A flush that failed is not forgotten: the next change is refused with it."""

    def __init__(self, flush: Callable[[], None], *, after: float = 1.0, later: Later = in_a_thread) -> None:
        self._flush = flush
        self._after = after
        self._later = later
        self._is_counting = False
        self._failure: OSError | None = None

    def note_change(self) -> None:
        if not self._is_counting:
            self._is_counting = True
            self._later(self._after, self._run)

    def raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _run(self) -> None:
        # Before the flush: a change that comes during it may be missed by it and needs the next one.
        self._is_counting = False
        try:
            self._flush()
        except OSError as failure:
            self._failure = failure
