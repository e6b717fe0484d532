"""Which answers need proof of presence, what a passkey signs for them, and what counts as proof."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from handrail.kernel.presence import PresenceCheck, challenge, why_needed
from handrail.kernel.settings import load, presence_mode
from handrail.ports.approval_card import Card, Grant, Offer
from handrail.ports.errors import Declined
from handrail.ports.node import NeededVotes, TeamPolicy
from handrail.ports.presence import PasskeyProof, PresenceMode, PresenceNeeded, TeamProof, TerminalProof, WordNeeded
from handrail.ports.prompt_entries import RequestEntry
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import ConsentSubject, FileChangePrompt, KvPrompt
from handrail.ports.team import Limits
from handrail.stores.local.presence import PasskeyFile, ProofFiles

HERE = Grant(tools=("write_to_file",), path="a.txt", project="/p", identity="agent")
OFFERS = (
    Offer(scope="once"),
    Offer(scope="task", grant=Grant(**{**{n: getattr(HERE, n) for n in HERE.__struct_fields__}, "task": "t"})),
    Offer(scope="rule", grant=HERE),
)
TERMINAL = TerminalProof("/dev/pts/7", 1, "xterm")


def asked(**more: Any) -> RequestEntry:
    return RequestEntry(ts="now", request_id="approval_1", prompt=FileChangePrompt(path="a.txt", offers=OFFERS, **more))


def yes(scope: Any = UNSET, **more: Any) -> PromptResponse:
    return PromptResponse(status="ok", scope=scope, **more)


@pytest.mark.parametrize(
    ("mode", "request_", "response", "is_needed"),
    [
        ("critical", asked(), yes(), False),
        ("critical", asked(), yes("once"), False),
        ("critical", asked(), yes("task"), False),
        ("critical", asked(), yes("rule"), True),
        ("critical", asked(), yes("rule", grant=Grant(until="2999-01-01")), True),
        ("critical", asked(), yes("rule", grant=Grant(project="*")), True),
        ("critical", asked(), yes("rule", grant=Grant(identity="*")), True),
        ("critical", asked(), yes("task", grant=Grant(path="**")), True),
        ("critical", asked(), yes("task", grant=Grant(path="*.txt")), True),
        ("critical", asked(), yes("task", grant=Grant(path="a.txt")), False),
        ("critical", asked(critical=True), yes(), True),
        ("critical", asked(critical=True), PromptResponse(status="canceled"), False),
        ("critical", asked(consent=ConsentSubject(app="a.b", app_name="A", tool="t")), yes("rule"), True),
        ("critical", asked(consent=ConsentSubject(app="a.b", app_name="A", tool="t")), yes("rule", covers="app"), True),
        ("always", asked(), yes(), True),
        ("always", asked(), PromptResponse(status="canceled"), False),
        ("always", RequestEntry(ts="now", request_id="q", prompt=KvPrompt(fields=())), yes(), False),
        ("always", RequestEntry(ts="now", request_id="theirs", prompt=asked().prompt), yes("rule"), False),
        ("never", asked(critical=True), yes("rule"), False),
    ],
)
def test_what_reaches_far_needs_proof_and_a_no_never_does(
    mode: PresenceMode, request_: RequestEntry, response: PromptResponse, is_needed: bool
) -> None:
    assert (why_needed(mode, request_, response) is not None) is is_needed


def test_the_challenge_is_bound_to_the_prompt_what_it_shows_and_how_far_the_answer_reaches() -> None:
    other_id = RequestEntry(ts="now", request_id="approval_2", prompt=asked().prompt)
    challenges = [
        challenge(asked(), yes("rule")),
        challenge(other_id, yes("rule")),
        challenge(asked(diff="other"), yes("rule")),
        challenge(asked(), yes("task")),
        challenge(asked(), yes("rule", covers="app")),
        challenge(asked(), yes("rule", grant=Grant(project="*"))),
        challenge(asked(), yes("rule", grant=Grant(identity="*"))),
    ]
    assert len(set(challenges)) == len(challenges)
    assert challenge(asked(), yes("rule")) == challenge(asked(), yes("rule", remark="fine"))


class Check:
    def __init__(self, state: Path, mode: PresenceMode = "critical") -> None:
        def look() -> TerminalProof:
            self.looks += 1
            if self.refuses:
                raise PresenceNeeded("no terminal.", reason="presence", why="no terminal")
            return TERMINAL

        self.looks, self.refuses = 0, False
        self.presence = PresenceCheck(lambda: mode, PasskeyFile(state), ProofFiles(state), look, lambda names: None)


def test_without_proof_it_is_refused_and_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(PresenceNeeded) as refused:
        Check(tmp_path).presence.admit(asked(), yes("rule"), None)
    assert refused.value.details["command"] == "handrail prompts answer approval_1 --ok --for rule"
    assert "handrail passkeys add" in (refused.value.hint or "")


def test_the_terminal_is_inspected_only_if_proof_is_needed(tmp_path: Path) -> None:
    check = Check(tmp_path)
    check.presence.admit(asked(), yes(), "terminal")()
    assert check.looks == 0
    with pytest.raises(WordNeeded) as needed:
        check.presence.admit(asked(), yes("rule"), "terminal")
    assert (needed.value.proof, check.looks) == (TERMINAL, 1)
    check.refuses = True
    with pytest.raises(PresenceNeeded, match="no terminal"):
        check.presence.admit(asked(), yes("rule"), "terminal")


def test_a_kept_proof_counts_for_the_answer_that_it_was_given_for_alone(tmp_path: Path) -> None:
    presence = Check(tmp_path).presence
    with pytest.raises(PresenceNeeded):
        presence.proof_of(asked(), yes("rule"))
    presence.admit(asked(), yes("rule"), TERMINAL)()
    kept = presence.proof_of(asked(), yes("rule"))
    assert isinstance(kept, Mapping)
    assert (kept["kind"], kept["program"]) == ("terminal", "xterm")
    with pytest.raises(PresenceNeeded):
        presence.proof_of(asked(), yes("rule", grant=Grant(project="*")))
    with pytest.raises(PresenceNeeded):
        presence.proof_of(asked(diff="other"), yes("rule"))
    assert presence.proof_of(asked(), yes()) is None


@pytest.mark.parametrize("credential", [{}, {"id": "x"}, {"id": "x", "response": {}}, {"id": 7, "response": None}])
def test_what_is_no_signature_of_a_known_passkey_is_refused(credential: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(PresenceNeeded):
        Check(tmp_path).presence.admit(asked(), yes("rule"), PasskeyProof(credential, "http://localhost:1"))


def test_the_presence_setting_is_read_only_from_the_file(tmp_path: Path) -> None:
    environ = {"HANDRAIL_PRESENCE": "never"}
    assert load(tmp_path, {}, environ).common.presence == "critical"
    assert presence_mode(tmp_path) == "critical"
    (tmp_path / "config.toml").write_text('presence = "always"\n')
    assert load(tmp_path, {}, environ).common.presence == "always"
    assert presence_mode(tmp_path) == "always"
    (tmp_path / "config.toml").write_text("presence = ")
    assert presence_mode(tmp_path) == "critical"


def test_where_a_team_wants_its_people_s_approval_no_other_proof_does_and_theirs_always_does(tmp_path: Path) -> None:
    policy = TeamPolicy(version="1", approvals=(NeededVotes(limits=Limits(tools=("write_*",)), votes=2),))
    own = PasskeyFile(tmp_path), ProofFiles(tmp_path), lambda: TERMINAL, lambda names: None
    node, alone = PresenceCheck(lambda: "never", *own, lambda: policy), PresenceCheck(lambda: "always", *own)
    card = Card(agent="a", identity="a", tool="write_to_file", effect="write", project="/p")
    request, team = asked(card=card), TeamProof("shop", ("ada", "bo"))
    node.admit(request, PromptResponse(status="canceled"), None)
    for proof in (None, TERMINAL, "terminal"):
        with pytest.raises(Declined, match="2 of its people"):
            node.admit(request, yes(), proof)
    alone.admit(request, yes(), TERMINAL)()
    with pytest.raises(Declined, match="2 of its people"):
        node.proof_of(request, yes())
    node.admit(request, yes(), team)()
    for check in (node, alone):
        kept = check.proof_of(request, yes())
        assert kept is not None
        assert (kept["kind"], kept["tenant"], kept["by"]) == ("team", "shop", ["ada", "bo"])
    node.admit(asked(card=msgspec.structs.replace(card, tool="read_file")), yes(), None)
