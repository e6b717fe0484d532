"""How many people of a team have to approve a call, and how rules of user and team are named in verdicts."""

import pytest

from handrail.kernel.policy import Policy, Verdict, compose_policy, rule_id
from handrail.kernel.policy_document import PolicyDocument
from handrail.kernel.target import Target
from handrail.ports.effect import Effect
from handrail.ports.node import NeededVotes, TeamPolicy
from handrail.ports.policy import Decision, Rule
from handrail.ports.team import Limits

ALLOW, ASK, DENY = Decision
HERE = "/srv/shop"
CALL = Target(place="https://shop.example", server="github")


def votes(limits: Limits, target: Target = CALL, project: str | None = HERE, place: str | None = None) -> int:
    team = TeamPolicy(version="1", approvals=(NeededVotes(limits=limits, votes=2),))
    composed = compose_policy(PolicyDocument(), is_trusted=True, user_rules=(), project=project, team=team)
    return composed.votes_for("open_page", Effect.UI_CONTROL, target, place)


@pytest.mark.parametrize(
    ("covering", "other"),
    [
        (Limits(tools=("open_*",)), Limits(tools=("write_*",))),
        (Limits(effects=("UI_CONTROL",)), Limits(effects=("WRITE",))),
        (Limits(hosts=("shop.example",)), Limits(hosts=("bank.example",))),
        (Limits(projects=(HERE,)), Limits(projects=("/srv/other",))),
        (Limits(servers=("github",)), Limits(servers=("slack",))),
    ],
)
def test_a_team_wants_votes_for_the_calls_within_its_limits(covering: Limits, other: Limits) -> None:
    assert (votes(covering), votes(other)) == (2, 0)


@pytest.mark.parametrize("limits", [Limits(hosts=("?*",)), Limits(projects=("?*",)), Limits(servers=("?*",))])
def test_a_call_without_host_project_or_server_is_beyond_limits_that_name_some(limits: Limits) -> None:
    assert votes(limits, Target(), None) == 0


def test_the_place_that_a_call_turns_to_counts_rather_than_where_it_is() -> None:
    assert votes(Limits(hosts=("bank.example",)), place="https://bank.example") == 2
    assert votes(Limits(hosts=("shop.example",)), place="https://bank.example") == 0


def test_without_a_team_the_person_decides() -> None:
    alone = compose_policy(PolicyDocument(), is_trusted=True, user_rules=())
    assert alone.votes_for("open_page", Effect.UI_CONTROL, CALL) == 0


def decided(composed: Policy) -> Verdict:
    return composed.decide("open_page", Effect.UI_CONTROL, CALL)


def test_what_a_user_allows_is_asked_because_of_the_teams_rule_about_approvals() -> None:
    team = TeamPolicy(version="1", approvals=(NeededVotes(limits=Limits(), votes=1),))
    own = [Rule(tool="*", decision="allow")]
    assert decided(compose_policy(PolicyDocument(), is_trusted=True, user_rules=own, team=team)) == Verdict(
        ASK, "team rule about approvals"
    )


def test_a_verdict_names_the_rule_of_user_or_team_by_its_id() -> None:
    allowing, denying = Rule(tool="*", decision="allow"), Rule(tool="*", decision="deny")
    own = compose_policy(PolicyDocument(), is_trusted=True, user_rules=[allowing])
    assert decided(own) == Verdict(ALLOW, f"user rule {rule_id(allowing)}")
    team = TeamPolicy(version="1", rules=(denying,))
    both = compose_policy(PolicyDocument(), is_trusted=True, user_rules=[allowing], team=team)
    assert decided(both) == Verdict(DENY, f"team rule {rule_id(denying)}")
    assert rule_id(allowing) != rule_id(denying)
    assert len(rule_id(allowing)) == 12


def test_a_teams_rule_about_one_project_counts_there_only() -> None:
    team = TeamPolicy(version="1", rules=(Rule(tool="*", project=HERE, decision="deny"),))
    for project, decision in ((HERE, DENY), ("/srv/other", ASK)):
        composed = compose_policy(PolicyDocument(), is_trusted=True, user_rules=(), project=project, team=team)
        assert decided(composed).decision is decision
