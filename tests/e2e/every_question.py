"""Every tool that asks, asking at once. Agents, pages and apps write in Greek, so any English is handrail's own."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from handrail.kernel.call import Call, new_execution_id
from handrail.kernel.queue_approver import AskInQueue
from handrail.ports.errors import Failure, Unacknowledged
from handrail.ports.identity import Caller
from handrail.wiring import Wiring
from tests.credentials import browser_token
from tests.e2e.console_person import up
from tests.features.gateway.rig import Rig as Gateway
from tests.features.gateway.rig import odd_command
from tests.waiting import PATIENCE, until
from tests.wire.clients import Json
from tests.wire.scripted_browser import CLIENT_ID, PIXEL, ScriptedBrowser, Site, button
from tests.wire.stage import furnish, put

ROOT = Path(__file__).parents[2]
PAGE = "http://selida.test/"
LONG = "λ" * 500
SHOWN = {
    "destination": {"method": "POST", "url": f"{PAGE}αγορά", "by": "button"},
    "fields": [{"name": f"πεδίο{at}", "kind": "hidden", "value": LONG, "length": 900} for at in range(62)],
    "near": ["κοντά του"],
    "frames": [{"where": where, "text": "πλαίσιο"} for where in ("around", "beside") * 4],
}
APP = {
    "schema_version": "1.0",
    "app": {"id": "com.example.app", "name": "Εφαρμογή", "description": "Κάνει κάτι."},
    "execution": {"type": "stdio", "command": sys.executable, "args": ["-c", ""]},
    "tools": [
        {
            "name": "send_it",
            "description": "Στέλνει ένα μήνυμα.",
            "parameters": {"type": "object", "properties": {"κείμενο": {"type": "string"}}},
            "returns": {"type": "object"},
        }
    ],
}
NOTES = {"selector": {"titleContains": "Save"}}


class TellingBrowser(ScriptedBrowser):
    """Reports everything that a browser can report about an element."""

    async def _browser_screenshot(self, params: Json, message: Json) -> Json:
        result = await super()._browser_screenshot(params, message)
        return {**result, "shown": SHOWN} if "asking" in params else result


def calls(project: Path) -> list[tuple[str, Json]]:
    """At least one call of each tool that asks, and of each variant of its question."""
    element = {"clickId": "1"}
    shell = "FOO=1 make κ; . ./ρύθμιση; eval $Α; cd $Β; curl $Γ > package.json; cat ~/.ssh/id_rsa > $Δ; f() { ls; }"
    uncertain = {"path": str(project / "α.md"), "edits": [{"old": "ψ", "new": "ζ"}]}
    asked_by_agent = {"agent": "Ερμής", "title": "Γράφει", "kind": "edit", "input": "{}", "locations": ["α.md"]}
    return [
        ("write_to_file", {"path": "νέο.md", "content": "α\n", "dryRun": False}),
        ("write_to_file", {"path": "package.json", "content": "{}\n", "dryRun": False}),
        ("edit_file", {"path": "α.md", "edits": [{"oldText": "α\nα", "newText": "β"}]}),
        ("replace_in_file", {"path": "α.md", "find": "α", "replace": "γ"}),
        ("write_files", {"files": [{"path": "δ.md", "content": "δ"}, {"path": ".envrc", "content": "ε"}]}),
        ("make_folder", {"path": "φάκελος"}),
        ("move_path", {"path": "α.md", "to": "ω.md"}),
        ("copy_path", {"path": "α.md", "to": "χ.md"}),
        ("delete_path", {"path": "κουτί", "recursive": True}),
        ("delete_path", {"path": "α.md"}),
        ("generate_character_profile", {"name": "Ερμής", "imageFile": "ermis.png"}),
        ("native_shell", {"command": "ls /", "cwd": str(project)}),
        ("native_shell", {"command": shell, "cwd": str(project)}),
        ("native_shell", {"command": "ναι", "cwd": str(project), "isInput": True}),
        ("native_edit", {"files": [{"path": str(project / "α.md"), "content": "ζ\n"}]}),
        ("native_edit", {"files": [uncertain, {"path": "/tmp/έξω.md", "content": "η"}]}),
        ("native_fetch", {"url": "https://example.org/α"}),
        ("native_mcp", {"server": "διακομιστής", "tool": "εργαλείο", "arguments": {"α": 1}}),
        ("native_other", {"tool": "Εργαλείο", "input": {"α": 1}}),
        ("native_read", {"path": "/etc/hosts"}),
        ("net_connect", {"scheme": "https", "host": "example.org", "port": 443}),
        ("net_publish", {"port": 5173, "outside": 5174}),
        ("agent_permission", {**asked_by_agent, "changes": [{"path": "α.md", "new_text": "β"}]}),
        ("apps_call", {"app": "com.example.app", "tool": "send_it", "params": {"κείμενο": "γεια"}}),
        ("hermes.say", {"text": "γεια"}),
        ("task_start", {"url": "http://άλλη.test/"}),
        ("task_group_update", {"title": "ομάδα"}),
        ("browser_navigate", {"url": PAGE}),
        ("browser_tab_open", {"url": PAGE}),
        ("browser_tab_switch", {"tabId": 101}),
        ("browser_tab_close", {"tabId": 101}),
        *((name, {}) for name in ("browser_go_back", "browser_go_forward", "browser_reload", "browser_scroll")),
        ("browser_click", {**element, "clicks": 2, "modifiers": ["Shift"]}),
        ("browser_click", {"x": 3, "y": 4}),
        ("browser_type", {"text": "γεια"}),
        ("browser_type", {**element, "text": "γεια", "submit": True}),
        ("browser_press_key", {"key": "Enter"}),
        ("browser_select_option", {**element, "values": ["α"]}),
        ("browser_select_text", {**element}),
        ("browser_hover", element),
        ("browser_drag", {**element, "dx": 3, "dy": 4}),
        ("browser_fill", {"fields": [{"clickId": "1", "value": "γεια"}]}),
        ("browser_upload", {**element, "paths": ["α.md"]}),
        ("desktop_click", {"target": NOTES}),
        ("desktop_click", {"target": {"point": {"x": 1, "y": 1}}}),
        ("desktop_type_text", {"text": "γεια"}),
        ("desktop_hotkey", {"keys": ["ctrl", "s"]}),
        ("desktop_set_value", {"target": {"selector": {"byRole": "AXTextField"}}, "value": "γεια"}),
        ("desktop_pointer", {"gesture": "scroll", "target": NOTES, "down": 3}),
        ("desktop_menu", {"path": ["Αρχείο", "Έξοδος"]}),
        ("desktop_window", {"action": "close"}),
        ("desktop_launch", {"app": "gedit", "file": "α.md"}),
        ("desktop_clipboard", {"action": "write", "text": "γεια"}),
        ("desktop_clipboard", {"action": "read"}),
        ("ask_followup_question", {"question": "Τι;"}),
        ("prompt_choices", {"title": "Τι;", "options": [{"value": "α"}, {"value": "β"}]}),
        ("prompt_key_values", {"title": "Τι;", "fields": [{"key": "α"}]}),
        ("attempt_completion", {"result": "Τέλος"}),
    ]


class EveryQuestion:
    """A running `handrail up`, a browser, a desktop, an app and an MCP server, with every question pending at once."""

    def __init__(self, folder: Path) -> None:
        gateway = Gateway(folder)
        self.project, self.state = gateway.project, gateway.state
        self._furnish()
        gateway.pin("hermes", odd_command("plain"), reads=False)
        host = [sys.executable, "-m", "tests.scripted_host", str(folder), str(self.state)]
        self._host = subprocess.Popen(host, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._host.stdout is not None
        assert self._host.stdout.readline() == "listening\n"
        self._stack = ExitStack()
        self.rig = self._stack.enter_context(up(self.project, self.state))
        self._browser = TellingBrowser(self.rig.address, browser_token(self.state, CLIENT_ID))
        self._browser.sites[PAGE] = Site([button("1", "Αποθήκευση")], title="Σελίδα")
        self._opened = Wiring().open_project(self.project, self.state, AskInQueue())
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._failures: list[str] = []
        self._asking: list[Future[None]] = []

    def _furnish(self) -> None:
        put(furnish(self.project), "game/figure/ermis.png", PIXEL)
        (self.project / "κουτί").mkdir()
        (self.project / "κουτί" / "ένα.md").write_text("ένα\n")
        (self.project / "α.md").write_text("α\nα\n")
        (self.project / "α.md").chmod(0o444)
        app = Path(os.environ["HOME"], ".aai", "com.example.app", "aai.json")
        app.parent.mkdir(parents=True)
        app.write_text(json.dumps(APP))
        (self.state / "config.toml").write_text(
            'presence = "never"\n[[rules]]\ntool = "task_start"\nhost = "selida.test"\ndecision = "allow"\n'
        )

    def ask(self) -> list[str]:
        """Starts the calls, each by an agent and in its own task, and returns the tools that wait for an answer."""
        questions = calls(self.project)
        for at, (tool, params) in enumerate(questions):
            self._asking.append(asyncio.run_coroutine_threadsafe(self._run(tool, params), self._loop))
            until(lambda: self._failures or self._waiting() > at, tool)  # noqa: B023 - it is over before the next one
            assert not self._failures, self._failures
        return [tool for tool, _ in questions]

    def _waiting(self) -> int:
        log = self.state / "ui-prompts.jsonl"
        return log.read_bytes().count(b'"action":"request"') if log.exists() else 0

    async def _run(self, tool: str, params: Json) -> None:
        own = str(uuid4())
        caller = Caller(_face(tool), "Ερμής/1", "pid:1", f"stdio:{own}", f"agent:{own}")
        try:
            if tool.startswith("browser_") and tool != "browser_tab_open":
                await self._opened.gate.run(Call("task_start", {"url": PAGE}, caller, own))
                tab = next(tab for tab, task in self._browser.tasks.items() if task == own)
                params = {name: tab if name == "tabId" else value for name, value in params.items()}
            if tool == "write_to_file":
                await self._opened.gate.run(Call(tool, {**params, "dryRun": True}, caller, own))
            await self._again(Call(tool, params, caller, own))
        except Failure as failure:
            self._failures.append(f"{tool} {params}: {failure.message}")

    async def _again(self, call: Call) -> None:
        """Retries if a busy machine took longer than a browser may."""
        try:
            await self._opened.gate.run(call)
        except Unacknowledged:
            await self._opened.gate.run(replace(call, execution_id=new_execution_id()))

    def close(self) -> None:
        for asking in self._asking:
            asking.cancel()
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(PATIENCE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()
        self._opened.close()
        self._browser.close()
        self._stack.close()
        self._host.terminate()
        self._host.communicate(timeout=PATIENCE)

    async def _end(self) -> None:
        async with self._opened.in_use():
            pass
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for other in others:
            other.cancel()
        await asyncio.gather(*others, return_exceptions=True)


def _face(tool: str) -> str:
    """Leaves out tools that can't be called this way, such as the native tools, which only hooks use."""
    return {"native": "hook", "net": "cage", "agent": "acp"}.get(tool.partition("_")[0], "mcp")
