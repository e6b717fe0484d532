"""Pages on which text has to be typed, copied or marked."""

import re

from tests.small_pages.player import Lost, Player, match
from tests.small_pages.scripts import plays
from tests.small_pages.scripts.clicking import words


def field(player: Player, at: int = 0) -> str:
    matches = [
        each for each in player.elements() if each["role"] in ("textbox", "spinbutton", "searchbox", "date", "time")
    ]
    return str(matches[at]["clickId"])


def write(player: Player, text: str, at: int = 0) -> None:
    player.do("browser_type", clickId=field(player, at), text=text)


@plays("enter-text", "enter-text-dynamic")
def text(player: Player) -> None:
    write(player, words(player)[0])
    player.click("Submit")


@plays("enter-text-2")
def cased(player: Player) -> None:
    write(player, words(player)[0].lower() if "lower" in player.query() else words(player)[0].upper())
    player.click("Submit")


@plays("enter-password")
def password(player: Player) -> None:
    for at in range(2):
        write(player, words(player)[0], at)
    player.click("Submit")


@plays("enter-date")
def date(player: Player) -> None:
    month, day, year = match(r"(\d\d)/(\d\d)/(\d{4})", player.query()).groups()
    write(player, f"{year}-{month}-{day}")
    player.click("Submit")


@plays("enter-time")
def time_of_day(player: Player) -> None:
    hour, minute, half = match(r"(\d+):(\d\d) ([AP])M", player.query()).groups()
    write(player, f"{int(hour) % 12 + 12 * (half == 'P'):02}:{minute}")
    player.click("Submit")


@plays("login-user", "login-user-popup")
def login(player: Player) -> None:
    """A dialog may pop up once a field has the focus, and must be cancelled."""
    for at, word in enumerate(words(player)[:2]):
        player.click_id(field(player, at))
        if player.elements(name="Cancel"):
            player.click("Cancel")
        player.do("browser_type", clickId=field(player, at), text=word)
    player.click(hint="/subbtn/") if player.elements(hint="/subbtn/") else player.click("/^(Login|OK)$/")


@plays("text-transform")
def transformed(player: Player) -> None:
    code = re.sub(r"\s", "", player.text('//*[@id="captcha"]'))
    write(player, code)
    player.click("Submit")


@plays("find-word")
def word_of_text(player: Player) -> None:
    at = int(match(r"the (\d+)", player.query())[1])
    lines = player.page()
    write(player, lines[1].split()[at - 1].strip(".,"))
    player.click("Submit")


@plays("read-table")
def table(player: Player) -> None:
    goal = match(r"value of (.*) into", player.query())[1]
    write(player, _rows(player)[goal])
    player.click("Submit")


@plays("read-table-2")
def table_to_form(player: Player) -> None:
    rows, lines = _rows(player), player.page()
    for at, each in enumerate(lines):
        if each.endswith(":") and each[:-1] in rows:
            number = match(r"\[(\d+) textbox", lines[at + 1])[1]
            player.do("browser_type", clickId=number, text=rows[each[:-1]])
    player.click("Submit")


def _rows(player: Player) -> dict[str, str]:
    return dict(each.split(" | ", 1) for each in player.page() if each.count(" | ") == 1)


@plays("simple-arithmetic")
def arithmetic(player: Player) -> None:
    one, sign, other = match(r"(-?\d+) ([x+-]) (-?\d+) =", "\n".join(player.page())).groups()
    result = {"x": int(one) * int(other), "+": int(one) + int(other), "-": int(one) - int(other)}[sign]
    write(player, str(result))
    player.click("Submit")


@plays("simple-algebra")
def algebra(player: Player) -> None:
    equation = next(each for each in player.page() if "=" in each and "textbox" not in each)
    left, right = equation.replace(" ", "").split("=")
    results = [x for x in range(-500, 500) if _value(left, x) == _value(right, x)]
    write(player, str(results[0]))
    player.click("Submit")


def _value(sums: str, x: int) -> int:
    return sum(
        int(sign + "1") * (x if term == "x" else int(term)) for sign, term in re.findall(r"([+-]?)(x|\d+)", sums)
    )


@plays("visual-addition")
def blocks(player: Player) -> None:
    count = len(re.findall(r'class="[^"]*addition-block', player.html('//*[@id="area"]')))
    write(player, str(count))
    player.click("Submit")


@plays("multi-layouts", "multi-orderings")
def movies(player: Player) -> None:
    genre, director, year = match(r"for (.*) movies directed by (.*) from year (\d+)", player.query()).groups()
    goal = {"Genre": genre, "Director": director, "(?:Year|Released Date)": year}
    for label, value in goal.items():
        player.do("browser_type", clickId=_beside(player, label), text=value)
    player.click("/^(Search|Submit|Go!)$/")


def _beside(player: Player, label: str) -> str:
    """Returns the field in the same line as its label, in the line before, or after it."""
    lines = player.page()[1:]
    for at, each in enumerate(lines):
        if not re.search(rf"(?<!beside \")\b{label}\b", re.sub(r'\(beside "[^"]*"\)', "", each)):
            continue
        if match := re.search(r"\[(\d+) textbox", each):
            return match[1]
        hinted = re.search(rf'\[(\d+) textbox \(beside "{label}', "\n".join(lines))
        after = re.search(r"\[(\d+) textbox", lines[at + 1]) if at + 1 < len(lines) else None
        if match := hinted or after:
            return match[1]
    raise Lost(label)


@plays("search-engine")
def search(player: Player) -> None:
    place = int(match(r"the (\d+)", player.query())[1])
    write(player, words(player)[0])
    player.click("Search", role="button")
    per_page = len(player.elements(hint="/search-title/")) or 3
    links = _results(player)
    per_page = len(links)
    page = (place - 1) // per_page + 1
    if page > 1:
        player.click(str(page))
        links = _results(player)
    player.click_id(links[(place - 1) % per_page])


def _results(player: Player) -> list[str]:
    titles = re.findall(r'class="search-title"[^>]*>([^<]*)<', player.html('//*[@id="page-content"]'))
    return [player.find(title) for title in titles]


@plays("copy-paste", "copy-paste-2")
def copy_and_paste(player: Player) -> None:
    place = re.search(r"the (\d)\w\w text area", player.query())
    sources = [each for each in player.elements(role="textbox") if each.get("hint", "").find("answer-input") < 0]
    source = sources[int(place[1]) - 1 if place else 0]
    player.do("browser_press_key", clickId=source["clickId"], key="Control+a")
    player.do("browser_press_key", clickId=source["clickId"], key="Control+c")
    player.do("browser_press_key", clickId=player.find(hint="/answer-input/"), key="Control+v")
    player.click("Submit")


@plays("scroll-text")
def last_word(player: Player) -> None:
    text = player.html('//*[@id="text-area"]')
    last = re.sub(r"<[^>]*>", "", text).split()[-1]
    player.do("browser_type", clickId=player.find(hint="/answer-input/"), text=last)
    player.click("Submit")


@plays("scroll-text-2")
def scrolled_text(player: Player) -> None:
    end = "up" if "top" in player.query() else "down"
    player.do("browser_scroll", clickId=player.find(role="textbox"), direction=end, amount=10_000)
    player.click("Submit")


@plays("highlight-text")
def highlight(player: Player) -> None:
    player.do("browser_select_text", xpath='//*[@id="area"]/*[not(self::button)]')
    player.click("Submit")


@plays("highlight-text-2")
def highlight_one(player: Player) -> None:
    place = int(match(r"the (\d)", player.query())[1])
    player.do("browser_select_text", xpath=f'(//*[@id="area"]//p)[{place}]')
    player.click("Submit")


INKS = {
    "red": "#e60000",
    "orange": "#ff9900",
    "yellow": "#ffff00",
    "green": "#008a00",
    "blue": "#0066cc",
    "purple": "#9933ff",
}


@plays("text-editor")
def editor(player: Player) -> None:
    query = player.query()
    match = re.search(
        r'(?:give|make) (?:the text )?(?:everything|"?([^"]*?)"?) the (?:text )?(?:style|color) (\w+)',
        query,
    )
    if match is None:
        raise Lost(query)
    box = player.find(hint="/ql-editor/")
    attributes = {"text": match[1]} if match[1] else {}
    player.do("browser_select_text", clickId=box, **attributes)
    if match[2] not in INKS:
        player.click(hint=f"/ql-{match[2][:6]}/")
    else:
        player.click(hint="/ql-picker-label/")
        player.do("browser_click", xpath=f'//*[contains(@class,"ql-picker-item")][@data-value="{INKS[match[2]]}"]')
    player.click("Submit")


@plays("guess-number")
def guess(player: Player) -> None:
    low, high = 0, 9
    for _ in range(5):
        middle = (low + high) // 2
        write(player, str(middle))
        player.click("Submit")
        text = " ".join(player.page())
        if "higher" in text:
            low = middle + 1
        elif "lower" in text:
            high = middle - 1
        else:
            return


@plays("terminal")
def terminal(player: Player) -> None:
    ending = re.search(r"extension (\.\w+)|(no file ending|without)", player.query())
    player.do("browser_type", clickId=player.find(hint="/terminal-target/"), text="ls", submit=True)
    lines = player.page()
    at = max(number for number, each in enumerate(lines) if each.endswith("ls"))
    names = [name for each in lines[at + 1 :] for name in each.split() if re.fullmatch(r"[\w.-]+", name)]
    files = [name for name in names if (name.endswith(ending[1]) if ending and ending[1] else "." not in name)]
    player.do("browser_type", clickId=player.find(hint="/terminal-target/"), text=f"rm {files[0]}", submit=True)


@plays("use-autocomplete", "use-autocomplete-nodelay")
def autocomplete(player: Player) -> None:
    start, *end = words(player)
    player.do("browser_type", clickId=player.find("/Tags/"), text=start)
    for _ in range(40):
        candidates = [
            each for each in player.elements(name=f"/^{re.escape(start)}/") if each["tag"] not in ("input", "ul")
        ]
        if matches := [each for each in candidates if each["name"].endswith(end[0] if end else "")]:
            player.click_id(matches[0]["clickId"])
            break
    else:
        raise Lost(f"{start} … {end} {player.page()}")
    player.click("Submit")


@plays("sign-agreement")
def agreement(player: Player) -> None:
    query = player.query()
    if query.startswith("Click the cancel"):
        player.click("Cancel")
        return
    name, button = match(r'the name "(\w+)" then press "(\w+)"', query).groups()
    player.do("browser_scroll", xpath='//*[@id="text-area"]', direction="down", amount=10_000)
    player.type(name, "Name")
    player.click(button)
