"""A pytest plugin: collects the tests once and runs them, file by file, in copies of this process, `--workers` of them.

Each worker takes the next file that nobody has taken and tells this process, in which all other plugins hear of it,
what came of its tests.
"""

import atexit
import gc
import os
import pickle
import selectors
import signal
import struct
import sys
import threading
import traceback
from collections.abc import Iterator
from itertools import groupby, zip_longest
from typing import Any, BinaryIO

import pytest

_TICKET = struct.Struct("I")
_LENGTH = struct.Struct("Q")
_IS_ONE_LOST = pytest.StashKey[bool]()


class Hooks:
    def pytest_worker_begins(self) -> None:
        """In the new process, before its first test."""

    def pytest_worker_ends(self) -> None:
        """In that process, after its last test."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--workers", type=int, default=0, help="run the tests in this many processes")


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(Hooks)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    count = session.config.getoption("--workers")
    if not count or session.testsfailed or session.config.option.collectonly:
        return None
    assert threading.active_count() == 1, "a copy would lose the other threads"
    files = [list(items) for _, items in groupby(session.items, key=_place)]
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    reporter.showfspath = False
    tickets = _tickets(len(files))
    gc.collect()
    gc.freeze()  # else each copy looks through all of it, again and again
    sys.stdout.flush()
    workers = [_Worker(session, files, tickets, number) for number in range(count)]
    try:
        _hear(session, workers, tickets)
    finally:
        for worker in workers:
            worker.end()
        os.close(tickets)
    if session.shouldfail or session.shouldstop:
        raise session.Failed(session.shouldfail or session.shouldstop)
    session.config.stash[_IS_ONE_LOST] = any(worker.is_lost for worker in workers)
    return True


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What was not run can't be made up for by another try of the one test that is known to have failed."""
    if session.config.stash.get(_IS_ONE_LOST, False):
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR


def _place(item: pytest.Item) -> tuple[object, ...]:
    """Tests of the same one run in one process."""
    return (item.path, item.nodeid) if item.get_closest_marker("apart") else (item.path,)


def _tickets(count: int) -> int:
    """Numbers of files, to be read by whoever has time: a pipe gives each to one of its readers."""
    source, sink = os.pipe()
    os.write(sink, b"".join(_TICKET.pack(number) for number in range(count)))
    os.close(sink)
    return source


def _hear(session: pytest.Session, workers: list["_Worker"], tickets: int) -> None:
    hook = session.config.hook
    with selectors.DefaultSelector() as waiting:
        for worker in workers:
            waiting.register(worker.told, selectors.EVENT_READ, worker)
        while waiting.get_map():
            for key, _ in waiting.select():
                worker = key.data
                kind, *words = worker.hears()
                if kind == "begun":
                    worker.running = session.items[words[0]]
                    hook.pytest_runtest_logstart(nodeid=worker.running.nodeid, location=worker.running.location)
                elif kind == "report":
                    report = hook.pytest_report_from_serializable(config=session.config, data=words[0])
                    hook.pytest_runtest_logreport(report=report)
                elif kind == "ended":
                    item, worker.running = worker.running, None
                    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
                else:
                    waiting.unregister(worker.told)
                    if kind == "gone":
                        hook.pytest_runtest_logreport(report=worker.crash(words[0]))
            if session.shouldfail or session.shouldstop:
                while os.read(tickets, 4096):
                    pass


class _Worker:
    def __init__(self, session: pytest.Session, files: list[list[pytest.Item]], tickets: int, number: int) -> None:
        self.running: pytest.Item | None = None
        self.is_lost = False
        self.id = f"worker {number}"
        told, tells = os.pipe()
        base = session.config._tmp_path_factory.getbasetemp()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(told)
            status = 1
            try:
                _work(session, files, tickets, os.fdopen(tells, "wb"), base / f"worker-{number}")
                status = 0
            except BaseException:  # noqa: BLE001 -- else it would go on as the process it is a copy of
                traceback.print_exc()
            finally:
                os._exit(status)
        os.close(tells)
        self.told: BinaryIO = os.fdopen(told, "rb", buffering=0)

    def hears(self) -> tuple[Any, ...]:
        """`gone` where it has ended without a word."""
        head = self._read(_LENGTH.size)
        text = self._read(*_LENGTH.unpack(head)) if head else b""
        return pickle.loads(text) if text else ("gone", self._wait())

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            if not (more := self.told.read(size - len(data))):
                return b""
            data += more
        return data

    def crash(self, status: int) -> pytest.TestReport:
        self.is_lost = True
        item = self.running
        name, location = (item.nodeid, item.location) if item else (self.id, ("", None, self.id))
        words = f"The process has ended with status {status} in this test. The rest of the file was not run."
        return pytest.TestReport(name, location, {}, "failed", words, "call")

    def _wait(self) -> int:
        pid, self._pid = self._pid, 0
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) if pid else 0

    def end(self) -> None:
        self.told.close()
        if self._pid:
            os.kill(self._pid, signal.SIGTERM)
            self._wait()


# In the worker


def _work(session: pytest.Session, files: list[list[pytest.Item]], tickets: int, wire: BinaryIO, base: Any) -> None:
    config = session.config
    capturing = config.pluginmanager.getplugin("capturemanager")
    capturing.stop_global_capturing()  # into a file that all copies share
    capturing.start_global_capturing()
    capturing.suspend_global_capture()
    config.pluginmanager.getplugin("terminalreporter")._tw._file = open(os.devnull, "w")  # noqa: SIM115
    base.mkdir(mode=0o700)
    config._tmp_path_factory._basetemp = base
    config.pluginmanager.register(_Telling(config, wire), "telling")
    numbers = {item: number for number, item in enumerate(session.items)}
    config.hook.pytest_worker_begins()
    for items in _taken(files, tickets):
        for item, following in zip_longest(items, items[1:], fillvalue=session):  # the next file isn't taken yet
            _tell(wire, "begun", numbers[item])
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            _tell(wire, "ended")
    session._setupstate.teardown_exact(None)
    config.hook.pytest_worker_ends()
    _tell(wire, "done")
    threading._shutdown()
    atexit._run_exitfuncs()


def _taken(files: list[list[pytest.Item]], tickets: int) -> Iterator[list[pytest.Item]]:
    while ticket := os.read(tickets, _TICKET.size):
        yield files[_TICKET.unpack(ticket)[0]]


class _Telling:
    def __init__(self, config: pytest.Config, wire: BinaryIO) -> None:
        self._config, self._wire = config, wire

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        _tell(self._wire, "report", data)


def _tell(wire: BinaryIO, *words: Any) -> None:
    text = pickle.dumps(words)
    wire.write(_LENGTH.pack(len(text)) + text)
    wire.flush()
