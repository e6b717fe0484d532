"""Random variations of the attacks, the same for the same seed: a few in `make test`, many in the campaign."""

import asyncio
import os
import random
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from handrail.kernel.own_pages import is_own_page
from handrail.kernel.web_address import parse_address
from handrail.ports.errors import InvalidParams
from handrail.ports.own_servers import announce_port
from tests.credentials import browser_token
from tests.effort import chance, count, tries
from tests.redteam.agents_rig import Rig, rig_in
from tests.redteam.test_plugins import stays_out
from tests.redteam.test_record import told, verify
from tests.redteam.test_terminals import Stage, agents_window
from tests.wire.clients import run


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with rig_in(tmp_path_factory.mktemp("variations")) as rig:
        yield rig


def spelled_number(by: random.Random, value: int) -> str:
    return by.choice([str(value), hex(value), f"0{value:o}", f"0X{value:X}"])


def spelled_address(by: random.Random) -> str:
    """127.x.y.z in 1 to 4 parts, each in any base, as browsers parse it."""
    octets = [127, by.randrange(256), by.randrange(256), by.randrange(1, 255)]
    parts = by.randint(1, 4)
    last = 0
    for octet in octets[parts - 1 :]:
        last = last * 256 + octet
    return ".".join(spelled_number(by, value) for value in (*octets[: parts - 1], last))


def spelled_address_6(by: random.Random) -> str:
    mapped = f"ffff:7f{by.randrange(256):02x}:{by.randrange(1, 65536):x}"
    known = ["::1", "0:0:0:0:0:0:0:1", "::0001", "0000::1", "::", f"::{mapped}", f"0:0:0:0:0:{mapped}"]
    address = by.choice([*known, f"::ffff:127.{by.randrange(256)}.{by.randrange(256)}.1"])
    return f"[{by.choice([address, address.upper()])}]"


def disguised(by: random.Random, host: str) -> str:
    """Spellings that browsers treat as the same."""
    wide = {char: chr(ord(char) + 0xFEE0) for char in "0123456789abcdefghijklmnopqrstuvwxyz"}
    ways: list[Callable[[str], str]] = [
        lambda char: char.upper(),
        lambda char: wide.get(char, char),
        lambda char: f"%{ord(char):02x}",
        lambda char: f"{char}\u00ad",
        lambda char: f"{char}\u200b",
        lambda char: {".": "\u3002"}.get(char, char),
        lambda char: f"{char}\t",
    ]
    return "".join(by.choice(ways)(char) if by.random() < 0.15 else char for char in host)


def spelled_console(by: random.Random, port: int) -> str:
    name = by.choice(["localhost", f"{by.choice('abcxyz')}{by.randrange(99)}.localhost", "a.b.localhost"])
    host = by.choice([spelled_address(by), spelled_address_6(by), name, "0.0.0.0", "0"])
    host = host if host.startswith("[") else disguised(by, host + by.choice(["", "", "."]))
    user = by.choice(["", "", "", "u@", "u:p@", "localhost:80@", "%40@"])
    shown = by.choice([str(port), f"0{port}", f"00{port}"])
    slashes = by.choice(["://", "://", "://", ":/", ":\\\\", ":///"])
    scheme = by.choice(["http", "HTTP", "https", "hTTp"])
    return f"{scheme}{slashes}{user}{host}:{shown}{by.choice(['', '/', '/#/prompts', '?x', '/..', '//evil.test/'])}"


@pytest.mark.trial("own pages")
def test_no_spelling_of_the_consoles_address_is_mistaken_for_another_place() -> None:
    """Every spelling that a browser would resolve to this machine and our port is refused."""
    by = chance()

    async def look() -> list[str]:
        passed = []
        for _ in range(tries(300, 20_000)):
            count()
            url = spelled_console(by, port)
            try:
                place = parse_address(url).place
            except InvalidParams:
                continue
            if place is None or not await is_own_page(place):
                passed.append(url)
        return passed

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with announce_port(port):
            assert asyncio.run(look()) == []


ADDING = """
import sys
from pathlib import Path
from handrail.stores.local.agents import AgentsFile
from handrail.stores.local.trust import TrustFile
state, at = Path(sys.argv[1]), 0
print("begun", flush=True)
while True:
    at += 1
    AgentsFile(state).add(f"a{at}-{sys.argv[2]}")
    TrustFile(state).add(f"{at}".encode(), "policy")
    TrustFile(state).remove(f"{at}".encode())
    AgentsFile(state).remove(f"a{at}-{sys.argv[2]}")
"""


@pytest.mark.trial("state files")
def test_no_kill_in_the_middle_of_a_write_looks_like_an_attack_and_every_attack_after_it_does(tmp_path: Path) -> None:
    by, state = chance(), tmp_path / "state"
    (tmp_path / "project").mkdir()
    run("call", "list_files", '{"path": "."}', "--project", tmp_path / "project", "--state", state)
    for number in range(tries(3, 60)):
        count()
        words = [sys.executable, "-c", ADDING, str(state), str(number)]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            with pytest.raises(subprocess.TimeoutExpired):
                writer.wait(by.uniform(0.02, 0.3))
            writer.kill()
        result = verify(state)
        assert result.is_intact, told(result)
    name = by.choice(["agents.json", "trusted.json"])
    content = (state / name).read_bytes()
    (state / name).write_bytes(content + b" ")
    assert not verify(state).is_intact


@pytest.mark.trial("revocations")
def test_no_call_that_begins_after_an_agent_was_removed_is_answered(rig: Rig) -> None:
    for number in range(tries(1, 20)):
        count()
        name = f"raced-{number}"
        token, is_over, late = rig.issue(name), threading.Event(), list[int]()

        def calls(token: str = token, is_over: threading.Event = is_over, late: list[int] = late) -> None:
            for _ in range(2000):
                is_late = is_over.is_set()
                status = rig.call(token, "list_files", {"path": "."}).status_code
                if is_late:
                    late.append(status)
                    return

        callers = [threading.Thread(target=calls) for _ in range(3)]
        for caller in callers:
            caller.start()
        rig.revoke(name)
        is_over.set()
        for caller in callers:
            caller.join(60)
        assert late == [401] * 3


@pytest.mark.trial("identity")
def test_no_pair_of_a_token_and_a_name_that_do_not_belong_together_joins_as_a_browser(rig: Rig) -> None:
    by = chance()
    browsers = [f"browser-{number}" for number in range(3)]
    tokens = {browser_token(rig.state, name): name for name in browsers}
    strangers = [str(rig.server["token"]), rig.issue("stranger"), "", "hra_" + "A" * 43]
    for _ in range(tries(6, 150)):
        count()
        token = by.choice([*tokens, *strangers])
        name = by.choice([*browsers, "browser-of-nobody", "../browser-0", "BROWSER-0", "browser-0 "])
        token, own = by.choice([token, token, f" {token}", token[:-1]]), tokens.get(token)
        is_own = own == name and token in tokens
        assert stays_out(rig, token=token, clientId=name) is not is_own, (token, name)


@pytest.mark.trial("sessions")
def test_no_request_with_one_secret_missing_changed_or_of_another_session_is_answered(rig: Rig) -> None:
    by = chance()
    one, other = rig.sign_in(), rig.sign_in()
    assert rig.ask("GET", "/api/access", headers=one).status_code == 200
    wrong = {
        "cookie": [
            "",
            one["cookie"][:-1],
            other["cookie"],
            one["cookie"].upper(),
            f"{one['cookie']}; {other['cookie']}",
        ],
        "x-handrail-page": ["", other["x-handrail-page"], one["x-handrail-page"][:-1], one["cookie"].partition("=")[2]],
        "host": ["evil.test", "localhost.evil.test", f"127.0.0.1:{rig.server['port'] + 1}", ""],
        "origin": ["http://evil.test", "null", rig.address.replace("http:", "https:"), f"{rig.address}0"],
    }
    for _ in range(tries(25, 600)):
        count()
        name = by.choice([*wrong])
        headers = {**one, name: by.choice(wrong[name])}
        if not headers[name]:
            del headers[name]
        if name == "origin" or (name == "host" and "host" not in headers):
            answer = rig.ask("POST", "/api/session/code", headers=headers)
        else:
            answer = rig.ask("GET", "/api/access", headers=headers)
        assert answer.status_code in (400, 401, 403, 421), (name, headers.get(name))


WRAPPERS = (
    ["sh", "-c", "{}; true"], ["env", "-i", "PATH=/usr/bin:/bin", "sh", "-c", "{}"], ["nohup", "sh", "-c", "{}"],
    ["setsid", "--wait", "sh", "-c", "{}"], ["timeout", "20", "sh", "-c", "{}"], ["nice", "sh", "-c", "{}"],
    ["script", "-q", "-e", "-c", "{}", "/dev/null"], ["bash", "-c", "{}"],
)  # fmt: skip


@pytest.mark.trial("terminals", is_long=True)
def test_no_chain_of_programs_makes_an_agents_command_count_as_a_persons(tmp_path: Path) -> None:
    by = chance()
    for number in range(tries(2, 30)):
        count()
        folder = tmp_path / f"{number}"
        (folder / "state").mkdir(parents=True, mode=0o700)
        stage = Stage(folder)
        command = stage.looking
        for _ in range(by.randint(1, 4)):
            command = shlex.join([word.replace("{}", command) for word in by.choice(WRAPPERS)])
        opening = stage.in_window(command) if by.random() < 0.7 else ["sh", "-c", command]
        opening = ["setsid", "--fork", *opening] if by.random() < 0.5 else opening
        try:
            outcome = stage.run(agents_window(stage, ends=by.random() < 0.5, opening=opening))
            assert "program" not in outcome, (opening, outcome)
        finally:
            for pid in stage.started:
                os.killpg(pid, signal.SIGKILL)
