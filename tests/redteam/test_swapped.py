"""Attacks on what a person allowed: the page changes between the question and the act, in a real Chromium.

Each page asks for "Pay 1 EUR to Bob" and tries to have something else sent after the yes.
"""

from collections.abc import Iterator

import pytest

from tests.effort import chance, first_of, tries
from tests.redteam.bank import Bank, Pages, serving
from tests.waiting import until


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    with serving() as site:
        bank = Bank(tmp_path_factory.mktemp("bank"), site)
        yield bank
        bank.close()


LATER = "asked.then(() => {{ {} ; return swapped(); }});"
CHANGES_WHILE_ASKED = {
    "values and text": LATER.format("swap()"),
    "hidden values alone": LATER.format("silently()"),
    "one more hidden value": LATER.format(
        "form.insertAdjacentHTML('afterbegin', '<input type=hidden name=to value=Mallory>')"
    ),
    "text alone": LATER.format("document.getElementById('who').textContent = 'Mallory'"),
    "action": LATER.format("form.action = '/evil'"),
    "formaction": LATER.format("button.formAction = '/evil'"),
    "the button's name": LATER.format("button.textContent = 'Pay all'"),
    "another form": LATER.format(
        "document.body.insertAdjacentHTML('beforeend', '<form id=other action=/evil method=post></form>');"
        "button.setAttribute('form', 'other')"
    ),
    "how its values are written": LATER.format("form.enctype = 'text/plain'"),
    "behind a field named action": LATER.format(
        "form.insertAdjacentHTML('beforeend', '<input type=hidden name=action value=/pay>');"
        "form.setAttribute('action', '/evil')"
    ),
}


@pytest.mark.parametrize("name", first_of("swapped", *((name,) for name in CHANGES_WHILE_ASKED)))
def test_a_form_that_changes_while_a_person_is_asked_is_asked_about_again(bank: Bank, name: str) -> None:
    numbers = bank.opens(CHANGES_WHILE_ASKED[name])
    call = bank.begins("browser_click", clickId=numbers["Pay"])
    first = bank.person.sees()["prompt"]
    assert 'Field "amount" (hidden): "1"' in first["message"]
    assert "/pay" in first["message"]
    Pages.is_asked.set()
    until(Pages.is_swapped.is_set)
    bank.person.answers("--ok")
    again = bank.denies()
    assert again["changed"]
    assert "has changed since you allowed it" in again["message"]
    assert call.result(60).code == "FORBIDDEN"
    assert Pages.sent == []


MORE_WORDS = "document.getElementById('words').insertAdjacentHTML('beforeend', `{}`);"
STYLES = "document.head.insertAdjacentHTML('beforeend', `<style>{}</style>`);"
CHANGES_ONLY_SEEN = {
    "text that screen readers aren't told": (
        "document.getElementById('words').setAttribute('aria-hidden', 'true');"
        + LATER.format("document.getElementById('who').textContent = 'Mallory'")
    ),
    "text under another label": (
        "document.getElementById('words').setAttribute('aria-label', 'Pay');"
        + LATER.format("document.getElementById('sum').textContent = '9999 EUR'")
    ),
    "text of a style sheet": (
        "document.head.insertAdjacentHTML('beforeend', `<style>#who { font-size: 0 } #who::before { font-size: 16px;"
        "content: 'Bob' } .x #who::before { content: 'Mallory' }</style>`);"
        + LATER.format("document.body.className = 'x'")
    ),
    "opacity": MORE_WORDS.format("<i id=one>Bob</i><i id=two style='opacity:0'>Mallory</i>")
    + LATER.format("one.style.opacity = 0; two.style.opacity = 1"),
    "colour": MORE_WORDS.format("<i id=one>Bob</i><i id=two style='color:transparent'>Mallory</i>")
    + LATER.format("one.style.color = 'transparent'; two.style.color = 'black'"),
    "place": MORE_WORDS.format("<i id=one>Bob</i><i id=two style='position:absolute;left:-9999px'>Mallory</i>")
    + LATER.format("one.style.cssText = two.style.cssText; two.style.cssText = ''"),
    "a picture": MORE_WORDS.format(
        "<img id=payee width=9 height=9 alt=payee src='data:image/svg+xml,<svg id=%22Bob%22/>'>"
    )
    + LATER.format("payee.src = payee.src.replace('Bob', 'Mallory')"),
    "text in a closed shadow": MORE_WORDS.format("<x-payee id=payee></x-payee>")
    + "const shadow = payee.attachShadow({ mode: 'closed' }); shadow.innerHTML = 'Bob';"
    + LATER.format("shadow.innerHTML = 'Mallory'"),
    "an empty field's hint": MORE_WORDS.format("<input id=payee disabled placeholder='to Bob'>")
    + LATER.format("payee.placeholder = 'to Mallory'"),
    "text of a form whose fields hide its content": (
        "form.insertAdjacentHTML('beforeend', '<input type=hidden name=childNodes>'.repeat(2));"
        + LATER.format("document.getElementById('who').textContent = 'Mallory'")
    ),
    "text of a form whose field hides its content": (
        "form.insertAdjacentHTML('beforeend', '<input type=hidden name=shadowRoot>');"
        + LATER.format("document.getElementById('who').textContent = 'Mallory'")
    ),
    "a drawing under its title": MORE_WORDS.format(
        "<svg width=99 height=30><title>Payee</title><text id=payee y=20>Bob</text></svg>"
    )
    + LATER.format("payee.textContent = 'Mallory'"),
    "a number that styles count": (
        STYLES.format(
            "#words { counter-reset: n 1 } #sum { font-size: 0 }"
            " #sum::after { font-size: 16px; content: counter(n) ' EUR' }"
        )
        + LATER.format("words.style.counterReset = 'n 9999'")
    ),
    "quotes": STYLES.format(
        "#who { font-size: 0; quotes: 'Bob' '' } #who::after { font-size: 16px; content: open-quote }"
    )
    + LATER.format('who.style.quotes = \'"Mallory" ""\''),
    "the number of a list": MORE_WORDS.format("<ol id=list><li>EUR to Bob</ol>") + LATER.format("list.start = 9999"),
    "the marker of a list": MORE_WORDS.format(
        "<i id=item style='display:list-item;list-style:inside &quot;Bob&quot;'>x</i>"
    )
    + LATER.format("item.style.listStyleType = '\"Mallory\"'"),
    "the marker of a style sheet": STYLES.format(
        "#item::marker { content: 'Bob' } .x::marker { content: 'Mallory' !important }"
    )
    + MORE_WORDS.format("<i id=item style='display:list-item;list-style:inside'>x</i>")
    + LATER.format("item.className = 'x'"),
    "a picture behind the text": MORE_WORDS.format(
        "<i id=payee style='padding:9px;background:url(&quot;data:image/svg+xml,<svg id=%22Bob%22/>&quot;)'></i>"
    )
    + LATER.format("payee.style.backgroundImage = payee.style.backgroundImage.replace('Bob', 'Mallory')"),
    "the part of a picture": MORE_WORDS.format(
        "<img id=payee width=9 height=9 style='object-fit:none' src='data:image/svg+xml,<svg/>'>"
    )
    + LATER.format("payee.style.objectPosition = '0 -20px'"),
    "a picture in a drawing": MORE_WORDS.format(
        "<svg><image id=payee width=9 height=9 href='data:image/svg+xml,<svg/>' /></svg>"
    )
    + LATER.format("payee.setAttribute('href', 'data:image/svg+xml,<svg id=%22Mallory%22/>')"),
    "order": MORE_WORDS.format(
        "<span style='display:flex'><i>1 EUR to</i><i id=one>Bob, 9999 EUR to</i><i id=two>Mallory</i></span>"
    )
    + LATER.format("one.style.order = 2; two.style.order = 1"),
    "direction": MORE_WORDS.format("<bdo id=sum2 dir=ltr>1000000 EUR</bdo>") + LATER.format("sum2.dir = 'rtl'"),
    "crossed out": MORE_WORDS.format("<i id=one>not</i> <i>Mallory</i>")
    + LATER.format("one.style.textDecoration = 'line-through'"),
    "the colour of the page": MORE_WORDS.format("<i id=one>Bob</i><i id=two style='color:white'>Mallory</i>")
    + LATER.format("one.style.color = 'white'; two.style.color = 'black'"),
    "a mask": MORE_WORDS.format("<i id=one>Bob</i><i id=two style='mask:linear-gradient(#0000,#0000)'>Mallory</i>")
    + LATER.format("one.style.mask = two.style.mask; two.style.mask = 'none'"),
    "dots": MORE_WORDS.format("<i id=one>Bob</i><i id=two style='-webkit-text-security:disc'>Mallory</i>")
    + LATER.format("one.style.webkitTextSecurity = 'disc'; two.style.webkitTextSecurity = 'none'"),
    "text behind much that can't be seen": (
        "document.getElementById('words').insertAdjacentHTML('afterbegin',"
        " `<i style='position:absolute;left:-9999px;width:2000px'>${'x '.repeat(5000)}</i>`);"
        + LATER.format("document.getElementById('who').textContent = 'Mallory'")
    ),
    "text behind much that can be seen": (
        "document.getElementById('words').insertAdjacentText('afterbegin', 'x '.repeat(1000));"
        + LATER.format("document.getElementById('who').textContent = 'Mallory'")
    ),
}


@pytest.mark.parametrize("name", first_of("swapped", *((name,) for name in CHANGES_ONLY_SEEN)))
def test_a_change_that_only_eyes_can_notice_is_asked_about_again(bank: Bank, name: str) -> None:
    numbers = bank.opens(CHANGES_ONLY_SEEN[name])
    call = bank.begins("browser_click", clickId=numbers["Pay"])
    bank.person.sees()
    Pages.is_asked.set()
    until(Pages.is_swapped.is_set)
    bank.person.answers("--ok")
    assert bank.denies()["changed"]
    assert call.result(60).code == "FORBIDDEN"
    assert Pages.sent == []


CUSTOM = """
customElements.define("x-payee", class extends HTMLElement {
  static formAssociated = true;
  constructor() { super(); this.holder = this.attachInternals(); this.holder.setFormValue(this.getAttribute("value")); }
});
for (const [name, value] of [["payee", "Bob"], ["password", "secret"]])
  form.insertAdjacentHTML("beforeend", `<x-payee name=${name} value=${value}></x-payee>`);
const payee = form.querySelector("x-payee"); let heard = 0; form.addEventListener("formdata", () => heard++);
"""


def test_what_custom_elements_send_with_their_form_is_shown_and_bound(bank: Bank) -> None:
    numbers = bank.opens(CUSTOM + LATER.format("payee.holder.setFormValue(heard ? 'heard' : 'Mallory')"))
    call = bank.begins("browser_click", clickId=numbers["Pay"])
    first = bank.person.sees()["prompt"]["message"]
    assert 'Field "payee": "Bob"' in first
    assert "secret" not in first
    Pages.is_asked.set()
    until(Pages.is_swapped.is_set)
    bank.person.answers("--ok")
    assert {'was: Field "payee": "Bob"', 'now: Field "payee": "Mallory"'} <= set(bank.allows()["changed"])
    assert call.result(60).error is None
    until(lambda: Pages.sent)
    assert (Pages.sent[0]["payee"], Pages.sent[0]["password"]) == ("Mallory", "secret")


def test_a_custom_element_that_changes_during_the_click_sends_nothing(bank: Bank) -> None:
    numbers = bank.opens(CUSTOM + "button.addEventListener('click', () => payee.holder.setFormValue('Mallory'))")
    call = bank.begins("browser_click", clickId=numbers["Pay"])
    bank.allows()
    bank.denies()
    assert call.result(60).code == "FORBIDDEN"
    assert Pages.sent == []


def test_a_field_beside_a_button_without_a_form_is_shown_and_bound(bank: Bank) -> None:
    loose = "<p><input id=payee aria-label=Payee value=Bob> <button onclick=fetch('/evil')>Send</button>"
    script = f"document.body.insertAdjacentHTML('beforeend', `{loose}`);"
    numbers = bank.opens(script + LATER.format("payee.value = 'Mallory'"))
    call = bank.begins("browser_click", clickId=numbers["Send"])
    assert 'Field "Payee": "Bob"' in bank.person.sees()["prompt"]["message"]
    Pages.is_asked.set()
    until(Pages.is_swapped.is_set)
    bank.person.answers("--ok")
    assert {'was: Field "Payee": "Bob"', 'now: Field "Payee": "Mallory"'} <= set(bank.denies()["changed"])
    assert call.result(60).code == "FORBIDDEN"
    assert Pages.sent == []


@pytest.mark.parametrize("moment", first_of("swapped", ("mousedown",), ("click",)))
def test_a_box_to_tick_that_becomes_the_button_of_a_form_sends_nothing(bank: Bank, moment: str) -> None:
    become = "silently(); box.setAttribute('form', 'pay'); box.type = 'submit'"
    numbers = bank.opens(
        "document.body.insertAdjacentHTML('beforeend', '<input id=box type=checkbox aria-label=Agree>');"
        f"box.addEventListener('{moment}', () => {{ {become} }})"
    )
    call = bank.begins("browser_click", clickId=numbers["Agree"])
    bank.allows()
    bank.denies()
    assert call.result(60).code == "FORBIDDEN"
    assert Pages.sent == []


DURING_THE_CLICK = {
    "click, and nothing after it is heard": (
        "const deaf = (event) => event.stopImmediatePropagation();"
        "addEventListener('click', (event) => { silently(); deaf(event); }, true);"
        "for (const type of ['submit', 'formdata']) addEventListener(type, deaf, true);"
        "navigation.addEventListener('navigate', deaf)"
    ),
    "mousedown, and the guard is kept from hearing": (
        "addEventListener('pointerdown', (event) => { silently(); event.stopImmediatePropagation(); }, true);"
        "addEventListener('mousedown', (event) => { silently(); event.stopImmediatePropagation(); }, true)"
    ),
    "click, sent by script": (
        "button.addEventListener('click', (event) => { event.preventDefault(); silently(); form.submit(); })"
    ),
    "formdata, heard by nobody else": (
        "form.addEventListener('formdata', (e) => { e.formData.set('to', 'Mallory'); e.stopImmediatePropagation(); })"
    ),
    "action in a submit listener": "form.addEventListener('submit', () => { form.action = '/evil'; })",
    "another element under the mouse": (
        "addEventListener('mousemove', () => { const trap = document.createElement('a'); trap.href = '/trap';"
        "trap.style.cssText = 'position:fixed;inset:0;z-index:9;opacity:0'; trap.textContent = 'x';"
        "document.body.append(trap); }, { once: true })"
    ),
    "a style sheet, under the mouse": (
        "document.head.insertAdjacentHTML('beforeend', `<style>#pay:hover #who { opacity: 0 }"
        " #pay:hover #sum::after { content: ' to Mallory' }</style>`)"
    ),
    "mousemove": "addEventListener('mousemove', swap, true)",
    "pointerdown": "addEventListener('pointerdown', swap, true)",
    "mousedown": "addEventListener('mousedown', swap, true)",
    "mousedown, hidden": "addEventListener('mousedown', silently, true)",
    "mouseup": "addEventListener('mouseup', silently, true)",
    "click": "addEventListener('click', silently, true)",
    "click on the button": "button.addEventListener('click', silently)",
    "submit": "form.addEventListener('submit', silently)",
    "formdata": "form.addEventListener('formdata', (event) => event.formData.set('to', 'Mallory'))",
    "action in a click listener": "button.addEventListener('click', () => { form.action = '/evil'; })",
}


SENT_IN_THE_ADDRESS = ("submit", "formdata, heard by nobody else", "action in a submit listener")


@pytest.mark.parametrize(
    ("name", "method"),
    [
        *first_of("swapped", *((name, "post") for name in DURING_THE_CLICK)),
        *first_of("swapped", *((name, "get") for name in SENT_IN_THE_ADDRESS)),
    ],
)
def test_a_page_that_changes_itself_during_the_click_sends_nothing_else(bank: Bank, name: str, method: str) -> None:
    numbers = bank.opens(DURING_THE_CLICK[name], method)
    call = bank.begins("browser_click", clickId=numbers["Pay"])
    bank.allows()
    again = bank.denies()
    assert "has changed since you allowed it" in again["message"]
    assert call.result(60).code == "FORBIDDEN"
    assert Pages.sent == []


@pytest.mark.trial("swapped", is_long=True)
def test_a_link_that_leads_elsewhere_once_it_is_pressed_is_not_followed(bank: Bank) -> None:
    numbers = bank.opens(
        "addEventListener('mousedown', () => { document.getElementById('link').href = '/trap'; }, true)"
    )
    call = bank.begins("browser_click", clickId=numbers["Terms"])
    assert "/terms" in bank.allows()["message"]
    again = bank.denies()
    assert any("/trap" in line for line in again["changed"])
    assert call.result(60).code == "FORBIDDEN"
    assert Pages.sent == []


ENTERED = {
    "while it is asked about": LATER.format("silently()"),
    "while it is typed": "form.elements.note.addEventListener('input', silently)",
    "with the key": "addEventListener('keydown', (event) => { if (event.key === 'Enter') silently(); }, true)",
    "in a submit listener": "form.addEventListener('submit', silently)",
}


@pytest.mark.parametrize("script", first_of("swapped", *((script,) for script in ENTERED.values())), ids=ENTERED.keys())
def test_a_text_with_enter_sends_no_other_values(bank: Bank, script: str) -> None:
    numbers = bank.opens(script)
    call = bank.begins("browser_type", clickId=numbers["Note"], text="March", submit=True)
    bank.person.sees()
    Pages.is_asked.set()
    if "asked.then" in script:
        until(Pages.is_swapped.is_set)
    bank.person.answers("--ok")
    assert any("Mallory" in line for line in bank.denies()["changed"])
    assert call.result(60).code == "FORBIDDEN"
    assert Pages.sent == []


@pytest.mark.trial("swapped", is_long=True)
def test_a_key_for_what_has_the_focus_is_bound_to_it(bank: Bank) -> None:
    bank.opens("form.elements.note.focus();" + LATER.format("silently()"))
    call = bank.begins("browser_press_key", key="Enter")
    first = bank.person.sees()["prompt"]
    assert first["title"].startswith('Press "Enter" on textbox "Note"')
    Pages.is_asked.set()
    until(Pages.is_swapped.is_set)
    bank.person.answers("--ok")
    assert bank.denies()["changed"]
    assert call.result(60).code == "FORBIDDEN"
    assert Pages.sent == []


PIECES = (
    "form.elements.amount.value = '9999'", "form.elements.to.value = 'Mallory'", "form.action = '/evil'",
    "button.formAction = '/evil'", "document.getElementById('sum').textContent = '9999 EUR'",
    "document.getElementById('who').textContent = 'Mallory'", "form.elements.note.value = 'all'",
    "form.insertAdjacentHTML('beforeend', '<input type=hidden name=to value=Mallory>')",
    "button.value = 'all', button.name = 'extra'", "form.method = form.method === 'post' ? 'get' : 'post'",
)  # fmt: skip
MOMENTS = (
    "asked.then(() => {{ {} }});", "asked.then(() => setTimeout(() => {{ {} }}, {delay}));",
    "addEventListener('mousemove', () => {{ {} }}, true);", "addEventListener('pointerdown', () => {{ {} }}, true);",
    "button.addEventListener('mousedown', () => {{ {} }});", "button.addEventListener('click', () => {{ {} }});",
    "form.addEventListener('submit', () => {{ {} }});", "form.addEventListener('formdata', () => {{ {} }});",
    "addEventListener('mouseup', () => {{ {} }}, true);", "button.addEventListener('focus', () => {{ {} }});",
)  # fmt: skip


@pytest.mark.trial("swapped", is_long=True)
def test_random_changes_at_random_times_send_nothing_that_was_not_shown(bank: Bank) -> None:
    by = chance()
    for _ in range(tries(2, 40)):
        pieces = "; ".join(by.sample(PIECES, by.randint(1, 3)))
        script = by.choice(MOMENTS).format(pieces, delay=by.randrange(200))
        numbers = bank.opens(script, by.choice(["post", "get"]))
        call = bank.begins("browser_click", clickId=numbers["Pay"])
        bank.allows()
        until(lambda call=call: call.done() or bank.person.pending())  # type: ignore[misc]
        if not call.done():
            bank.denies()
        call.result(60)
        shown = {"path": "/pay", "amount": "1", "to": "Bob", "note": "rent"}
        assert [sent for sent in Pages.sent if sent != shown] == [], script


def test_a_page_that_looks_harmless_only_for_its_screenshot_is_asked_about_as_unseen(bank: Bank) -> None:
    numbers = bank.opens("""
        silently();
        const isOutlined = () => [...document.documentElement.children].some((one) => one.style.borderColor);
        const look = () => isOutlined() ? form.elements.to.value = "Bob" : silently();
        new MutationObserver(look).observe(document.documentElement, { childList: true });
    """)
    call = bank.begins("browser_click", clickId=numbers["Pay"])
    assert bank.allows()["unseen"] == "The page changed while its picture was taken."
    assert bank.denies()["changed"]
    assert call.result(60).code == "FORBIDDEN"
    assert Pages.sent == []


def test_another_element_in_the_place_of_the_one_that_was_shown_is_not_clicked(bank: Bank) -> None:
    numbers = bank.opens(LATER.format("button.replaceWith(button.cloneNode(true)); silently()"))
    call = bank.begins("browser_click", clickId=numbers["Pay"])
    bank.person.sees()
    Pages.is_asked.set()
    until(Pages.is_swapped.is_set)
    bank.person.answers("--ok")
    assert call.result(60).code == "INVALID_TARGET"
    assert Pages.sent == []


@pytest.mark.trial("swapped", is_long=True)
def test_a_second_approval_sends_what_it_showed(bank: Bank) -> None:
    numbers = bank.opens(LATER.format("swap()"))
    call = bank.begins("browser_click", clickId=numbers["Pay"])
    bank.person.sees()
    Pages.is_asked.set()
    until(Pages.is_swapped.is_set)
    bank.person.answers("--ok")
    again = bank.allows()
    assert {'was: Field "to" (hidden): "Bob"', 'now: Field "to" (hidden): "Mallory"'} <= set(again["changed"])
    assert call.result(60).error is None
    until(lambda: Pages.sent)
    assert Pages.sent == [{"path": "/pay", "amount": "9999", "to": "Mallory", "note": "rent"}]


HARMLESS = {
    "a clock and news elsewhere": (
        "setInterval(() => { document.getElementById('clock').textContent = performance.now();"
        "document.getElementById('news').textContent += '!'; }, 5)"
    ),
    "a countdown beside it": (
        "document.getElementById('words').insertAdjacentHTML('beforeend', ' <i id=left>00:04:59</i>');"
        "let ticks = 0; const tick = () => {"
        " document.getElementById('left').textContent = '00:04:' + (59 - ticks++ % 50); };"
        "setInterval(tick, 5)"
    ),
    "a hint that appears under the mouse": (
        "button.addEventListener('mouseover', () => button.insertAdjacentHTML('afterend', '<i>Pays at once</i>'),"
        "{ once: true })"
    ),
    "an animation": "button.animate([{ opacity: 1 }, { opacity: 0.5 }], { duration: 300, iterations: Infinity })",
    "a token that the page adds when it sends": (
        "form.addEventListener('formdata', (event) => event.formData.set('token', 't1'))"
    ),
}


@pytest.mark.parametrize("name", first_of("swapped", *((name,) for name in HARMLESS)))
def test_a_harmless_change_needs_no_new_approval(bank: Bank, name: str) -> None:
    numbers = bank.opens(HARMLESS[name])
    call = bank.begins("browser_click", clickId=numbers["Pay"])
    assert "unseen" not in bank.allows()
    until(lambda: call.done() or bank.person.pending())
    assert bank.person.pending() == []
    assert call.result(60).error is None
    until(lambda: Pages.sent)
    (sent,) = Pages.sent
    assert (sent["amount"], sent["to"]) == ("1", "Bob")


def test_an_element_that_lies_under_another_is_asked_about_as_unseen(bank: Bank) -> None:
    numbers = bank.opens(
        LATER.format(
            "document.body.insertAdjacentHTML('beforeend', '<p style=\"position:fixed;inset:0;background:#fff\">Hello')"
        )
    )
    Pages.is_asked.set()
    until(Pages.is_swapped.is_set)
    call = bank.begins("browser_click", clickId=numbers["Pay"])
    asked = bank.denies()
    assert asked["title"].startswith('Click button "Pay" at ')
    assert "covered by" in asked["unseen"]
    assert "You can't see the target: " in asked["message"]
    assert call.result(60).code == "FORBIDDEN"


MORE = "document.getElementById('sum').textContent = '9999 EUR'"
AROUND_A_FRAME = """
document.querySelector("main").innerHTML = `<section><p>Pay <b id=sum>1 EUR</b> to Bob</p><iframe src="{other}widget">`;
"""
BESIDE_A_FRAME = """
document.querySelector("main").innerHTML =
  `<section><iframe src="{other}amount"></iframe><button onclick="fetch('/pay?amount=1')">Send</button>`;
"""


@pytest.mark.parametrize(
    "is_around", first_of("swapped", (True,), (False,), suite=0), ids=["around its frame", "in a frame beside it"]
)
def test_text_in_another_frame_that_changes_while_a_person_is_asked_is_asked_about_again(
    bank: Bank, is_around: bool
) -> None:
    """The frame is of another site, so it runs in its own process."""
    other = bank.site.replace("127.0.0.1", "localhost")
    Pages.frame_script = "" if is_around else LATER.format(MORE)
    bank.opens((AROUND_A_FRAME if is_around else BESIDE_A_FRAME).format(other=other) + LATER.format(MORE) * is_around)
    call = bank.begins("browser_click", clickId=until(lambda: numbered(bank).get("Send")))
    assert "1 EUR" in bank.person.sees()["prompt"]["message"]
    Pages.is_asked.set()
    until(Pages.is_swapped.is_set)
    bank.person.answers("--ok")
    again = bank.denies()
    assert [line for line in again["changed"] if line.startswith("now: ") and "9999 EUR" in line]
    assert call.result(60).code == "FORBIDDEN"
    assert Pages.sent == []


FRAME = (
    "const cover = document.createElement('iframe'); cover.src = '{other}cover';"
    "cover.style.cssText = 'position:fixed;inset:0;width:100%;height:100%;z-index:9;opacity:0;pointer-events:{reach}';"
)
COVERING = {
    "was there": FRAME.replace("{reach}", "none")
    + "document.body.append(cover); addEventListener('mousemove', () => (cover.style.pointerEvents = 'auto'), true)",
    "comes with the mouse": FRAME.replace("{reach}", "auto")
    + "addEventListener('mousemove', () => document.body.append(cover), {{ capture: true, once: true }})",
    "comes in a shadow tree": FRAME.replace("{reach}", "none")
    + "const host = document.body.appendChild(document.createElement('div'));"
    "host.attachShadow({{ mode: 'closed' }}).append(cover);"
    "addEventListener('mousemove', () => (cover.style.pointerEvents = 'auto'), true)",
}


@pytest.mark.parametrize(
    "script", first_of("swapped", *((each,) for each in COVERING.values()), suite=0), ids=COVERING.keys()
)
def test_a_frame_of_another_site_gets_no_click_meant_for_the_element_it_covers(bank: Bank, script: str) -> None:
    """When the mouse comes, an invisible frame lies under it, whose site would get the approved click."""
    other = bank.site.replace("127.0.0.1", "localhost")
    numbers = bank.opens(script.format(other=other))
    call = bank.begins("browser_click", clickId=numbers["Pay"])
    bank.allows()
    until(lambda: call.done() or bank.person.pending())
    if not call.done():
        bank.denies()
    call.result(60)
    assert [sent for sent in Pages.sent if sent.get("amount") == "9999"] == []


@pytest.mark.trial("swapped", is_long=True)
def test_a_click_in_a_frame_whose_surroundings_stay_is_asked_about_once(bank: Bank) -> None:
    other = bank.site.replace("127.0.0.1", "localhost")
    bank.opens(AROUND_A_FRAME.format(other=other))
    call = bank.begins("browser_click", clickId=until(lambda: numbered(bank).get("Send")))
    assert "unseen" not in bank.allows()
    until(lambda: call.done() or bank.person.pending())
    assert call.result(60).error is None
    until(lambda: Pages.sent)


def numbered(bank: Bank) -> dict[str, str]:
    elements = (bank.agent.ok("browser_dom_index").result or {})["elements"]
    return {element["name"]: str(element["clickId"]) for element in elements}


LOOSE = """
const loose = '<button type="button" onclick="fetch(`/evil`)">Continue</button>';
document.body.insertAdjacentHTML("beforeend", loose);
form.insertAdjacentHTML("beforeend", '<button type="button" onclick="fetch(`/evil`)">Check</button>');
"""


@pytest.mark.trial("browsers", is_long=True)
def test_a_question_says_where_a_click_leads_or_that_this_is_not_visible(bank: Bank) -> None:
    """The target of a button that doesn't send its form is unknown, and scripts can always do more."""
    elements = bank.opens(LOOSE)
    """A button in a form that does not send it leads nowhere that could be known; and a script may always do more."""
    unknown, script = "Leads to: not visible", "unless the page's own script does something else"
    for name, leads in (("Continue", unknown), ("Check", unknown), ("Pay", "Leads to: POST"), ("Pay", script)):
        clicking = bank.begins("browser_click", clickId=elements[name])
        assert leads in bank.denies()["message"]
        clicking.result(60)
