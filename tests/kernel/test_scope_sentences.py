"""What a yes allows beyond its call, compared with the sentence that the person read: the model here knows only that.

The questions are asked through the real queue and their yes is kept in the real stores. How a sentence is read, and
which calls lie within it, is written here once more, without the code that decides.
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET, structs, to_builtins

from handrail.kernel.approval import Question
from handrail.kernel.call import Call
from handrail.kernel.offered_scopes import choose_offer
from handrail.kernel.policy import compose_policy
from handrail.kernel.policy_document import PolicyDocument
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.kernel.queue_approver import QueueApprover, remember_in
from handrail.kernel.target import Step, Target
from handrail.kernel.tool import Preview
from handrail.ports.approval_card import Grant, Offer, Scope
from handrail.ports.effect import Effect
from handrail.ports.identity import Caller
from handrail.ports.policy import Decision
from handrail.ports.prompts import FileChangePrompt
from handrail.ports.stores import Stores
from handrail.stores.local.prompt_store import prompt_store
from handrail.wiring import Wiring
from tests.effort import count, tries

PROJECTS = ["/srv/shop", "/srv/shop2", "/srv/Shop"]
PATTERNS = ["*", "**", "[id].md", "{a,b}", "a?c", "[!a]", "~", "a,b"]
NAMES = [*PATTERNS, "a", "A", "b", "i.md", "abc", "x.md", "x.MD", "é", "e\u0301", " ", "a ", ".md"]
HOSTS = ["localhost", "127.0.0.1", "[::1]", "example.com", "sub.example.com", "xn--bcher-kva.example"]
SUFFIXES = ["", ":80", ":443", ":5173"]

paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
outside = paths.map(lambda path: Target(path=f"/home/ada/{path}", is_outside=True))
inside = paths.map(lambda path: Target(path=path))


def _place(scheme: str, host: str, port: str) -> str:
    """As the program spells places: the scheme's own port is left out, except on this machine."""
    is_here = host in ("localhost", "127.0.0.1", "[::1]")
    own = ":443" if scheme == "https" else ":80"
    port = port or own
    return f"{scheme}://{host}" + (port if is_here or port != own else "")


places = st.builds(_place, st.sampled_from(["http", "https"]), st.sampled_from(HOSTS), st.sampled_from(SUFFIXES))
commands = st.sampled_from(["make", "make  test", "make *", 'make ({"input":true})'])
several = st.lists(paths, min_size=2, max_size=3, unique=True).map(
    lambda found: Target(steps=tuple(Step(Effect.WRITE, Target(path=path)) for path in found))
)
TARGETS = {
    "write_to_file": inside,
    "native_edit": st.one_of(inside, outside, several),
    "browser_click": places.map(lambda place: Target(place=place)),
    "browser_upload": st.one_of(
        places.map(lambda place: Target(place=place)),
        st.builds(lambda place, path: Target(place=place, path=path), places, paths),
    ),
    "desktop_click": st.sampled_from(["org.mousepad", "Org.Mousepad", "org.*"]).map(lambda app: Target(app=app)),
    "native_shell": commands.map(lambda command: Target(command=command)),
    "execute_command": st.builds(lambda path, line: Target(path=path, command=line), paths, commands),
    "native_mcp": st.builds(
        lambda server, tool: Target(server=server, command=tool), st.sampled_from(["files", "file*"]), commands
    ),
}


@dataclass(frozen=True)
class Made:
    """A call: who makes it where, in which task and when."""

    tool: str
    target: Target
    project: str
    identity: str
    agent: str
    task: str | None
    hours: float

    @property
    def call(self) -> Call:
        caller = Caller("mcp", "claude", "p", self.identity, self.agent)
        return Call(self.tool, {}, caller, task=self.task)


made = st.sampled_from(sorted(TARGETS)).flatmap(
    lambda tool: st.builds(
        Made,
        tool=st.just(tool),
        target=TARGETS[tool],
        project=st.sampled_from(PROJECTS),
        identity=st.sampled_from(["process:1", "process:2"]),
        agent=st.sampled_from(["program:a", "program:b"]),
        task=st.sampled_from([None, "t1", "t2"]),
        hours=st.sampled_from([0.0, 0.9, 1.1, 11.9, 12.1, 1000.0]),
    )
)


@st.composite
def nearby(draw: st.DrawFn, first: Made) -> Made:
    """A call that differs from the first in few things, or in none."""
    other = draw(made)
    kept = draw(st.sets(st.sampled_from(["project", "identity", "agent", "task", "hours", "target"]), min_size=4))
    if "target" in kept:
        other = replace(other, tool=first.tool)
    values = {name: getattr(first, name) for name in kept}
    if other.tool != first.tool:
        values.pop("target", None)
    return replace(other, **values)


# The model: a sentence, and which calls it speaks of


def spelled(path: str) -> str:
    """The pattern that names this path alone: what means more stands in brackets."""
    marked = "".join(f"[{char}]" if char in "*?[{}," else char for char in path)
    return f"[~]{marked[1:]}" if marked.split("/")[0] == "~" else marked


def read_sentence(offer: Offer) -> tuple[list[str], dict[str, str | None]]:
    """The tools, and each thing that is named, by the word before it."""
    assert isinstance(offer.what, str)
    said = re.findall(r'(\w+) ("(?:[^"\\]|\\.)*")', offer.what)
    tools = re.split(r" \w+ \"", offer.what, maxsplit=1)[0].split(", ")
    return tools, {word: _unquoted(value) for word, value in said}


def _unquoted(text: str) -> str:
    return str(json.loads(re.sub(r"\\u\{([0-9a-f]+)\}", lambda found: f"\\u{int(found[1], 16):04x}", text)))


def says(offer: Offer, later: Made, asked_at: datetime) -> bool:
    """Whether the person who has read this expects the later call to pass."""
    tools, named = read_sentence(offer)
    target = later.target
    if later.tool not in tools or offer.where != json.dumps(later.project):
        return False
    lasting = later.identity if offer.scope == "task" else later.agent
    if offer.who != f"claude ({lasting})":
        return False
    things = {"at": target.place, "in": target.app, "command": target.command, "server": target.server}
    if offer.scope == "rule":  # of the same app, one program writes `Mousepad` and the next `mousepad`
        named, things = ({**each, "in": (each.get("in") or "").lower() or None} for each in (named, things))
    if any(named.get(word) != value for word, value in things.items()):
        return False
    assert isinstance(offer.until, str)
    if offer.scope == "task":
        said = re.fullmatch(r'the task "(.*)" ends, at most until (.*)', offer.until)
        assert said is not None
        task, end = said.groups()
        if later.task != task:
            return False
    else:
        end = offer.until
    if end != "you remove the rule" and asked_at + timedelta(hours=later.hours) >= datetime.fromisoformat(end):
        return False
    if target.steps:
        return offer.scope == "rule" and all(_is_meant(named, step.target.path) for step in target.steps)
    return _is_meant(named, target.path)


def _is_meant(named: dict[str, str | None], path: str | None) -> bool:
    pattern = named.get("file")
    if pattern is None or path is None:
        return pattern is None and path is None
    if pattern.startswith("**/*."):
        return path.rpartition("/")[2].endswith(pattern.removeprefix("**/*"))
    return pattern == spelled(path)


# The program


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    opened = Wiring().open_stores(tmp_path_factory.mktemp("scopes"))
    yield opened
    opened.close()


Edit = Callable[[Sequence[Offer]], Grant]
"""How a person changes what is offered before they say yes."""


async def said_yes(stores: Stores, folder: Path, first: Made, scope: Scope, edit: Edit) -> Offer | None:
    """What the person read last, once their yes is kept; None where the scope wasn't offered."""
    queue = LogPromptQueue(prompt_store(folder))
    approver = QueueApprover(queue, stores.once, remember_in(stores), stores.grants, first.project)
    target = first.target
    preview = Preview("Do it", path=target.path, place=target.place, app=target.app)
    question = Question(first.call, "Do", Effect.WRITE, {}, preview, "d", target=target)
    asking = asyncio.ensure_future(approver.ask(question))
    try:
        async for _ in queue.follow(0):
            break
        (asked,) = await queue.pending()
        assert isinstance(asked.prompt, FileChangePrompt)
        offers = [offer for offer in asked.prompt.offers or () if offer.scope == scope]
        wish = edit(offers) if offers else None
        answer = {"status": "ok"} if wish is None else {"status": "ok", "scope": scope, "grant": to_builtins(wish)}
        await queue.respond(asked.request_id, answer)
        await asking
    finally:
        await queue.close()
    return None if wish is None else choose_offer(offers, scope, wish)


async def passes(stores: Stores, later: Made, scope: Scope, asked_at: datetime) -> bool:
    """As the gate decides: the rules in force there, or what was allowed for the task."""

    def now() -> datetime:
        return asked_at + timedelta(hours=later.hours)

    if scope == "rule":
        policy = compose_policy(PolicyDocument(), is_trusted=True, user_rules=stores.rules(), project=later.project)
        decided = replace(policy, now=now).decide(later.tool, Effect.WRITE, later.target, later.agent).decision
        return decided is Decision.ALLOW
    approver = QueueApprover(stores.prompts, stores.once, remember_in(stores), stores.grants, later.project, now=now)
    return not await approver.will_ask(later.call, later.target)


async def forget(stores: Stores) -> None:
    for rule in stores.rules():
        stores.remove_rule(rule)
    for each in await stores.grants.all():
        await stores.grants.revoke(each.id)


@pytest.mark.trial("scopes")
@settings(max_examples=tries(15, 3000), suppress_health_check=list(HealthCheck))
@given(data=st.data(), first=made, scope=st.sampled_from(["task", "rule"]))
def test_a_yes_allows_the_calls_that_its_sentence_speaks_of_and_no_other(
    stores: Stores, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, first: Made, scope: Scope
) -> None:
    first = replace(first, hours=0.0)
    later = [first, *data.draw(st.lists(nearby(first), min_size=3, max_size=8))]
    asked_at = datetime.now(UTC)
    end = (asked_at + timedelta(hours=1)).isoformat(timespec="seconds")

    def edit(offers: Sequence[Offer]) -> Grant:
        """One of those that are offered, or until an hour from now."""
        grant = data.draw(st.sampled_from(offers)).grant
        assert grant is not UNSET
        return structs.replace(grant, until=end) if data.draw(st.booleans()) else grant

    async def go() -> None:
        try:
            offer = await said_yes(stores, tmp_path_factory.mktemp("queue"), first, scope, edit)
            assert len([*stores.rules(), *await stores.grants.all()]) == (0 if offer is None else 1)
            if offer is None:
                return
            for each in later:
                is_said = says(offer, each, asked_at)
                assert await passes(stores, each, scope, asked_at) == is_said, (offer.what, offer.until, each)
                count()
        finally:
            await forget(stores)

    asyncio.run(go())
