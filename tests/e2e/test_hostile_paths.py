"""Thousands of hostile paths in one session: each gets an error of the right family, nothing outside is touched."""

import itertools
import json
import threading
import unicodedata
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.e2e.servers import Server, audit_records, leftovers, serving
from tests.effort import chance, count, tries
from tests.wire.clients import Json
from tests.wire.stage import START, put

CLIMBS = [
    "..",
    "../..",
    "../../../../../../../..",
    ".../..",
    "./..",
    "..//..",
    "game/..",
    "game/scene/../..",
    "x/../..",
]
ENCODED = ["%2e%2e", "%2E%2E", ".%2e", "%2e.", "%252e%252e", "%25252e%25252e", "..%2f", "%2e%2e%2f", "..%5c", "..%252f"]
ROOTS = [
    "/",
    "//",
    "///",
    "/./",
    "~",
    "~/",
    "~root/",
    "C:/",
    "c:/",
    "Z:/",
    "\\",
    "\\\\host\\share\\",
    "C:\\",
    "/proc/self/root/",
]
CLOSED = [".git", ".GIT", ".Git", ".git.", ".git ", ".git::$DATA", ".g\u200dit", "\uff0egit", ".%67it", "node_modules"]
CLOSED += [
    "NODE_MODULES",
    ".env",
    ".ENV",
    ".handrail",
    ".Handrail",
    ".webgal_agent",
    ".WEBGAL_AGENT.",
    ".hand\u00adrail",
]
SECRET_NAMES = {".npmrc", ".netrc", "_netrc", ".pypirc", ".pgpass", ".git-credentials", ".htpasswd", ".ssh", ".aws"}
SECRET_NAMES |= {".gnupg", ".azure", ".boto", ".s3cfg", ".vault-token", ".dockercfg", ".dockerconfigjson", "kubeconfig"}
SECRET_NAMES |= {"credentials.json", "application_default_credentials.json"}
SECRET_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kubeconfig")
SECRET_BEGINNINGS = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
OURS = [".handrail-0123456789abcdef.tmp", ".HANDRAIL-x.TMP", ".handrail-x.old.tmp"]
SENSELESS = ["a\0b", "\0", "x" * 256, "\u7ebf" * 86, "a/" * 2050, "y" * 5000, ("z" * 255 + "/") * 17]
LINKS = ["link", "link/secret.txt", "link/new.txt", "game/up", "game/up/secret.txt", "loop", "loop/x", "dangling"]
ODD = [
    "-rf",
    "--help",
    "a b",
    "a\nb",
    "a\r",
    "$(id)",
    "`id`",
    "'",
    '"',
    ";id",
    "|id",
    "*",
    "?",
    "[a]",
    "{a,b}",
    "&",
    "!",
]
ODD += [
    "\u202e",
    "\u200b",
    "\x1b[2J",
    "con",
    "nul",
    "a:b",
    "%",
    "%zz",
    "%00x"[:1],
    "...",
    " ",
    ".",
    "",
    "\ufeff",
    "e\u0301",
]
TAILS = [
    "",
    "secret.txt",
    "project-evil/secret.txt",
    "etc/passwd",
    "game/scene/start.txt",
    "x/y/z",
    ".",
    "/",
    "..",
    "%2e",
]


def paths() -> list[str]:
    """Returns more than 3000 different paths."""
    names: dict[str, None] = {}
    for head, tail in itertools.product([*CLIMBS, *ENCODED, *ROOTS, *CLOSED, *OURS, *LINKS, *ODD], TAILS):
        for path in (
            f"{head}/{tail}",
            f"{head}{tail}",
            f"game/{head}/{tail}",
            f"./{head}/{tail}",
            f"a/b/{head}/{tail}",
        ):
            names[path] = None
    names |= dict.fromkeys(SENSELESS)
    names |= dict.fromkeys(f"game/{path}" for path in SENSELESS)
    return list(names)


def codes_for(path: str) -> set[str | None]:
    """What contract 3 and the rulings allow as an answer, worked out anew and without a look at handrail's own code.

    None is success. Where several rules are broken at once, either code is right.
    """
    names = [name for name in path.split("/") if name not in ("", ".")]
    allowed: set[str | None] = set()
    if "\0" in path or len(path.encode()) > 4096 or any(len(name.encode()) > 255 for name in names) or path == "":
        allowed.add("E_BAD_ARGS")
    plain = [fully_decoded(name) for name in names]
    if (
        path.startswith("/")
        or "\\" in path
        or (
            names
            and (names[0].startswith("~") or (names[0][1:] == ":" and names[0][0].isascii() and names[0][0].isalpha()))
        )
        or any(name == ".." or "/" in name or "\\" in name or "\0" in name for name in plain)
        or any(folded(name) in {".git", "node_modules", ".env", ".handrail", ".webgal_agent"} for name in plain)
        or any(folded(name).startswith(".handrail-") and folded(name).endswith(".tmp") for name in plain)
        or any(holds_secrets(folded(name)) for name in plain)
        or is_linked(names)
    ):
        allowed.add("E_DENY_PATH")
    return allowed or {None, "E_NOT_FOUND", "E_IO", "E_POLICY_VIOLATION", "E_BAD_ARGS" if not names else "E_NOT_FOUND"}


def holds_secrets(name: str) -> bool:
    """The files that are closed by name according to docs/settings.md, except pairs of folder and file."""
    if name.startswith(".env."):
        return not name.endswith((".example", ".sample", ".template"))
    return name in SECRET_NAMES or name.endswith(SECRET_ENDINGS) or name.startswith(SECRET_BEGINNINGS)


def is_linked(names: list[str]) -> bool:
    return bool(names) and (names[0] in ("link", "loop", "dangling") or names[:2] == ["game", "up"])


def fully_decoded(name: str) -> str:
    while (decoded := unquote(name)) != name:
        name = decoded
    return name


def folded(name: str) -> str:
    visible = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf")
    return visible.casefold().split(":")[0].rstrip(". ")


CALLS: list[tuple[str, Json]] = [
    ("read_file", {}),
    ("list_files", {}),
    ("list_files", {"globs": ["**/*"]}),
    ("write_to_file", {"content": "escaped", "dryRun": True}),
    ("write_to_file", {"content": "escaped", "dryRun": False}),
    ("replace_in_file", {"find": "secret", "replace": "escaped"}),
    ("search_files", {"regex": "secret"}),
]
CHEAP = [call for call in CALLS if call[0] != "search_files"]


def stage(project: Path) -> Path:
    """A project with links, and next to it a folder that no tool may see."""
    outside = project.parent / "project-evil"
    put(outside, "secret.txt", "secret")
    put(project, ".git/config", "secret")
    put(project, ".env", "secret")
    (project / "link").symlink_to(outside)
    (project / "game/up").symlink_to("../..")
    (project / "loop").symlink_to("loop")
    (project / "dangling").symlink_to("nowhere")
    return outside


def tree(folder: Path) -> dict[str, bytes | None]:
    """Returns all names and contents without following links or handrail's own files."""
    matches: dict[str, bytes | None] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if not name.startswith((".webgal_agent", ".handrail")):
            matches[name] = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    return matches


def answers(server: Server, calls: list[tuple[str, Json]]) -> list[Json]:
    """Sends all calls at once and returns the answers in the calls' order."""

    def send() -> None:
        for number, (tool, params) in enumerate(calls):
            message = {"name": tool, "arguments": params}
            server.send({"jsonrpc": "2.0", "id": f"n{number}", "method": "tools/call", "params": message})

    sender = threading.Thread(target=send)
    sender.start()
    received = {answer["id"]: answer for answer in (server.receive() for _ in calls)}
    sender.join()
    return [received[f"n{number}"] for number in range(len(calls))]


def code_of(answer: Json) -> str | None:
    result = answer["result"]
    if not result.get("isError"):
        assert "secret" not in json.dumps(result.get("structuredContent", {}).get("content", ""))
        return None
    return str(json.loads(result["content"][0]["text"])["error"]["code"])


@pytest.mark.trial("hostile paths")
def test_each_of_thousands_of_hostile_paths_gets_its_code_and_nothing_is_touched(project: Path, state: Path) -> None:
    outside = stage(project)
    hostile = paths()
    assert len(hostile) >= 3000
    assert len(set(hostile)) == len(hostile)
    shuffled = chance().sample(hostile, tries(800, len(hostile)))
    calls = [
        (tool, {"path": path, **more}) for path, (tool, more) in zip(shuffled, itertools.cycle(CHEAP), strict=False)
    ]
    calls += [("search_files", {"path": path, "regex": "secret"}) for path in shuffled[:150]]
    before, before_outside = tree(project), tree(outside)
    count(len(calls))
    with serving(project, state) as server:
        wrong = [
            (tool, params["path"], code)
            for (tool, params), answer in zip(calls, answers(server, calls), strict=True)
            if (code := code_of(answer)) not in codes_for(params["path"])
        ]
        assert wrong == []
        assert server.ok("read_file", path=START)["content"] == (project / START).read_text()
    after = tree(project)
    assert {name: after.get(name) for name in before} == before
    assert {content for name, content in after.items() if name not in before} <= {None, b"escaped"}, "merely odd names"
    assert tree(outside) == before_outside
    assert leftovers(project) == []
    audit_records(state)


_pieces = [
    *CLIMBS,
    *ENCODED,
    *ROOTS,
    *CLOSED,
    *LINKS,
    *ODD,
    "/",
    "//",
    "game",
    "scene",
    "start.txt",
    "\0",
    "secret.txt",
]
_hostile = st.lists(st.sampled_from(_pieces), min_size=1, max_size=6).map("".join) | st.text(max_size=40)


@pytest.mark.trial("properties")
def test_every_hostile_path_gets_an_error_code_of_the_right_family(project: Path, state: Path) -> None:
    outside = stage(project)
    before_outside = tree(outside)
    with serving(project, state) as server:

        @settings(max_examples=tries(8, 150), suppress_health_check=[HealthCheck.too_slow])
        @given(st.lists(_hostile, min_size=20, max_size=40))
        def try_all(paths: list[str]) -> None:
            calls = [(tool, {"path": path, **more}) for path, (tool, more) in zip(paths, itertools.cycle(CHEAP))]
            count(len(calls))
            for (tool, params), answer in zip(calls, answers(server, calls), strict=True):
                code = code_of(answer)
                allowed = codes_for(params["path"])
                if None in allowed:  # several writes to the same path at once
                    allowed.add("E_CONFLICT")
                assert code in allowed, (tool, params["path"], code)

        try_all()
    assert tree(outside) == before_outside
