"""The approval as data, for clients that say it in the person's language."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

import handrail.features.hooks.plan as plan
import handrail.features.hooks.shell as shell
from handrail.features.browser.shown_element import UNKNOWN_DESTINATION
from handrail.kernel.approval import Question
from handrail.kernel.auto_run_files import reasons
from handrail.kernel.call import Call
from handrail.kernel.prompts.approval_prompt import prompt_of
from handrail.kernel.prompts.phrases import CODES, phrase
from handrail.kernel.prompts.rules import check_prompt
from handrail.kernel.registry import surface_of
from handrail.kernel.repeat_question import NEAR, differences
from handrail.kernel.target import Step, Target
from handrail.kernel.tool import CallSubject, Difference, Preview
from handrail.ports import errors
from handrail.ports.approval_card import Card
from handrail.ports.effect import Effect
from handrail.ports.errors import Failure
from handrail.ports.identity import Caller
from handrail.ports.prompts import FileChangePrompt
from handrail.wiring import Wiring

AGENT = Caller("mcp", "claude-code/2.1", "uid:0", "agent:claude")
WEB = Path(__file__).parents[2] / "web"


def card(preview: Preview, effect: Effect = Effect.WRITE, target: Target | None = None, params: Any = None) -> Card:
    call = Call("a_tool", params or {}, AGENT)
    question = Question(call, "A tool", effect, params or {}, preview, "digest", target=target or Target())
    prompt = prompt_of(question, None, "/home/you/shop")
    read = check_prompt(msgspec.to_builtins(prompt))
    assert isinstance(read, FileChangePrompt)
    assert read.card == prompt.card, "it comes back from the log as it was written"
    assert isinstance(read.card, Card)
    return read.card


@pytest.mark.parametrize(
    ("target", "effect", "notes"),
    [
        (Target(path="/etc/hosts", is_outside=True), Effect.READ, ["outside"]),
        (Target(path=".git/config", is_closed=True), Effect.READ, ["closed"]),
        (Target(path="a.md"), Effect.READ, []),
        (Target(path="/etc/hosts", is_outside=True), Effect.WRITE, []),
    ],
)
def test_it_says_why_reading_asks(target: Target, effect: Effect, notes: list[str]) -> None:
    assert [note.name for note in card(Preview("Read"), effect, target).notes] == notes


def test_it_says_who_wants_what_where_and_why() -> None:
    about = CallSubject("Save", "button", "http://localhost:5173/cart", reason="Put it into the cart.")
    made = card(Preview('Click button "Save"', about=about), Effect.UI_CONTROL, params={"tabId": 3})
    assert (made.agent, made.tool, made.effect, made.project) == (
        "claude-code/2.1",
        "a_tool",
        "UI_CONTROL",
        "/home/you/shop",
    )
    assert (made.object, made.kind, made.within) == ("Save", "button", "http://localhost:5173/cart")
    assert made.reason == "Put it into the cart."
    assert [(each.name, each.value) for each in made.params] == [("tabId", "3")]


@pytest.mark.parametrize(
    ("preview", "target", "risks"),
    [
        (Preview("Edit", path="a.md", diff="", about=CallSubject(can_undo=True)), Target(path="a.md"), {"undoable"}),
        (Preview("Open", place="https://example.org"), Target(), {"leaves"}),
        (Preview("Open", place="http://localhost:5173"), Target(), set()),
        (Preview("Open", place="http://[::1]:5173"), Target(), set()),
        (Preview("Open", place=""), Target(), set()),
        (Preview("Run", command="make"), Target(), {"code"}),
        (Preview("Edit", path="package.json", diff=""), Target(), {"code"}),
        (Preview("Edit", path=".env", diff=""), Target(), {"secrets"}),
        (
            Preview("Run", command="cat .env"),
            Target(steps=(Step(Effect.READ, Target(path=".env")),)),
            {"code", "secrets"},
        ),
    ],
)
def test_the_risks_are_those_that_are_known(preview: Preview, target: Target, risks: set[str]) -> None:
    assert set(card(preview, target=target).risks) == risks


def test_sentences_of_ours_go_out_as_codes() -> None:
    preview = Preview(
        "Click",
        unseen="Another window may cover it.",
        changed=[Difference("was", "Leads to", UNKNOWN_DESTINATION), Difference("", "", NEAR)],
        facts=[("Leads to", UNKNOWN_DESTINATION), ("Not certain", "It is unknown what make starts.\nan agent's words")],
    )
    made = card(preview, Effect.UI_CONTROL)
    assert made.unseen
    assert made.unseen.code == "covered"
    assert [(each.name, each.of or None, each.code) for each in made.changed] == [
        ("was", "Leads to", "scriptDecides"),
        ("", None, "somethingNear"),
    ]
    assert [(each.code or None, each.value) for each in made.facts] == [
        ("scriptDecides", ""),
        ("startsUnknown", "make"),
        (None, "an agent's words"),
    ]


def test_changes_since_an_approval_are_in_the_card_as_data() -> None:
    before = Preview("Click", about=CallSubject("Pay 1 €", "button", "https://a.example"), facts=[("Near it", "1 €")])
    now = Preview("Click", about=CallSubject("Pay 9 €", "button", "https://a.example"), facts=[("Near it", "9 €")])
    made = card(Preview("Click", changed=differences(before, now)))
    assert [(each.name, each.of, each.value) for each in made.changed] == [
        ("was", "object", "Pay 1 €"),
        ("was", "Near it", "1 €"),
        ("now", "object", "Pay 9 €"),
        ("now", "Near it", "9 €"),
    ]


def test_no_agents_text_can_hide_in_it() -> None:
    made = card(Preview("Edit", about=CallSubject("a\u202eb", reason="c\u200bd")))
    assert "\u202e" not in made.object
    assert "\u200b" not in made.reason


def test_every_sentence_that_can_be_in_a_question_has_a_code() -> None:
    sources = [Path(plan.__file__), *Path(shell.__path__[0]).glob("*.py")]
    found = [
        re.sub(r"\{[^}]+\}", "x", text)
        for source in sources
        for text in re.findall(r'(?:doubt|remarks\.append)\(f?"([^"]+)"', source.read_text())
    ]
    assert len(found) > 15
    for text in [*found, *reasons().values(), UNKNOWN_DESTINATION]:
        assert phrase(text) is not None, text


@pytest.mark.parametrize(
    "text",
    [
        "your sign-in (mail.read)",
        "these are different hosts: who signs in at a.example is known to b.example afterwards",
        "com.example.mail on the session bus",
        "com.example.mail on the system bus",
        "the program /usr/bin/mail --stdio",
        "com.example.mail by Apple Events",
    ],
)
def test_what_is_said_of_an_app_has_a_code(text: str) -> None:
    assert phrase(text) is not None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_console_has_words_for_every_code(language: str) -> None:
    texts = (WEB / f"console/src/features/people/texts/card.{language}.ts").read_text()
    missing = [code for code in sorted(CODES) if not re.search(rf"^    {code}[:(]", texts, re.MULTILINE)]
    assert not missing


def test_the_console_has_chinese_words_for_every_condition() -> None:
    texts = (WEB / "console/src/texts/failures.zh.ts").read_text()
    conditions = [name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Failure)]
    assert len(conditions) > 25
    assert not [name for name in conditions if f"  {name}: " not in texts]


def test_the_console_has_an_act_for_every_tool() -> None:
    acts = (WEB / "console/src/logic/acts.ts").read_text() + (WEB / "console/src/texts/acts.en.ts").read_text()
    tools = [tool.name for feature in Wiring().features for tool in surface_of(feature).tools]
    assert not [name for name in tools if f"{name}: " not in acts and name != "browser_action"]
