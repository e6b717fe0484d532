from tests.queue_fixtures import log, other, queue, state

__all__ = ["log", "other", "queue", "state"]
