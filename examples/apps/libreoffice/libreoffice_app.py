"""LibreOffice through UNO, on stdin and stdout. Runs under the system's Python, which has UNO, and so uses only the
standard library: an example of an app that implements the contract by hand.

It starts a separate, headless LibreOffice, with a temporary profile and a pipe of its own. A LibreOffice that the user
has open is never touched.
"""

import contextlib
import json
import logging
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException

DESCRIPTOR = json.loads(Path(__file__).with_name("aai.json").read_text(encoding="utf-8"))
PARAMETERS = {tool["name"]: tool["parameters"] for tool in DESCRIPTOR["tools"]}
TYPES: dict[str, type] = {"string": str, "integer": int, "boolean": bool}
FILTERS = {".pdf": "writer_pdf_Export", ".odt": "writer8", ".docx": "MS Word 2007 XML"}
logger = logging.getLogger("libreoffice_app")
_START_WITHIN = 60.0
_RESTART_STATUS = 81  # the exit status of an office that has set up its profile and must be started again


class Refusal(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Office:
    """Starts with the first document and ends with this process. Its public methods are the descriptor's tools."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._profile = ""
        self._desktop: Any = None
        self._documents: dict[str, Any] = {}

    def open_document(self, path: str) -> dict[str, Any]:
        file = absolute(path)
        if not file.is_file():
            raise Refusal("NO_SUCH_FILE", f"There is no file {path}.")
        if self._process is None or self._process.poll() is not None:
            self.end()
            self._start()
        # As a template, so that the file is neither locked nor written; without macros and links.
        options = values(Hidden=True, AsTemplate=True, MacroExecutionMode=0, UpdateDocMode=0)
        document = self._desktop.loadComponentFromURL(uno.systemPathToFileUrl(str(file)), "_blank", 0, options)
        if document is None or not document.supportsService("com.sun.star.text.TextDocument"):
            if document is not None:
                document.close(True)
            raise Refusal("NO_TEXT_DOCUMENT", f"{path} isn't a text document.")
        name = f"doc_{secrets.token_hex(4)}"
        self._documents[name] = document
        return {"document": name, "title": file.name, "characters": len(document.Text.String)}

    def read_text(self, document: str, start: int = 0, length: int = 20_000) -> dict[str, Any]:
        text = self._document(document).Text.String
        return {"text": text[start : start + length], "characters": len(text)}

    def replace_text(self, document: str, find: str, replace: str, match_case: bool = True) -> dict[str, Any]:
        search = self._document(document).createReplaceDescriptor()
        search.SearchString, search.ReplaceString, search.SearchCaseSensitive = find, replace, match_case
        return {"replaced": self._document(document).replaceAll(search)}

    def export_document(self, document: str, path: str, overwrite: bool = False) -> dict[str, Any]:
        file, opened = absolute(path), self._document(document)
        if file.suffix.lower() not in FILTERS:
            raise Refusal("UNKNOWN_FORMAT", f"{path} ends in none of {', '.join(FILTERS)}.")
        if not file.parent.is_dir():
            raise Refusal("NO_SUCH_FOLDER", f"There is no folder {file.parent}.")
        draft = file.with_name(f".{secrets.token_hex(6)}{file.suffix}")
        try:  # written to a temporary file first, so that it is complete or absent
            opened.storeToURL(uno.systemPathToFileUrl(str(draft)), values(FilterName=FILTERS[file.suffix.lower()]))
            (os.replace if overwrite else os.link)(draft, file)
        except FileExistsError:
            raise Refusal("FILE_EXISTS", f"{path} exists already; set `overwrite` to replace it.") from None
        finally:
            draft.unlink(missing_ok=True)
        return {"path": str(file), "bytes": file.stat().st_size}

    def close_document(self, document: str) -> dict[str, Any]:
        self._document(document).close(True)
        del self._documents[document]
        return {}

    def end(self) -> None:
        self._documents.clear()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        if self._profile:
            shutil.rmtree(self._profile, ignore_errors=True)

    def _document(self, name: str) -> Any:
        if name not in self._documents:
            raise Refusal("NO_SUCH_DOCUMENT", f"{name!r} isn't open. Use the name that open_document returned.")
        return self._documents[name]

    def _start(self) -> None:
        program = shutil.which("soffice")
        if program is None:
            raise Refusal("SERVICE_UNAVAILABLE", "LibreOffice is not installed.")
        for leftover in Path(tempfile.gettempdir()).glob("libreoffice-app-*"):  # left by a process that was killed
            if not Path("/proc", leftover.name.split("-")[2]).exists():
                shutil.rmtree(leftover, ignore_errors=True)
        self._profile = tempfile.mkdtemp(prefix=f"libreoffice-app-{os.getpid()}-")
        pipe = f"pipe,name=app-{secrets.token_hex(8)};urp"
        words = [str(Path(program).resolve().with_name("soffice.bin"))]  # the program itself, not its start script
        words += ["--headless", "--norestore", "--nologo", "--nodefault", "--nofirststartwizard"]
        words += [f"-env:UserInstallation={uno.systemPathToFileUrl(self._profile)}", f"--accept={pipe}"]
        environ = {**os.environ, "SAL_USE_VCLPLUGIN": "svp"}
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
        deadline = time.monotonic() + _START_WITHIN
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() == _RESTART_STATUS:
                self._process = subprocess.Popen(words, env=environ, stdin=subprocess.DEVNULL)
            with contextlib.suppress(NoConnectException):
                context = resolver.resolve(f"uno:{pipe};StarOffice.ComponentContext")
                self._desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
                return
            time.sleep(0.05)
        raise Refusal("SERVICE_UNAVAILABLE", "LibreOffice doesn't start.")


def absolute(path: str) -> Path:
    if not os.path.isabs(path) or "\0" in path:
        raise Refusal("INVALID_PARAMS", f"path: {path!r} isn't an absolute path.")
    return Path(path)


def values(**options: Any) -> tuple[Any, ...]:
    return tuple(PropertyValue(Name=name, Value=value) for name, value in options.items())


def check(params: dict[str, Any], schema: dict[str, Any]) -> None:
    """Supports the part of JSON Schema that this descriptor uses."""
    for name in [*schema["required"], *params]:
        rule = schema["properties"].get(name)
        if rule is None or name not in params:
            raise Refusal("INVALID_PARAMS", f"{name}: " + ("is missing." if rule else "there is no such field."))
        value: Any = params[name]
        if type(value) is not TYPES[rule["type"]]:
            raise Refusal("INVALID_PARAMS", f"{name}: must be of the type {rule['type']}.")
        size = value if isinstance(value, int) else len(str(value))
        if not rule.get("minimum", rule.get("minLength", size)) <= size <= rule.get("maximum", size):
            raise Refusal("INVALID_PARAMS", f"{name}: is too small or too large.")


def answer(office: Office, line: bytes) -> str:
    reply: dict[str, Any] = {"version": "1.0", "request_id": "", "status": "error"}
    try:
        try:
            request = json.loads(line)
            tool, params, reply["request_id"] = request["tool"], request["params"], str(request["request_id"])
            if not isinstance(params, dict) or not str(request["version"]).startswith("1."):
                raise TypeError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Refusal("INVALID_REQUEST", "This isn't a valid request.") from None
        if tool not in PARAMETERS:
            raise Refusal("UNKNOWN_TOOL", f"There is no tool {tool!r}.")
        check(params, PARAMETERS[tool])
        reply |= {"status": "success", "result": getattr(office, tool)(**params)}
    except Refusal as refusal:
        reply["error"] = {"code": refusal.code, "message": str(refusal)}
    except Exception:
        logger.exception("%s failed", line[:200])
        reply["error"] = {"code": "INTERNAL_ERROR", "message": "LibreOffice could not do that."}
    return json.dumps(reply)


def main() -> None:
    office = Office()
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # keeps what the office prints out of the replies
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        for line in sys.stdin.buffer:
            print(answer(office, line), file=wire, flush=True)
    finally:
        office.end()


if __name__ == "__main__":
    main()
