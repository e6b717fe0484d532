"""What a person has allowed for good replaces the question: for that program, app and tool, as they were then."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from handrail.features.agent.user_message import caller
from handrail.features.apps.calls.consent import consent_to
from handrail.features.apps.model import ApiKey, App, AppTool, DBusExecution, HttpExecution
from handrail.kernel.call import Call
from handrail.kernel.gate import Gate
from handrail.kernel.target import Target
from handrail.kernel.tool import Preview
from handrail.ports.agent import Run
from handrail.ports.effect import Effect
from handrail.ports.errors import Declined
from handrail.ports.identity import Caller
from handrail.stores.local.rows import PermissionRows
from handrail.stores.local.state_tables import state_database
from handrail.stores.shared.consents import ConsentRows
from tests.kernel.gate_rig import AGENT, NOON, GateRig, echo, tool

SEND = AppTool(name="send_email", description="Sends an email.", parameters={"type": "object"})
READ = AppTool(name="list_emails", description="Lists emails.", parameters={"type": "object"})
MAIL = App(
    id="com.example.mail",
    name="Mail",
    description="Mail.",
    execution=DBusExecution(service="com.example.mail"),
    tools=(SEND, READ),
)
TO = consent_to(MAIL, SEND)


class Rig:
    """A gate with one tool that calls the app, and the consents that it looks at."""

    def __init__(self, folder: Path, rules: Sequence[dict[str, str]] = ()) -> None:
        self.shown = TO
        self.gate_rig = GateRig(folder, [tool("apps_call", self._work, Effect.EXECUTE, self._plan)], rules=rules)
        self._database = state_database(folder / "handrail.db")
        self.consents = ConsentRows(PermissionRows(self._database), now=lambda: NOON)
        gate = self.gate_rig.gate
        self.gate = Gate(
            gate.registry,
            gate._policy,
            self.gate_rig.person,
            gate._tokens,
            gate._recorder,
            consents=self.consents,
        )

    def close(self) -> None:
        self.gate_rig.close()
        self._database.close()

    async def _work(self, call: Call, params: Any) -> Any:
        """As an HTTP app's call: the place that it goes to is told on the way."""
        await call.check(Target(app=MAIL.id, place="https://api.example.com"))
        return await echo(call, params)

    async def _plan(self, call: Call, params: Any) -> Preview:
        return Preview("Send an email", app=MAIL.id, consent=self.shown)

    async def is_asked(self, caller: Caller = AGENT) -> bool:
        before = len(self.gate_rig.person.questions)
        await self.gate.run(Call("apps_call", {}, caller))
        return len(self.gate_rig.person.questions) > before


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    opened = Rig(tmp_path)
    yield opened
    opened.close()


async def test_a_yes_to_the_tool_replaces_the_question_until_it_is_revoked(rig: Rig) -> None:
    assert await rig.is_asked()
    given = await rig.consents.add(AGENT, TO, is_for_app=False, by="console:ada")
    assert not await rig.is_asked()
    assert rig.gate_rig.last["decision"] == f"allow (consent {given.id}, by console:ada)"
    assert "answer" not in rig.gate_rig.last
    assert await rig.consents.revoke(given.id)
    assert not await rig.consents.revoke(given.id)
    assert await rig.is_asked()
    await rig.consents.restore(given)
    assert not await rig.is_asked()


async def test_a_yes_to_one_tool_is_none_to_another_and_a_yes_to_the_app_is_one_to_all(rig: Rig) -> None:
    await rig.consents.add(AGENT, TO, is_for_app=False, by="a person")
    rig.shown = consent_to(MAIL, READ)
    assert await rig.is_asked()
    await rig.consents.add(AGENT, TO, is_for_app=True, by="a person")
    assert not await rig.is_asked()


@pytest.mark.parametrize(
    "other",
    [Caller("mcp", "agent/1", "uid:1000", "agent:two"), Caller("http", "agent/1", "uid:1000", "agent:two")],
)
async def test_a_yes_to_one_agent_is_none_to_another_whatever_it_calls_itself(rig: Rig, other: Caller) -> None:
    await rig.consents.add(AGENT, TO, is_for_app=True, by="a person")
    assert await rig.is_asked(other)
    assert not await rig.is_asked(Caller("mcp", "renamed/2", "another process", "session:2", AGENT.agent))


async def test_an_agent_without_a_lasting_identity_is_identified_by_its_connection(rig: Rig) -> None:
    await rig.consents.add(Caller("mcp", "unknown", "pid:1", "stdio:1"), TO, is_for_app=False, by="a person")
    assert await rig.is_asked(Caller("mcp", "unknown", "pid:1", "stdio:2"))
    assert not await rig.is_asked(Caller("mcp", "unknown", "pid:1", "stdio:1"))


CHANGES = {
    "its description": {"tools": (msgspec.structs.replace(SEND, description="Sends money."), READ)},
    "its parameters": {"tools": (msgspec.structs.replace(SEND, parameters={"type": "object", "required": []}), READ)},
    "what it returns": {"tools": (msgspec.structs.replace(SEND, returns={"type": "string"}), READ)},
    "who executes it": {"execution": DBusExecution(service="com.evil")},
    "where it goes": {"execution": HttpExecution(base_url="https://evil.example")},
    "what it is signed in with": {"auth": ApiKey(placement="header", name="X-Key", env_var="OTHER_SECRET")},
    "the app's name": {"name": "Bank"},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("is_for_app", [False, True])
async def test_a_changed_descriptor_makes_the_yes_void(rig: Rig, change: dict[str, Any], is_for_app: bool) -> None:
    await rig.consents.add(AGENT, TO, is_for_app=is_for_app, by="a person")
    changed = msgspec.structs.replace(MAIL, **change)
    rig.shown = consent_to(changed, changed.tools[0])
    assert await rig.is_asked()


async def test_a_tool_that_is_added_voids_the_yes_to_the_app_and_not_the_one_to_a_tool(rig: Rig) -> None:
    grown = msgspec.structs.replace(MAIL, tools=(*MAIL.tools, AppTool(name="wipe", description="W.", parameters={})))
    await rig.consents.add(AGENT, TO, is_for_app=True, by="a person")
    rig.shown = consent_to(grown, SEND)
    assert await rig.is_asked()
    await rig.consents.add(AGENT, TO, is_for_app=False, by="a person")
    assert not await rig.is_asked()


@pytest.mark.parametrize(
    "rule",
    [{"tool": "apps_call"}, {"effect": "EXECUTE"}, {"tool": "apps_call", "host": "api.example.com"}],
    ids=["tool", "effect", "host"],
)
async def test_a_rule_that_denies_wins_over_every_yes(tmp_path: Path, rule: dict[str, str]) -> None:
    rig = Rig(tmp_path, [{**rule, "decision": "deny"}])
    await rig.consents.add(AGENT, TO, is_for_app=True, by="a person")
    with pytest.raises(Declined):
        await rig.is_asked()
    rig.close()


async def test_a_rule_that_asks_ignores_consents_and_asks_each_time(tmp_path: Path) -> None:
    rig = Rig(tmp_path, [{"tool": "apps_call", "decision": "ask"}])
    await rig.consents.add(AGENT, TO, is_for_app=True, by="a person")
    assert await rig.is_asked()
    assert rig.gate_rig.person.questions[-1].is_by_rule
    rig.close()


async def test_what_was_given_is_listed_and_a_second_yes_takes_the_place_of_the_first(tmp_path: Path) -> None:
    databases = [state_database(tmp_path / "handrail.db") for _ in range(2)]
    first, second = (ConsentRows(PermissionRows(database), now=lambda: NOON) for database in databases)
    await first.add(AGENT, TO, is_for_app=False, by="console:ada")
    await first.add(AGENT, TO, is_for_app=False, by="terminal:ada")
    await first.add(AGENT, TO, is_for_app=True, by="terminal:ada")
    assert [(one.caller, one.app, one.tool, one.by) for one in await second.all()] == [
        ("agent:one", "com.example.mail", None, "terminal:ada"),
        ("agent:one", "com.example.mail", "send_email", "terminal:ada"),
    ]
    for database in databases:
        database.close()


async def test_what_an_agent_may_do_for_a_person_it_may_not_do_for_a_program(rig: Rig) -> None:
    run = Run(task_id="t", status="running", speaker="agent:two")
    persons = caller(run, "openai:m")
    programs = caller(msgspec.structs.replace(run, voice="program"), "openai:m")
    await rig.consents.add(persons, TO, is_for_app=True, by="console:ada")
    assert not await rig.is_asked(persons)
    assert await rig.is_asked(programs)
    await rig.consents.add(programs, TO, is_for_app=False, by="console:ada")
    assert not await rig.is_asked(programs)
