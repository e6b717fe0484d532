import json
import os
import signal
import socket
import stat
import threading
from pathlib import Path

import pytest

from handrail.faces.http import server_file
from handrail.faces.http.listen_socket import listen, open_listeners
from handrail.ports.errors import Unsupported
from handrail.ports.own_servers import announce_port, find_own_ports
from tests.faces.http.mcp_stream import mcp_stream
from tests.faces.http.running import Running, read_answer
from tests.faces.http.test_tools import start_waiting
from tests.waiting import PATIENCE


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


HAS_IPV6 = has_ipv6()


def test_the_file_names_the_running_server_and_only_its_owner_can_read_it(server: Running) -> None:
    assert set(server.file) == {"pid", "host", "port", "token"}
    assert server.file["pid"] == server.process.pid
    assert server.file["host"] == "127.0.0.1"
    assert server.first_line == f"http://127.0.0.1:{server.port}"
    assert len(server.server_token) == 43
    assert stat.S_IMODE((server.state / "server.json").stat().st_mode) == 0o600
    assert not list(server.state.glob(".server.json*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_clean_stop_keeps_the_token_and_marks_the_server_stopped(number: int, state: Path, project: Path) -> None:
    with Running(state, project) as server:
        before = server.file
        log = server.stop(number)
        assert server.process.returncode == 0, log
        assert log == ""
        assert server.file == {**before, "pid": 0}
        server_info = server_file.read(state)
        assert server_info is not None
        assert not server_info.is_running


def test_the_token_survives_a_restart_and_a_crash(state: Path, project: Path) -> None:
    with Running(state, project) as first:
        token = first.server_token
        first.stop()
    with Running(state, project) as second:
        assert second.server_token == token
        second.stop(signal.SIGKILL)
    with Running(state, project) as third:
        assert third.server_token == token
        assert third.file["pid"] == third.process.pid
        assert third.request("GET", "/api/tools").status == 200


def test_two_state_directories_have_two_tokens(state: Path, project: Path, server: Running) -> None:
    with Running(state, project) as other:
        assert other.server_token != server.server_token
        assert other.request("GET", "/api/tools", headers=server.bearer).status == 401


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"token": 7}', '{"pid": 1, "host": "a", "port": 1, "token": "short"}', "\x00" * 100, "9" * 99999],
)
def test_a_file_that_makes_no_sense_is_replaced(content: str, state: Path) -> None:
    (state / "server.json").write_text(content)
    with server_file.publish(state, "127.0.0.1", 6006) as published:
        assert len(published.token) == 43
        assert server_file.read(state) == published.content


def test_a_link_in_the_place_of_the_file_is_neither_read_nor_followed(state: Path) -> None:
    elsewhere = state / "elsewhere"
    elsewhere.write_text(json.dumps({"pid": 1, "host": "h", "port": 1, "token": "A" * 43}))
    (state / "server.json").symlink_to(elsewhere)
    before = elsewhere.read_text()
    with server_file.publish(state, "127.0.0.1", 6006) as published:
        assert published.token != "A" * 43
        assert elsewhere.read_text() == before
        assert not (state / "server.json").is_symlink()


def test_a_file_that_others_could_read_is_closed(state: Path, project: Path) -> None:
    server_info = {"pid": 0, "host": "127.0.0.1", "port": 1, "token": "A" * 43}
    (state / "server.json").write_text(json.dumps(server_info))
    os.chmod(state / "server.json", 0o644)
    with Running(state, project) as server:
        assert server.server_token == "A" * 43
        assert stat.S_IMODE((state / "server.json").stat().st_mode) == 0o600


def test_a_second_server_on_the_same_state_is_refused_with_the_address_of_the_first(
    project: Path, server: Running
) -> None:
    before = server.file
    with Running(server.state, project) as second:
        refusal = json.loads(second.first_line)
        assert refusal["condition"] == "Conflict"
        assert server.first_line in refusal["message"]
        assert second.process.wait(timeout=PATIENCE) == 1
    assert server.file == before
    assert server.request("GET", "/health").status == 200


def test_only_one_of_many_servers_started_at_once_runs(state: Path, project: Path) -> None:
    servers: list[Running] = []
    threads = [threading.Thread(target=lambda: servers.append(Running(state, project))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alive = [server for server in servers if server.first_line.startswith("http")]
    try:
        assert len(alive) == 1
        assert alive[0].file["pid"] == alive[0].process.pid
    finally:
        for server in servers:
            server.stop()


def test_a_stale_pid_of_another_process_does_not_stop_the_start(state: Path, project: Path) -> None:
    stale = {"pid": os.getpid(), "host": "127.0.0.1", "port": 1, "token": "A" * 43}
    (state / "server.json").write_text(json.dumps(stale))
    with Running(state, project) as server:
        assert server.first_line.startswith("http://127.0.0.1:")


def test_a_port_in_use_is_refused_clearly_and_the_server_file_stays(state: Path, project: Path) -> None:
    server_info = json.dumps({"pid": 0, "host": "127.0.0.1", "port": 1, "token": "A" * 43})
    (state / "server.json").write_text(server_info)
    with socket.create_server(("127.0.0.1", 0)) as occupied:
        port = occupied.getsockname()[1]
        with Running(state, project, port) as server:
            refusal = json.loads(server.first_line)
    assert refusal["condition"] == "Conflict"
    assert str(port) in refusal["message"]
    assert "--port" in refusal["hint"]
    assert (state / "server.json").read_text() == server_info


@pytest.mark.skipif(not HAS_IPV6, reason="this machine has no ::1")
def test_a_port_that_another_program_has_on_the_other_loopback_address_is_refused(state: Path, project: Path) -> None:
    """`localhost` in a browser or an agent's configuration would lead to that program, with codes and tokens."""
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as taken:
        port = taken.getsockname()[1]
        with Running(state, project, port) as server:
            refusal = json.loads(server.first_line)
        assert refusal["condition"] == "Conflict"
        assert f"::1 port {port}" in refusal["message"]
        with open_listeners("127.0.0.1", port, allow_other_port=True) as listeners:
            assert len({each.getsockname()[1] for each in listeners} - {port}) == 1
            assert len(listeners) == 2


def test_a_server_stays_known_when_another_mark_of_its_port_disappears() -> None:
    """A stopping server on the same port, or a program that has taken the mark's name before."""
    with socket.socket(socket.AF_UNIX) as taken:
        taken.bind(f"\0handrail-server-{os.getuid()}-7")
        with announce_port(7):
            taken.close()
            assert 7 in find_own_ports()
    assert 7 not in find_own_ports()


def test_a_chosen_port_can_be_reused_at_once(state: Path, project: Path) -> None:
    with Running(state, project) as first:
        port = first.port
        first.request("GET", "/health")
        first.stop()
    with Running(state, project, port) as second:
        assert second.first_line == f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.0.1", "example.com", "127.0.0.1.nip.io", "127.0.0.2"])
def test_only_this_machine_is_served(host: str) -> None:
    with pytest.raises(Unsupported) as refusal:
        listen(host, 0)
    assert "127.0.0.1" in (refusal.value.hint or "")


def test_a_server_for_everybody_does_not_start(state: Path, project: Path) -> None:
    with Running(state, project, host="0.0.0.0") as server:
        assert json.loads(server.first_line)["condition"] == "Unsupported"
    assert not (state / "server.json").exists()


def test_ipv6_loopback_is_served_under_its_own_name(state: Path, project: Path) -> None:
    with Running(state, project, host="::1") as server:
        if not HAS_IPV6:
            assert json.loads(server.first_line)["condition"] == "InputOutput"
            return
        assert server.first_line == f"http://[::1]:{server.port}"
        with socket.create_connection(("::1", server.port), timeout=30) as connection:
            connection.sendall(f"GET /health HTTP/1.1\r\nHost: [::1]:{server.port}\r\n\r\n".encode())
            assert read_answer(connection).status == 200


@pytest.mark.alone
def test_a_running_call_gets_its_answer_when_the_server_stops(state: Path, project: Path) -> None:
    with Running(state, project) as server, start_waiting(server) as connection:
        server.process.send_signal(signal.SIGTERM)
        assert server.line() == "cancelled"
        answer = read_answer(connection)
        assert (answer.status, answer.code) == (503, "UNAVAILABLE")
        assert server.process.wait(PATIENCE) == 0
        assert server.stop() == ""


@pytest.mark.alone
def test_an_open_stream_does_not_delay_shutdown(state: Path, project: Path) -> None:
    with Running(state, project) as server, server.connect() as idle, mcp_stream(server):
        idle.sendall(f"GET /health HTTP/1.1\r\nHost: localhost:{server.port}\r\n".encode())
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=4) == 0
        assert "Traceback" not in server.stop()


def test_the_log_never_contains_the_token(state: Path, project: Path) -> None:
    with Running(state, project) as server:
        token = server.token
        server.call("crash")
        server.call("unspeakable")
        server.raw("nonsense TOKEN\r\n\r\n")
        server.raw("GET /api/tools?token=TOKEN HTTP/1.1\r\nHost: TOKEN\r\nAuthorization: Bearer TOKEN\r\n\r\n")
        log = server.stop()
        assert "Traceback" in log
        assert token not in log
