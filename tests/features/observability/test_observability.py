"""Metrics and traces of a running server, as Prometheus and an OpenTelemetry collector get them."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from prometheus_client.parser import text_string_to_metric_families

from handrail.kernel.approval import NoApprover
from handrail.kernel.gate import Gate
from handrail.wiring import Wiring
from tests.e2e.console_person import up
from tests.faces.http.running import Running
from tests.features.notifications.receivers import HttpReceiver

SECRET = "hunter2-hunter2"
ALLOWED = """
[[rules]]
tool = "replace_in_file"
decision = "allow"
"""


@pytest.fixture(scope="module")
def collector() -> Iterator[HttpReceiver]:
    with HttpReceiver() as collector:
        yield collector


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory, collector: HttpReceiver) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("observed")
    (folder / "project").mkdir()
    (folder / "project" / f"{SECRET}.txt").write_text("old\n")
    (folder / "state").mkdir(mode=0o700)
    endpoint = f"{collector.origin}/v1/traces"
    (folder / "state" / "config.toml").write_text(f'metrics = true\ntraces_endpoint = "{endpoint}"\n{ALLOWED}')
    with up(folder / "project", folder / "state") as running:
        yield running


def metrics(rig: Running) -> dict[str, float]:
    answer = rig.request("GET", "/metrics", headers=rig.server_bearer)
    assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, "text/plain")
    assert SECRET not in answer.body.decode()
    families = text_string_to_metric_families(answer.body.decode())
    return {f"{one.name}{sorted(one.labels.items())}": one.value for family in families for one in family.samples}


def test_a_call_is_counted_and_traced_step_by_step_without_its_parameters(
    rig: Running, collector: HttpReceiver
) -> None:
    assert rig.request("GET", "/metrics").status == 403, "an agent's token"
    assert rig.request("GET", "/metrics", headers={}).status == 401
    edit = {"path": f"{SECRET}.txt", "find": "old", "replace": SECRET}
    assert rig.call("replace_in_file", edit).status == 200
    assert rig.call("read_file", {"path": "missing"}).status != 200
    samples = metrics(rig)
    written = [("decision", "allow"), ("effect", "WRITE"), ("outcome", "ok"), ("tool", "replace_in_file")]
    missing = [("decision", "allow"), ("effect", "READ"), ("outcome", "NotFound"), ("tool", "read_file")]
    assert (samples[f"handrail_calls_total{written}"], samples[f"handrail_calls_total{missing}"]) == (1, 1)
    assert samples["handrail_step_seconds_count[('step', 'run')]"] == 2
    assert (samples["handrail_calls_running[]"], samples["handrail_prompts_pending[]"]) == (0, 0)

    rig.stop()  # what was not sent yet is sent now
    spans = spans_of(collector)
    call = next(span for span in spans if span.name == "call replace_in_file")
    steps = [span.name for span in spans if span.parent_span_id == call.span_id]
    assert set(steps) == {"validate", "policy", "evidence", "run", "audit"}, "approval: a rule allowed it"
    attributes = {each.key: each.value.string_value for each in call.attributes}
    assert set(attributes) == {
        "handrail.tool", "handrail.face", "handrail.execution_id", "handrail.effect", "handrail.decision",
        "handrail.outcome",
    }  # fmt: skip
    assert not any(SECRET.encode() in body for body in bodies(collector))


def test_without_the_settings_nothing_is_measured_or_served(tmp_path: Path) -> None:
    project = Wiring().open_project(tmp_path, tmp_path / "state", NoApprover(), is_server=True)
    try:
        assert (type(project.gate), project.observer) == (Gate, None)
    finally:
        project.close()


def bodies(collector: HttpReceiver) -> list[bytes]:
    received = collector.at("/v1/traces")
    return [gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body for headers, body in received]


def spans_of(collector: HttpReceiver) -> list[Span]:
    requests = [ExportTraceServiceRequest.FromString(body) for body in bodies(collector)]
    return [
        span
        for request in requests
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
