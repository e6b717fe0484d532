"""The composition: the only place that knows everybody. What the command line and the Python API need is named here."""

from handrail.features.workspace.backends.ripgrep import program as ripgrep_program
from handrail.stores.local.display import has_display, open_in_browser
from handrail.stores.local.files.beneath import has_openat2
from handrail.stores.local.person import user_name
from handrail.wiring.app_desk import AppDesk, open_app_desk
from handrail.wiring.approving import InQueue
from handrail.wiring.apps import descriptor_problems
from handrail.wiring.browsers import (
    ask_server,
    chromium_program,
    connected_browsers,
    extension_folder,
    launch_browser,
    open_bus,
    preview_program,
    remote_bus,
)
from handrail.wiring.desktops import closing, desktop_checkup, through
from handrail.wiring.editing import serve_editor
from handrail.wiring.engines import describe_engine
from handrail.wiring.house import SURFACES, House, check_surfaces, describe, open_house
from handrail.wiring.models import open_models
from handrail.wiring.records import (
    open_audit,
    open_queue,
    policy_file,
    policy_in_force,
    state_format,
    trust_policy,
    watching_queue,
)
from handrail.wiring.reporting import task_summaries, write_report
from handrail.wiring.secrets import open_secrets
from handrail.wiring.server import console_key, running_server
from handrail.wiring.serving import serve_http, serve_stdio
from handrail.wiring.web_apps import add_web_app, read_web_app

__all__ = [
    "SURFACES",
    "AppDesk",
    "House",
    "InQueue",
    "add_web_app",
    "ask_server",
    "check_surfaces",
    "chromium_program",
    "closing",
    "connected_browsers",
    "console_key",
    "describe",
    "describe_engine",
    "descriptor_problems",
    "desktop_checkup",
    "extension_folder",
    "has_display",
    "has_openat2",
    "launch_browser",
    "open_app_desk",
    "open_audit",
    "open_bus",
    "open_house",
    "open_in_browser",
    "open_models",
    "open_queue",
    "open_secrets",
    "policy_file",
    "policy_in_force",
    "preview_program",
    "read_web_app",
    "remote_bus",
    "ripgrep_program",
    "running_server",
    "serve_editor",
    "serve_http",
    "serve_stdio",
    "state_format",
    "task_summaries",
    "through",
    "trust_policy",
    "user_name",
    "watching_queue",
    "write_report",
]
