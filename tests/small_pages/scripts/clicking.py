"""Pages on which the right element has to be clicked."""

import re
import time

from tests.small_pages.player import Lost, Player, match
from tests.small_pages.scripts import plays


def words(player: Player) -> list[str]:
    """Returns the quoted texts of the task."""
    return re.findall(r'"([^"]*)"', player.query())


@plays("click-button", "unicode-test")
def button(player: Player) -> None:
    player.click(words(player)[0], role="button")


@plays("click-test")
def only_button(player: Player) -> None:
    player.click("Click Me!")


@plays("click-test-2", "click-test-transfer")
def button_one(player: Player) -> None:
    player.click(match(r"button (\w+)", player.query())[1])


@plays("click-button-sequence")
def buttons_in_order(player: Player) -> None:
    player.click("ONE")
    player.click("TWO")


@plays("button-delay")
def buttons_with_a_pause(player: Player) -> None:
    seconds = int(match(r"wait (\d+)", player.query())[1])
    player.click("ONE")
    time.sleep(seconds)  # the page itself requires it, and a person would wait as well
    player.click("TWO")


@plays("ascending-numbers")
def ascending(player: Player) -> None:
    """The numbers are hidden after the first click, so their places are remembered."""
    numbers = [each for each in player.elements_with_boxes() if re.fullmatch(r"\d+", each["name"])]
    for each in sorted(numbers, key=lambda each: int(each["name"])):
        box = each["bbox"]
        player.do("browser_click", x=box["x"] + box["w"] / 2, y=box["y"] + box["h"] / 2)


@plays("click-link")
def link(player: Player) -> None:
    player.click(words(player)[0])


@plays("click-dialog")
def close_dialog(player: Player) -> None:
    player.click("Close")


@plays("click-dialog-2")
def dialog_button(player: Player) -> None:
    goal = words(player)[0]
    player.click("Close" if goal == "x" else goal, role="button")


@plays("click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer")
def checkboxes(player: Player) -> None:
    goal = match(r"Select (.*) and click", player.query())[1]
    if goal != "nothing":
        for name in goal.split(", "):
            player.click(name, role="checkbox")
    player.click("Submit")


@plays("click-option")
def option(player: Player) -> None:
    player.click(match(r"Select (.*) and click", player.query())[1], role="radio")
    player.click("Submit")


@plays("choose-list")
def listed(player: Player) -> None:
    player.choose(match(r"Select (.*) from the list", player.query())[1], role="combobox")
    player.click("Submit")


@plays("click-scroll-list")
def scrolled_list(player: Player) -> None:
    goal = match(r"Select (.*) from the scroll", player.query())[1].split(", ")
    player.do("browser_select_option", clickId=player.find(role="listbox"), values=goal)
    player.click("Submit")


@plays("click-collapsible", "click-collapsible-nodelay")
def section(player: Player) -> None:
    player.click("/^Section/", role="tab")
    player.do("browser_wait_for", text="Submit")
    player.click("Submit", role="button")


@plays("click-collapsible-2", "click-collapsible-2-nodelay")
def sections(player: Player) -> None:
    goal = words(player)[0]
    for number in range(len(player.elements(name="/^Section/", role="tab"))):
        if player.elements(name=goal):
            break
        player.click("/^Section/", at=number, role="tab")
        player.do("browser_wait_for", idleMs=400)
    player.click(goal)


@plays("click-tab")
def tab(player: Player) -> None:
    player.click(match(r"(Tab #\d)", player.query())[1], role="link")


@plays("click-tab-2", "click-tab-2-easy", "click-tab-2-medium", "click-tab-2-hard")
def tabs(player: Player) -> None:
    goal = words(player)[0]
    for number in range(len(player.elements(role="tab"))):
        if player.elements(name=goal):
            break
        player.click(r"/^(Tab #)?\d$/", at=number, role="link")
        if player.peek_reward():  # some seeds have the link itself as a tab
            return
    player.click(goal)


@plays("click-menu")
def menu(player: Player) -> None:
    steps = player.query().removeprefix("Select ").split(">")
    for step in steps[:-1]:
        player.do("browser_hover", clickId=player.find(step, role="menuitem"))
        player.do("browser_wait_for", idleMs=500)
    player.click(steps[-1], role="menuitem")


@plays("click-menu-2")
def icon_menu(player: Player) -> None:
    goal = player.html('//*[@id="query"]')
    icon = re.search(r"ui-icon-([\w-]+)", goal)
    player.click("Menu")
    player.do("browser_wait_for", idleMs=500)
    names = {
        "volume-off": "Mute",
        "play": "Play",
        "seek-start": "Prev",
        "stop": "Stop",
        "seek-end": "Next",
        "seek-next": "Next",
    }
    names |= {"disk": "Save", "zoomin": "Zoom In", "zoomout": "Zoom Out", "print": "Print..."}
    name = names[icon[1]] if icon else words(player)[-1]
    if not player.elements(name=name):
        player.do("browser_hover", clickId=player.find("Playback"))
        player.do("browser_wait_for", text=name)
        player.do("browser_wait_for", idleMs=500)
    player.click(name, role="menuitem")


@plays("click-pie", "click-pie-nodelay")
def pie(player: Player) -> None:
    goal = words(player)[0]
    player.click("+")
    player.do("browser_wait_for", idleMs=700)
    player.click(goal)


@plays("click-widget")
def widget(player: Player) -> None:
    kind = words(player)[0]
    path = {
        "button": "//button",
        "textarea": "//textarea",
        "text": "//input[@type='text']",
        "radio": "//input[@type='radio']",
    }
    path["checkbox"] = "//input[@type='checkbox']"
    elements = player.do("browser_xpath_scan")["elements"]
    tags = {"button": "button", "textarea": "textarea"}
    roles = {"radio": "radio", "checkbox": "checkbox", "text": "textbox"}
    for element in player.elements():
        if element["tag"] == tags.get(kind, "input") and element["role"] == roles.get(kind, element["role"]):
            if kind == "button" and element["name"] in ("Submit", "START"):
                continue
            player.click_id(element["clickId"])
            return
    raise Lost(f"no {kind} among {elements}")


@plays("focus-text")
def focus(player: Player) -> None:
    player.click(role="textbox")


@plays("focus-text-2")
def focus_one(player: Player) -> None:
    player.click(role="textbox", at=int(match(r"(\d)\w\w input", player.query())[1]) - 1)


@plays("buy-ticket")
def ticket(player: Player) -> None:
    lines = player.page()
    offers = [
        (_minutes(lines[at - 1]), int(match[2]), match[1])
        for at, each in enumerate(lines)
        if (match := re.search(r"\[(\d+) Book for \$(\d+)\]", each))
    ]
    query = player.query()
    by = 0 if "duration" in query or "shortest" in query or "longest" in query else 1
    pick = max if "most" in query or "longest" in query else min
    player.click_id(pick(offers, key=lambda offer: offer[by])[2])


def _minutes(words: str) -> int:
    hours, minutes = match(r"(\d+)h (\d+)m", words).groups()
    return int(hours) * 60 + int(minutes)


@plays("navigate-tree")
def tree(player: Player) -> None:
    goal = words(player)[0]
    for _ in range(20):
        if player.elements(name=goal):
            player.click(goal)
            return
        player.click(hint="/expandable-hitarea/")
        player.do("browser_wait_for", idleMs=300)
    raise Lost(goal)


@plays("odd-or-even")
def odd_or_even(player: Player) -> None:
    lines = player.page()
    for at, each in enumerate(lines):
        if each.strip("-").isdecimal():
            button, beside = ("Odd", lines[at - 1]) if int(each) % 2 else ("Even", lines[at + 1])
            player.click_id(match(rf"\[(\d+) {button}\]", beside)[1])
    player.click("Submit")


@plays("order-food")
def food(player: Player) -> None:
    goal = player.query()
    lines = player.page()
    names = [each.strip() for each in goal.split(": ", 1)[1].split(", ")] if ": " in goal else []
    for at, each in enumerate(lines):
        if each in names:
            player.click_id(re.findall(r"\[(\d+) \+\]", lines[at + 1])[0])
    player.click("/^(Order|Submit)/")


@plays("find-greatest")
def greatest(player: Player) -> None:
    cards = player.elements(name=r"/^\d+$/")
    player.click_id(max(cards, key=lambda each: int(each["name"]))["clickId"])
    player.click("Submit")


@plays("grid-coordinate")
def coordinate(player: Player) -> None:
    player.click(hint=f"/{re.escape(match(r'[(].*[)]', player.query())[0])}/")


@plays("tic-tac-toe")
def tic_tac_toe(player: Player) -> None:
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    for _ in range(5):
        board = re.findall(r"<span([^>]*ttt-\d[^>]*)>", player.html('//*[@id="area"]'))
        cells = ["X" if "mark-x" in each else "O" if "mark-o" in each else "" for each in board]
        free = [at for at, cell in enumerate(cells) if not cell]
        if not free:
            return

        def wins(mark: str, cells: list[str] = cells, free: list[int] = free) -> int | None:
            ready = (
                [cells[at] for at in line].count(mark) == 2 and [at for at in line if at in free] for line in lines
            )
            return next((spots[0] for spots in ready if spots), None)

        def chances(spot: int, cells: list[str] = cells) -> int:
            """Counts lines that would contain two of ours; two such lines at once can't be blocked."""
            marked = [*cells[:spot], "X", *cells[spot + 1 :]]
            held = [[marked[at] for at in line] for line in lines if spot in line]
            return sum(each.count("X") == 2 and not each.count("O") for each in held)

        move = next((spot for spot in (wins("X"), wins("O")) if spot is not None), None)
        if move is None:
            move = max((at for at in (4, 0, 2, 6, 8, 1, 3, 5, 7) if at in free), key=chances)
        player.click(hint=f"/#ttt-{move}/")
        if player.peek_reward():
            return
