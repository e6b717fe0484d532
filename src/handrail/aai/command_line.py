"""An app's command line: serve, install, uninstall, describe."""

import argparse
import asyncio
import json
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.aai.serving import CantServe

if TYPE_CHECKING:
    from handrail.aai.app import App

_BUS_WITHIN = 2.0
_HAS_BUS = sys.platform != "darwin"


def run(app: "App", argv: Sequence[str], *, idle: float | None) -> None:
    options = _parser(app).parse_args(argv)
    try:
        if options.describe:
            print(json.dumps(app.describe(stdio=_stdio_command(options)), ensure_ascii=False, indent=2))
        elif options.install:
            _install(app, options)
        elif options.uninstall:
            for path in app.uninstall():
                print(f"removed {path}")
        else:
            # Logs go to stderr, which the bus's journal or the gateway stores.
            logging.basicConfig(format=f"{app.id}: %(message)s")
            asyncio.run(_serve(app, options.stdio, idle if options.idle is None else options.idle))
    except (CantServe, ValueError, OSError) as error:
        sys.exit(f"{app.id}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def own_command() -> list[str]:
    """The command that starts this program again."""
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    if spec is not None and spec.parent:  # part of a package, which can't be started by its file
        return [sys.executable, "-m", spec.name.removesuffix(".__main__")]
    file = getattr(main, "__file__", None)
    if file is None:
        raise ValueError("This Python has no program to install; give its `command`.")
    return [sys.executable, os.path.abspath(file)]


def _parser(app: "App") -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=f"{app.name}: {app.description} Without options, it serves on D-Bus.")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--install", action="store_true", help="let agents find this app")
    what.add_argument("--uninstall", action="store_true", help="undo --install")
    what.add_argument("--describe", action="store_true", help="print the descriptor")
    parser.add_argument("--stdio", action="store_true", help="serve on stdin and stdout, one message per line")
    parser.add_argument("--idle", type=_seconds, metavar="SECONDS", help="exit after this many seconds without a call")
    return parser


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError("more than 0 seconds")
    return seconds


def _stdio_command(options: argparse.Namespace) -> list[str] | None:
    return [*_with_idle(options), "--stdio"] if options.stdio or not _HAS_BUS else None


def _with_idle(options: argparse.Namespace) -> list[str]:
    return own_command() if options.idle is None else [*own_command(), "--idle", f"{options.idle:g}"]


def _install(app: "App", options: argparse.Namespace) -> None:
    written: list[Path] = app.install(stdio=options.stdio or not _HAS_BUS, command=_with_idle(options))
    for path in written:
        print(f"wrote {path}")
    if _HAS_BUS and not options.stdio:
        from handrail.aai.dbus import reload_services

        asyncio.run(reload_services(_BUS_WITHIN))


async def _serve(app: "App", stdio: bool, idle: float | None) -> None:
    if stdio:
        from handrail.aai.stdio import serve

        await serve(app.answer, idle=idle)
        return
    if not _HAS_BUS:
        raise CantServe("macOS has no session bus: serve with --stdio, or answer Apple Events in the app itself.")
    app.check_bus_name()
    from handrail.aai import dbus

    await dbus.serve(app.id, app.answer, idle=idle)
