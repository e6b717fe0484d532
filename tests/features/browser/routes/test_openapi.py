"""The described API is the served one: schemathesis sends what the document allows and what it forbids."""

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.effort import SEED, tries
from tests.faces.http.running import Running
from tests.features.browser.routes.browser import bus_key

SCHEMATHESIS = Path(sysconfig.get_path("scripts"), "schemathesis")

# Left out: `positive_data_acceptance`, because a well-formed task, code or artifact need not exist.
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance,negative_data_rejection,ignored_auth,unsupported_method,missing_required_header"
)


def test_the_document_names_every_route_of_the_contract(server: Running) -> None:
    paths = server.request("GET", "/api/openapi.json").json["paths"]
    assert {
        "/api/task/id", "/api/task/list", "/api/task/{taskId}", "/api/snapshot", "/api/extension/extension-id",
        "/api/extension/extension-list", "/api/artifacts/presign", "/api/artifacts/{artifactId}",
        "/api/artifacts/{artifactId}/upload",
    } <= set(paths)  # fmt: skip


def for_programs(document: Any) -> Any:
    """Without the cookie, which a program does not have: where it is one of two ways, the token is the other."""
    for operation in (operation for path in document["paths"].values() for operation in path.values()):
        operation["security"] = [way for way in operation["security"] if "cookie" not in way]
    return document


@pytest.mark.trial("properties", is_long=True)
@pytest.mark.timeout(900)
def test_the_server_behaves_as_its_openapi_document_says(server: Running, tmp_path: Path) -> None:
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(for_programs(server.request("GET", "/api/openapi.json").json)))
    headers = [f"{name.title()}: {value}" for name, value in bus_key(server).items()]
    run = subprocess.run(
        [
            SCHEMATHESIS, "run", document, "--url", server.address, "--checks", CHECKS,
            "--max-examples", str(tries(4, 40)),
            "--phases", "examples,coverage,fuzzing", "--seed", str(SEED), "--no-color", "--generation-database", "none",
            *(part for header in headers for part in ("--header", header)),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=880,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    assert server.request("GET", "/health").status == 200
