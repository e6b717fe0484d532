"""A person's machine as a team's node: approvals at either place, a policy that only tightens, and linked audits."""

import asyncio
import json
import threading
from collections.abc import Iterator

import httpx2 as httpx
import pytest

from handrail.kernel.audit import Audit
from handrail.kernel.chain import Head, seal_record
from handrail.ports.policy import Rule
from tests.features.team.nodes import Node, join
from tests.features.team.servers import PendingCall, Person, Team, prompt_about
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.trial("team", is_long=True)


@pytest.fixture(scope="module")
def node(shared: Team, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node of the shared team, owned by tom."""
    token = shared.token("tom", "operator")
    made = join(shared, tmp_path_factory.mktemp("nodes"), "toms-laptop", owner="tom")
    made.owner = Person(shared.servers[1].url, token)
    yield made
    made.stop()


def is_closed(person: Person, name: str) -> bool:
    return all(each["prompt"].get("path") != name for each in person.pending())


def test_a_member_of_the_team_approves_a_write_on_a_node(shared: Team, node: Node) -> None:
    ann = Person(shared.servers[1].url, shared.token("ann", "approver"))
    pending_call = node.edit("team-yes.txt")
    answer = ann.answer(prompt_about(ann, "team-yes.txt"))
    assert answer.json() == {"ok": True, "data": {"warnings": []}}
    assert pending_call.wait()["is_done"]
    assert node.text("team-yes.txt") == "new\n"
    result = next(each for each in reversed(node.records()) if each.get("target") == "team-yes.txt")
    assert "team:ann" in json.dumps(result)


def test_a_denial_of_the_team_reaches_the_agent_on_the_node(shared: Team, node: Node) -> None:
    ben = Person(shared.servers[0].url, shared.token("ben", "operator"))
    pending_call = node.edit("team-no.txt")
    assert ben.answer(prompt_about(ben, "team-no.txt"), status="canceled", remark="Not on Fridays.").status_code == 200
    result = pending_call.wait()
    assert not result["is_done"]
    assert "Not on Fridays." in result["text"]
    assert node.text("team-no.txt") == "old\n"


def test_the_person_at_the_node_approves_and_the_team_sees_that(shared: Team, node: Node) -> None:
    cat = Person(shared.servers[1].url, shared.token("cat", "approver"))
    pending_call = node.edit("own-yes.txt")
    request_id = prompt_about(cat, "own-yes.txt")
    assert node.answers(node.asked_about("own-yes.txt"), "--ok").returncode == 0
    assert pending_call.wait()["is_done"]
    until(lambda: is_closed(cat, "own-yes.txt"), "the team still shows it")
    assert cat.answer(request_id).status_code == 409


def test_of_two_concurrent_answers_the_nodes_queue_takes_one_and_both_places_show_it(shared: Team, node: Node) -> None:
    dan = Person(shared.servers[0].url, shared.token("dan", "approver"))
    pending_call = node.edit("both.txt")
    team_id, own_id = prompt_about(dan, "both.txt"), node.asked_about("both.txt")
    codes: dict[str, int] = {}

    def at_the_node() -> None:
        codes["node"] = node.answers(own_id, "--cancel").returncode

    other = threading.Thread(target=at_the_node)
    other.start()
    answer = dan.answer(team_id)
    other.join(PATIENCE)
    is_done = pending_call.wait()["is_done"]
    assert node.text("both.txt") == ("new\n" if is_done else "old\n")
    assert codes == {"node": 1 if is_done else 0}
    if answer.status_code != 200 or not answer.json()["data"]["warnings"]:  # unless the node's answer came too late
        assert answer.status_code == (200 if is_done else 409)
    until(lambda: is_closed(dan, "both.txt"), "the team still shows it")
    entries = dan.http.get("/api/prompts").json()["data"]["entries"]
    [final] = [each["response"] for each in entries if each["requestId"] == team_id and each["action"] == "response"]
    assert final["status"] == ("ok" if is_done else "canceled")


def test_the_owner_of_a_node_approves_away_from_it_and_others_need_the_right(shared: Team, node: Node) -> None:
    urls = [server.url for server in shared.servers]
    pending_call = node.edit("owner.txt")
    request_id = prompt_about(node.owner, "owner.txt")
    assert Person(urls[0], shared.token("una", "operator")).answer(request_id).status_code == 403
    assert Person(urls[1], shared.token("eli", "approver", tools=("read_*",))).answer(request_id).status_code == 403
    assert (
        node.owner.answer(request_id, scope="rule").status_code == 403
    )  # only the node decides what is always allowed
    assert pending_call.is_waiting
    assert node.owner.answer(request_id).status_code == 200
    assert pending_call.wait()["is_done"]


def test_both_audits_record_it_and_each_others_digest(shared: Team, node: Node) -> None:
    id = node.membership()["node"]
    pending_call = node.edit("recorded.txt")
    node.answers(node.asked_about("recorded.txt"), "--ok")
    pending_call.wait()
    with shared.opened() as open_team:
        journal = open_team.team.nodes.journal(id)
        log = node.state / "audit" / "log.jsonl"

        def has_all() -> bool:
            content = log.read_bytes()
            return Audit(journal).verify() == content.count(b"\n") and b"".join(journal.lines()) == content

        until(has_all, "the team's copy is another")
        links = [
            each for each in Audit(open_team.audit).entries() if each.get("event") == "node" and each["node"] == id
        ]
        hashes = {each["seq"]: each["hash"] for each in node.records()}
        assert links
        assert all(hashes[each["records"]] == each["digest"] for each in links)
        back = [each for each in node.records() if each.get("event") == "team"]
        theirs = {each["seq"]: each["hash"] for each in Audit(open_team.audit).entries()}
        assert back
        assert all(theirs[each["records"]] == each["digest"] for each in back)


def test_a_nodes_token_works_only_for_its_own_link(shared: Team, node: Node) -> None:
    url, token = shared.servers[0].url, node.token_file.read_text().strip()
    with httpx.Client(base_url=url, timeout=PATIENCE, headers={"authorization": f"Bearer {token}"}) as http:
        assert http.get("/api/node/news").status_code == 200
        for path in ("/api/prompts", "/api/tools", "/api/calls", "/api/team/members", "/api/session"):
            assert http.get(path).status_code == 403, path
        assert http.post("/mcp", json={}).status_code == 403
        http.headers["authorization"] = f"Bearer {shared.token('no-node', 'agent')}"
        assert http.get("/api/node/news").status_code == 403
        http.headers["authorization"] = f"Bearer {shared.token('no-node-either', 'administrator')}"
        assert http.get("/api/node/news").status_code == 403
    with pytest.raises(PermissionError):
        Person(url, token)


def add_rule(team: Team, **rule: str) -> None:
    with team.opened() as open_team:
        asyncio.run(open_team.rules.allow("by a test", Rule(**rule)))  # type: ignore[arg-type]


def test_the_team_s_policy_tightens_a_node_and_loosens_nothing(team: Team) -> None:
    [server] = team.start()
    gus = Person(server.url, team.token("gus", "approver"))
    node = join(team, team.where, "laptop", owner="gus")
    try:
        add_rule(team, decision="deny", tool="delete_path")
        add_rule(team, decision="allow", tool="replace_in_file")
        team.require(1, tools=("make_folder",))
        until(lambda: node.membership()["policy"]["approvals"], "the node has no policy")
        (node.project / "kept.txt").write_text("kept\n")
        assert "team rule" in node.call("delete_path", path="kept.txt")["text"]
        pending_call = node.edit("asked.txt")  # what the team allows still needs approval here
        assert node.answers(node.asked_about("asked.txt"), "--ok").returncode == 0
        assert pending_call.wait()["is_done"]
        expected = PendingCall(lambda: node.call("make_folder", path="new"))
        own_id = node.asked_about("new")
        message = node.answers(own_id, "--ok")
        assert message.returncode != 0
        assert "one of its people" in message.stdout + message.stderr
        assert gus.answer(prompt_about(gus, "new")).status_code == 403  # it is his own machine
        assert not (node.project / "new").exists()
        hal = Person(server.url, team.token("hal", "approver"))
        assert hal.answer(prompt_about(hal, "new")).status_code == 200
        assert expected.wait()["is_done"]
        assert (node.project / "new").is_dir()
        forged = PendingCall(lambda: node.call("make_folder", path="forged"))
        output = {"ts": "2030-01-01T00:00:00.000Z", "type": "ui_prompt", "action": "response",
                "requestId": node.asked_about("forged"), "response": {"status": "ok"}}  # fmt: skip
        with (node.state / "ui-prompts.jsonl").open("a") as log:
            log.write(json.dumps(output) + "\n")
        assert not forged.wait()["is_done"]
        assert not (node.project / "forged").exists()
    finally:
        node.stop()


def test_a_node_works_while_the_team_is_offline_and_catches_up(team: Team) -> None:
    [server] = team.start()
    ida = team.token("ida", "approver")
    node = join(team, team.where, "laptop")
    try:
        add_rule(team, decision="deny", tool="delete_path")
        until(lambda: node.membership()["policy"]["rules"], "the node has no policy")
        server.stop()
        (node.project / "kept.txt").write_text("kept\n")
        assert "team rule" in node.call("delete_path", path="kept.txt")["text"]
        alone = node.edit("alone.txt")
        assert node.answers(node.asked_about("alone.txt"), "--ok").returncode == 0
        assert alone.wait()["is_done"]
        pending_call = node.edit("later.txt")
        node.asked_about("later.txt")
        team.start(port=server.port)
        person = Person(server.url, ida)
        assert person.answer(prompt_about(person, "later.txt")).status_code == 200
        assert pending_call.wait()["is_done"]
        with team.opened() as open_team:
            id = node.membership()["node"]
            journal = open_team.team.nodes.journal(id)
            until(lambda: b'"target":"alone.txt"' in b"".join(journal.lines()), "the team has no record of it")
            count = Audit(journal).verify()
            assert count > 0
            verify = ("audit", "verify", "--database", team.database, "--public-key", team.public_key)
            team.handrail(*verify)
            with journal.lock(is_durable=True) as lock:  # write access to rows isn't enough to forge a history
                line, sealed = seal_record(count + 2, "2030-01-01T00:00:00.000Z", "0" * 64, b"")
                lock.append(line)
                lock.set_mark(Head(count + 2, lock.size, sealed).spelled())
            assert f"the audit of the node {id}" in team.handrail(*verify, status=1).stderr
    finally:
        node.stop()


def test_a_revoked_node_is_refused_its_questions_are_cancelled_and_its_policy_remains(team: Team) -> None:
    [server] = team.start()
    joe = Person(server.url, team.token("joe", "approver"))
    node = join(team, team.where, "laptop")
    try:
        add_rule(team, decision="deny", tool="delete_path")
        until(lambda: node.membership()["policy"]["rules"], "the node has no policy")
        pending_call = node.edit("open.txt")
        request_id = prompt_about(joe, "open.txt")
        team.revoke("laptop")
        until(lambda: is_closed(joe, "open.txt"), "the team still shows it")
        assert joe.answer(request_id).status_code in (403, 409)
        until(lambda: node.membership().get("isRevoked"), "the node does not know")
        assert pending_call.is_waiting
        node.answers(node.asked_about("open.txt"), "--ok")
        assert pending_call.wait()["is_done"]
        (node.project / "kept.txt").write_text("kept\n")
        assert "team rule" in node.call("delete_path", path="kept.txt")["text"]
        assert "no longer accepts" in node.handrail("node", "show").stdout
        node.handrail("node", "leave")
        pending_call = PendingCall(lambda: node.call("delete_path", path="kept.txt"))
        node.answers(node.asked_about("kept.txt"), "--ok")
        assert pending_call.wait()["is_done"]
    finally:
        node.stop()
