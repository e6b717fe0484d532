"""A later call passes without asking exactly if it lies within the grant that was shown."""

import re
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import asdict, replace

from handrail.kernel.approval import Question
from handrail.kernel.call import Call
from handrail.kernel.glob import MAX_PATTERN, matcher
from handrail.kernel.grants import (
    ALL,
    NotOffered,
    choose_grant,
    grant_covers,
    has_expired,
    is_wide,
    is_within,
    rule_from_grant,
)
from handrail.kernel.offered_scopes import choose_offer, offers_for
from handrail.kernel.policy import compose_policy
from handrail.kernel.policy_document import PolicyDocument
from handrail.kernel.presence import why_needed
from handrail.kernel.target import ANY_PLACE, Step, Target
from handrail.kernel.tool import Preview
from handrail.ports.approval_card import Grant, Offer, Scope
from handrail.ports.effect import Effect
from handrail.ports.identity import Caller
from handrail.ports.policy import Decision, Rule
from handrail.ports.prompt_entries import RequestEntry
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import FileChangePrompt

NOW = datetime.now(UTC).replace(microsecond=0)  # what is chosen is compared with the clock
PROJECTS = ["/srv/shop", "/srv/other"]
TOOLS = ["write_to_file", "replace_in_file"]
NAMES = ["*", "**", "a", "b", "pages", "[id].tsx", "i.tsx", "d.tsx", "{a,b}", "a?c", "abc", "x.md", "y.md", "[!a]", "]"]
PLACES = ["http://localhost:5173", "http://localhost:6006", "https://example.com", "https://example.com:444"]
COMMANDS = ["lint", "lint --fix", "build"]

paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
targets = st.one_of(
    paths.map(lambda path: Target(path=path)),
    st.sampled_from(PLACES).map(lambda place: Target(place=place)),
    st.sampled_from(["org.mousepad", "org.*"]).map(lambda app: Target(app=app)),
    st.tuples(paths, st.sampled_from(COMMANDS)).map(lambda both: Target(path=both[0], command=both[1])),
    st.just(Target()),
)
callers = st.builds(
    Caller,
    face=st.just("mcp"),
    name=st.sampled_from(["claude", "another"]),
    peer=st.just("p"),
    identity=st.sampled_from(["stdio:1", "stdio:2"]),
    agent=st.sampled_from(["program:a", "program:b"]),
)
calls = st.builds(
    Call, tool=st.sampled_from(TOOLS), params=st.just({}), caller=callers, task=st.sampled_from([None, "t1", "t2"])
)


def question(call: Call, target: Target, *, is_by_rule: bool = False, is_critical: bool = False) -> Question:
    preview = Preview("Do it", path=target.path, place=target.place, app=target.app)
    return Question(
        call, "Do", Effect.WRITE, {}, preview, "d", is_by_rule=is_by_rule, is_critical=is_critical, target=target
    )


def offered(call: Call, target: Target, project: str = PROJECTS[0]) -> tuple[Offer, ...]:
    return offers_for(question(call, target), project, NOW)


def kinds_of(target: Target) -> set[str]:
    """What it names; all calls of one tool name the same. A rule says nothing about the rest."""
    return {name for name, value in asdict(target).items() if value is not None}


def narrowest(call: Call, target: Target, scope: str) -> Grant | None:
    return next((each.grant for each in offered(call, target) if each.scope == scope and each.grant), None)


@pytest.mark.trial("scopes")
@given(calls, targets, calls, targets, st.sampled_from(PROJECTS))
def test_for_this_task_means_the_same_tool_target_identity_project_and_task(
    first: Call, shown: Target, later: Call, target: Target, project: str
) -> None:
    grant = narrowest(first, shown, "task")
    assert (grant is not None) == (first.task is not None and shown != Target())
    if grant is None:
        return
    passes = grant_covers(grant, later.tool, target, project=project, identity=later.caller.identity, task=later.task)
    is_same = (later.tool, target, later.task) == (first.tool, shown, first.task)
    assert passes == (is_same and later.caller.identity == first.caller.identity and project == PROJECTS[0])


@pytest.mark.trial("scopes")
@given(calls, targets, calls, targets, st.sampled_from(PROJECTS))
def test_always_means_exactly_the_rule_that_was_shown(
    first: Call, shown: Target, later: Call, target: Target, project: str
) -> None:
    assume(later.tool != first.tool or kinds_of(target) == kinds_of(shown))
    grant = narrowest(first, shown, "rule")
    assert (grant is not None) == (shown != Target())
    if grant is None:
        return
    policy = compose_policy(PolicyDocument(), is_trusted=True, user_rules=[rule_from_grant(grant)], project=project)
    decided = policy.decide(later.tool, Effect.WRITE, target, later.caller.agent).decision
    is_same = (later.tool, target) == (first.tool, shown) and later.caller.agent == first.caller.agent
    assert (decided is Decision.ALLOW) == (is_same and project == PROJECTS[0])


@pytest.mark.trial("scopes")
@given(
    calls,
    paths,
    calls,
    paths,
    st.sampled_from(PROJECTS),
    st.sampled_from([PROJECTS[0], ALL]),
    st.booleans(),
    st.sampled_from(["**/*.md", "**", "pages/*"]),
)
def test_a_widened_rule_reaches_as_far_as_the_person_chose(
    first: Call, shown: str, later: Call, path: str, project: str, chosen_project: str, all_agents: bool, pattern: str
) -> None:
    wish = Grant(path=pattern, project=chosen_project, identity=ALL if all_agents else first.caller.agent)
    if not matcher(pattern)(shown):
        with pytest.raises(NotOffered, match="must cover the path"):
            choose_grant(offered(first, Target(path=shown)), "rule", wish)
        return
    grant = choose_grant(offered(first, Target(path=shown)), "rule", wish)
    policy = compose_policy(PolicyDocument(), is_trusted=True, user_rules=[rule_from_grant(grant)], project=project)
    decided = policy.decide(later.tool, Effect.WRITE, Target(path=path), later.caller.agent).decision
    lies_within = (
        later.tool == first.tool
        and grant_covers(
            replace(grant, identity=ALL), later.tool, Target(path=path), project=project, identity="x", task=None
        )
        and (all_agents or later.caller.agent == first.caller.agent)
        and (chosen_project == ALL or project == PROJECTS[0])
    )
    assert (decided is Decision.ALLOW) == lies_within


@pytest.mark.trial("scopes")
@given(paths, st.lists(paths, max_size=3), st.sampled_from(["**/*.md", "**", "pages/*"]), st.booleans())
@example("x.md", ["a"], "**/*.md", True)
def test_a_folder_is_allowed_only_with_all_that_lies_in_it(
    folder: str, inside: list[str], pattern: str, is_widened: bool
) -> None:
    """A folder may be called like a file: `x.md/secret.txt` isn't one of `**/*.md`."""
    first = Call("delete_path", {}, ME, task="t1")
    held = [f"{folder}/{name}" for name in inside]
    target = Target(path=folder, steps=tuple(Step(Effect.WRITE, Target(path=path)) for path in held))
    grant = narrowest(first, Target(path=folder), "task")
    assert grant is not None
    grant = replace(grant, path=pattern) if is_widened else grant
    passes = grant_covers(grant, "delete_path", target, project=PROJECTS[0], identity=ME.identity, task="t1")
    assert passes == (not is_widened or all(map(matcher(pattern), [folder, *held])))


patterns = st.one_of(paths, st.sampled_from(["**/*.md", "**", "*", "pages/*", "{a,b}/**", "a/[!x]"]))
ends = st.sampled_from(["2099-01-01", "2999-01-01", (datetime.now(UTC) + timedelta(hours=2)).isoformat()])
wishes = st.builds(
    Grant,
    tools=st.sampled_from([(), ("write_to_file",), ("replace_in_file",), tuple(TOOLS)]),
    path=st.one_of(st.just(UNSET), patterns),
    place=st.one_of(st.just(UNSET), st.sampled_from([*PLACES, "http://localhost:*", "*://example.com"])),
    project=st.sampled_from([UNSET, *PROJECTS, ALL]),
    identity=st.sampled_from([UNSET, "stdio:1", "program:a", "program:b", ALL]),
    task=st.sampled_from([UNSET, "t1", "t2"]),
    until=st.one_of(st.just(UNSET), ends),
)
scopes: st.SearchStrategy[Scope] = st.sampled_from(["task", "rule"])


@pytest.mark.trial("scopes")
@given(calls, targets, scopes, wishes, calls, targets, st.sampled_from(PROJECTS))
def test_an_edited_grant_is_what_its_words_say_and_never_wider_than_offered_without_presence(
    first: Call, shown: Target, scope: Scope, wish: Grant, later: Call, target: Target, project: str
) -> None:
    offers = offered(first, shown)
    try:
        offer = choose_offer(offers, scope, wish)
    except NotOffered:
        return
    grant = offer.grant
    assert grant is not UNSET
    is_task = scope == "task"
    asking = {"project": PROJECTS[0], "identity": first.caller.identity if is_task else first.caller.agent}
    assert grant_covers(grant, first.tool, shown, task=first.task if is_task else None, **asking), (
        "it covers what was asked"
    )
    for name in Grant.__struct_fields__:
        wanted, kept = getattr(wish, name), getattr(grant, name)
        assert kept == (kept if wanted in (UNSET, ()) else wanted), "what was chosen is what is kept"
    assert choose_grant(offers, scope, grant) == grant, "sent back as it was shown, it means the same"
    assert offer.where == ("every project" if grant.project == ALL else f'"{grant.project}"')
    assert (offer.who == "every agent") == (grant.identity == ALL)

    same = [each.grant for each in offers if each.scope == scope and each.grant is not UNSET]
    calling = {"project": project, "identity": later.caller.identity if is_task else later.caller.agent}
    task = later.task if is_task else None
    passes = grant_covers(grant, later.tool, target, task=task, **calling)
    if passes and not any(grant_covers(each, later.tool, target, task=task, **calling) for each in same):
        assert not any(is_within(grant, each) for each in same)
        request = RequestEntry(ts="now", request_id="approval_1", prompt=FileChangePrompt(offers=offers))
        assert why_needed("critical", request, PromptResponse(status="ok", scope=scope, grant=wish)) is not None


ME = Caller("mcp", "claude", "p", "stdio:1", "program:a")
WRITE = Call("write_to_file", {}, ME, task="t1")
README = Target(path="README.md")


def test_the_narrowest_comes_first_and_patterns_are_offered_for_the_task_only() -> None:
    scopes = [(each.scope, each.grant.path if each.grant else UNSET) for each in offered(WRITE, README)]
    assert scopes == [("once", UNSET), ("task", "README.md"), ("task", "**/*.md"), ("rule", "README.md")]
    assert [each.scope for each in offered(WRITE, Target(path="package.json"))] == ["once", "task", "rule"]


def test_what_was_offered_is_told_in_words() -> None:
    words = {each.scope: each for each in offered(WRITE, Target(path="a\nb"))}
    assert words["rule"].what == r'write_to_file file "a\nb"'
    assert words["rule"].where == '"/srv/shop"'
    assert words["rule"].who == "claude (program:a)"
    assert words["rule"].until == "you remove the rule"
    assert "t1" in str(words["task"].until)


def test_of_a_file_outside_of_the_project_no_kind_of_files_is_offered() -> None:
    inside, outside = offered(WRITE, README), offered(WRITE, Target(path="/home/ada/i.md", is_outside=True))
    assert [each.scope for each in inside] == ["once", "task", "task", "rule"]
    assert [each.scope for each in outside] == ["once", "task", "rule"]


def test_a_rule_that_asks_each_time_can_be_answered_for_no_longer_than_it_asks() -> None:
    ruled = offers_for(question(WRITE, README, is_by_rule=True), PROJECTS[0], NOW)
    assert "rule" not in {each.scope for each in ruled}
    critical = offers_for(question(WRITE, README, is_critical=True), PROJECTS[0], NOW)
    assert [each.scope for each in critical] == ["once"]


SHOWN = "must be the one that was shown"


@pytest.mark.parametrize(
    ("scope", "wish", "field", "why"),
    [
        ("rule", Grant(tools=("execute_command",)), "grant.tools", "must be some of write_to_file"),
        ("rule", Grant(path="src/**"), "grant.path", "must cover the path that was shown"),
        ("rule", Grant(path="{README.md,{b}"), "grant.path", r"The pattern .* can't be read: missing \).*"),
        ("rule", Grant(place="https://example.com"), "grant.place", "must cover the place that was shown"),
        ("rule", Grant(app="org.mousepad"), "grant.app", SHOWN),
        ("rule", Grant(command="lint"), "grant.command", SHOWN),
        ("rule", Grant(server="github"), "grant.server", SHOWN),
        ("rule", Grant(project="/srv/other"), "grant.project", rf"{SHOWN}, or \*"),
        ("rule", Grant(identity="program:b"), "grant.identity", rf"{SHOWN}, or \*"),
        ("rule", Grant(until="2020-01-01"), "grant.until", "must be in the future"),
        ("rule", Grant(until="soon"), "grant.until", "`until` must be a date such as .*"),
        ("task", Grant(project=ALL), "grant.project", SHOWN),
        ("task", Grant(identity=ALL), "grant.identity", SHOWN),
        ("task", Grant(task="t2"), "grant.task", SHOWN),
        ("task", Grant(until="2999-01-01"), "grant.until", r"must not be after 20\d\d-.*"),
    ],
)
def test_what_does_not_follow_from_an_offer_is_refused_with_the_field_and_the_reason(
    scope: Scope, wish: Grant, field: str, why: str
) -> None:
    with pytest.raises(NotOffered) as refused:
        choose_grant(offered(WRITE, README), scope, wish)
    assert refused.value.field == field
    assert re.fullmatch(why, refused.value.why)
    assert str(refused.value) == refused.value.why


def test_a_refused_tool_is_told_all_that_were_offered() -> None:
    grants = [Grant(tools=(tool,), path="a") for tool in TOOLS]
    with pytest.raises(NotOffered, match=r"^must be some of replace_in_file, write_to_file$"):
        choose_grant([Offer(scope="task", grant=grant) for grant in grants], "task", Grant(tools=("read_file",)))


AT = Target(place="https://example.com")


def test_a_place_may_be_widened_to_what_covers_it_and_a_path_not_be_added() -> None:
    assert choose_grant(offered(WRITE, AT), "rule", Grant(place="*://example.com")).place == "*://example.com"
    for wish, field, why in (
        (Grant(place="https://example.org"), "grant.place", "must cover the place that was shown"),
        (Grant(place="example.com"), "grant.place", "The place 'example.com' must be scheme, host and port.*"),
        (Grant(path="**"), "grant.path", "what was asked has no path"),
    ):
        with pytest.raises(NotOffered) as refused:
            choose_grant(offered(WRITE, AT), "rule", wish)
        assert refused.value.field == field
        assert re.fullmatch(why, refused.value.why)


def test_a_pattern_may_be_as_long_as_rules_allow() -> None:
    longest = "{README.md," + "a" * (MAX_PATTERN - 12) + "}"
    assert choose_grant(offered(WRITE, README), "rule", Grant(path=longest)).path == longest
    with pytest.raises(NotOffered, match="must cover the path"):
        choose_grant(offered(WRITE, README), "rule", Grant(path=longest[:-1] + "a}"))


def test_the_end_that_was_offered_can_be_chosen_and_an_earlier_one() -> None:
    last = narrowest(WRITE, README, "task")
    assert last is not None
    assert choose_grant(offered(WRITE, README), "task", Grant(until=last.until)) == last
    sooner = (NOW + timedelta(hours=2)).isoformat()
    assert choose_grant(offered(WRITE, README), "task", Grant(until=sooner)) == replace(last, until=sooner)
    assert choose_grant(offered(WRITE, README), "rule", Grant(until=sooner)).until == sooner


HERE = {"project": PROJECTS[0], "identity": "i"}


@pytest.mark.parametrize(
    ("named", "target", "others"),
    [
        ({"path": "a/*"}, Target(path="a/b"), [Target(path="b"), Target(), AT]),
        ({"place": "https://example.com"}, AT, [Target(place=PLACES[0]), Target(place=ANY_PLACE), Target(), README]),
        ({"app": "org.a"}, Target(app="org.a"), [Target(app="org.b"), Target(), README]),
        ({"command": "lint"}, Target(command="lint"), [Target(command="build"), Target(), README]),
        ({"server": "s"}, Target(server="s"), [Target(server="t"), Target(), README]),
        ({}, Target(), [README, AT, Target(place=ANY_PLACE), Target(app="a"), Target(command="a"), Target(server="a")]),
        (
            {"path": "*.md"},
            README,
            [Target(path="a.md", steps=(Step(Effect.WRITE, Target(path="None/secret")),))],
        ),
    ],
)
def test_a_grant_covers_what_it_names_and_nothing_else(
    named: dict[str, str], target: Target, others: list[Target]
) -> None:
    grant = Grant(tools=("t",), **HERE, **named)
    assert grant_covers(grant, "t", target, task=None, **HERE)
    assert grant_covers(grant, "t", target, task="t1", **HERE), "without a task it isn't bound to one"
    for other in others:
        assert not grant_covers(grant, "t", other, task=None, **HERE)
    for_task = replace(grant, task="t1")
    assert grant_covers(for_task, "t", target, task="t1", **HERE)
    assert not grant_covers(for_task, "t", target, task="t2", **HERE)
    assert not grant_covers(for_task, "t", target, task=None, **HERE)


FULL = Grant(
    tools=("a", "b"),
    path="src/*",
    place="https://example.com",
    app="org.*",
    command="lint",
    server="s*",
    project="/srv/shop",
    identity="program:a",
    until="2099-01-01",
)


def test_the_rule_of_a_grant_says_all_that_the_grant_says() -> None:
    assert rule_from_grant(FULL) == Rule(
        decision="allow",
        tool="{a,b}",
        path="src/*",
        place="https://example.com",
        app="org.[*]",
        command="lint",
        server="s[*]",
        project="/srv/shop",
        agent="program:a",
        until="2099-01-01",
        below=False,
    )
    assert rule_from_grant(Grant(tools=("a",), project=ALL, identity=ALL)) == Rule(decision="allow", tool="a")
    assert rule_from_grant(Grant(tools=("a",))) == Rule(decision="allow", tool="a")


@pytest.mark.parametrize(
    ("narrower", "lies"),
    [
        ({}, True),
        ({"tools": ("a",)}, True),
        ({"tools": ("a", "c")}, False),
        ({"path": "src/x"}, True),
        ({"path": "x"}, False),
        ({"path": "src/**"}, False),
        ({"path": UNSET}, False),
        ({"until": "2098-01-01"}, True),
        ({"until": "2099-01-02"}, False),
        ({"until": UNSET}, False),
        ({"place": "https://example.org"}, False),
        ({"app": "org.b"}, False),
        ({"command": "build"}, False),
        ({"server": "t"}, False),
        ({"task": "t1"}, False),
        ({"project": "/srv/other"}, False),
        ({"project": ALL}, False),
        ({"identity": "program:b"}, False),
        ({"identity": ALL}, False),
    ],
)
def test_a_grant_lies_within_another_where_nothing_in_it_is_wider(narrower: dict[str, Any], lies: bool) -> None:
    assert is_within(replace(FULL, **narrower), FULL) == lies


def test_an_unlimited_offer_contains_every_narrower_grant() -> None:
    everything = replace(FULL, project=ALL, identity=ALL, until=UNSET)
    assert is_within(FULL, everything)
    assert is_within(replace(FULL, until=UNSET), everything)
    assert not is_within(replace(FULL, path="src/x"), replace(FULL, path=UNSET))


def test_a_grant_ends_at_its_moment() -> None:
    end = datetime(2099, 1, 1, 12, tzinfo=UTC)
    grant = replace(FULL, until=end.isoformat())
    assert not has_expired(grant, end - timedelta(microseconds=1))
    assert has_expired(grant, end)
    assert not has_expired(replace(FULL, until=UNSET), end)


def test_without_a_task_there_is_none_to_allow_it_for() -> None:
    with pytest.raises(NotOffered, match=r"^`task` isn't offered here$") as refused:
        choose_grant(offered(Call("write_to_file", {}, ME), README), "task", UNSET)
    assert refused.value.field == "scope"


def test_how_wide_a_grant_is() -> None:
    (_, task, kind, rule) = (each.grant for each in offered(WRITE, README))
    assert task
    assert kind
    assert rule
    assert not is_wide(task)
    assert not is_wide(kind)
    assert is_wide(rule)
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    assert not is_wide(replace(rule, until=soon))
    assert is_wide(replace(rule, until=soon, project=ALL))
    assert is_wide(replace(rule, until=soon, identity=ALL))
    assert is_wide(replace(rule, until=soon, path="**"))
    assert is_wide(replace(rule, until=soon, project=UNSET))
    assert is_wide(replace(rule, until=soon, identity=UNSET))
    assert not is_wide(replace(rule, until=soon, path="X"))
    day = (NOW + timedelta(hours=24)).isoformat()
    assert not is_wide(replace(rule, until=day), NOW)
    assert is_wide(replace(rule, until=day), NOW - timedelta(seconds=1))


@pytest.mark.parametrize("path", ["conftest.py", "tests/conftest.py", ".claude/hooks/check.py", "sitecustomize.py"])
def test_a_pattern_for_the_task_covers_no_file_that_runs_automatically(path: str) -> None:
    grant = Grant(tools=("write_to_file",), path="**/*.py", project="/p", identity="i", task="t")
    covers = partial(grant_covers, grant, "write_to_file", project="/p", identity="i", task="t")
    assert covers(Target(path="src/shop.py"))
    assert not covers(Target(path=path))
    folder = replace(grant, path="**")
    assert not grant_covers(
        folder,
        "write_to_file",
        Target(path="tests", steps=(Step(Effect.WRITE, Target(path=path)),)),
        project="/p",
        identity="i",
        task="t",
    )
    literal = replace(grant, path=path)
    assert grant_covers(literal, "write_to_file", Target(path=path), project="/p", identity="i", task="t")
