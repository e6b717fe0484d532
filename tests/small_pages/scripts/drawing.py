"""Pages on which something has to be dragged, drawn, slid or hit."""

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from tests.small_pages.player import Lost, Player, match
from tests.small_pages.scripts import plays
from tests.small_pages.scripts.clicking import words

MOST_LOOKS = 500


def shapes(player: Player, xpath: str = "//*[name()='svg']") -> list[dict[str, str]]:
    """Returns the shapes in the page's picture: tag, attributes, and what a text says."""
    matches = re.findall(r"<(\w+)((?:\s[\w:-]+=\"[^\"]*\")*)\s*/?>([^<]*)", player.html(xpath))
    return [
        {"tag": tag, **dict(re.findall(r'([\w:-]+)="([^"]*)"', attributes)), "says": words.strip()}
        for tag, attributes, words in matches
    ]


def centre(shape: Mapping[str, str]) -> tuple[float, float]:
    if shape["tag"] == "circle":
        return float(shape["cx"]), float(shape["cy"])
    if shape["tag"] == "polygon":
        points = [[float(one) for one in pair.split(",")] for pair in shape["points"].split()]
        return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
    if shape["tag"] == "text":
        return float(shape["x"]), float(shape["y"])
    return float(shape["x"]) + float(shape["width"]) / 2, float(shape["y"]) + float(shape["height"]) / 2


def canvas(player: Player) -> str:
    return player.find(tag="svg")


@plays("circle-center")
def circle_centre(player: Player) -> None:
    x, y = centre(next(each for each in shapes(player) if each["tag"] == "circle"))
    player.click_id(canvas(player), x=x, y=y)
    player.click("Submit")


@plays("find-midpoint")
def midpoint(player: Player) -> None:
    (ax, ay), (bx, by) = (centre(each) for each in shapes(player) if each["tag"] == "circle")
    player.click_id(canvas(player), x=(ax + bx) / 2, y=(ay + by) / 2)
    player.click("Submit")


@plays("bisect-angle")
def bisect(player: Player) -> None:
    circles = [each for each in shapes(player) if each["tag"] == "circle"]
    vx, vy = centre(next(each for each in circles if each["fill"] == "blue"))
    legs = [(x - vx, y - vy) for x, y in (centre(each) for each in circles if each["fill"] == "black")]
    (ax, ay), (bx, by) = ((x / math.hypot(x, y), y / math.hypot(x, y)) for x, y in legs)
    dx, dy = ax + bx, ay + by
    x, y = _inside(vx, vy, dx, dy, (40, 25, 12))
    player.click_id(canvas(player), x=x, y=y)
    player.click("Submit")


@plays("right-angle")
def right_angle(player: Player) -> None:
    circles = {each["id"]: centre(each) for each in shapes(player) if each["tag"] == "circle"}
    (vx, vy), (ax, ay) = circles["init-blue"], circles["init-black"]
    dx, dy = -(ay - vy), ax - vx
    x, y = _inside(vx, vy, dx, dy, (40, -40, 25, -25, 12, -12))
    player.click_id(canvas(player), x=x, y=y)
    player.click("Submit")


def _inside(x: float, y: float, dx: float, dy: float, reaches: Sequence[int]) -> tuple[float, float]:
    """Returns the farthest point in this direction that is still in the picture."""
    ways = [(x + dx / math.hypot(dx, dy) * reach, y + dy / math.hypot(dx, dy) * reach) for reach in reaches]
    return next(((a, b) for a, b in ways if 3 < a < 145 and 3 < b < 135), ways[-1])


@plays("draw-line")
def line(player: Player) -> None:
    x, y = centre(next(each for each in shapes(player) if each["tag"] == "circle"))
    is_upright = "vertical" in player.query()
    ends = [(x, max(y - 45, 3)), (x, min(y + 45, 140))] if is_upright else [(max(x - 45, 3), y), (min(x + 45, 150), y)]
    (ax, ay), (bx, by) = ends
    path = [[ax + (bx - ax) * step / 12, ay + (by - ay) * step / 12] for step in range(13)]
    player.drag(canvas(player), path=path)
    player.click("Submit")


@plays("draw-circle")
def circle(player: Player) -> None:
    x, y = centre(next(each for each in shapes(player) if each["tag"] == "circle"))
    turns = [math.tau * step / 36 for step in range(37)]
    path = [[x + 30 * math.cos(turn), y + 30 * math.sin(turn)] for turn in turns]
    player.drag(canvas(player), path=path)
    player.click("Submit")


@plays("drag-circle", "drag-single-shape")
def drag_shape(player: Player) -> None:
    way = match(r"(up|down|left|right) then", player.query())[1]
    by = {"up": (0, -30), "down": (0, 30), "left": (-30, 0), "right": (30, 0)}[way]
    player.drag(player.find(hint="/black-(circle|shape)/"), dx=by[0], dy=by[1])
    player.click("Submit")


@plays("drag-shapes", "drag-shapes-2")
def sort_shapes(player: Player) -> None:
    query = player.query()
    goal = match(r"Drag all (\w+)", query)[1]
    all_shapes = shapes(player)
    boxes = [each for each in all_shapes if each.get("fill") == "none" and each["tag"] == "rect"]
    boxes.sort(key=lambda each: float(each["x"]))
    elements = [each for each in player.elements() if each["tag"] in ("circle", "rect", "polygon")]
    items = [each for each in all_shapes if each["tag"] in ("circle", "rect", "polygon") and each not in boxes]
    kinds = {"circles": "circle", "rectangles": "rect", "squares": "rect", "triangles": "polygon"}
    if len(elements) != len(items):
        raise Lost(f"{elements} {items}")
    for element, item in zip(elements, items, strict=True):
        is_wanted = item["tag"] == kinds[goal] if goal in kinds else item["fill"] == goal
        if not is_wanted and len(boxes) == 1:
            continue
        bx, by = centre(boxes[0] if is_wanted else boxes[-1])
        x, y = centre(item)
        player.drag(element["clickId"], dx=bx - x, dy=by - y)
    player.click("Submit")


@plays("drag-box")
def drag_box(player: Player) -> None:
    style = dict(re.findall(r'id="draggable(\w+)"[^>]*style="([^"]*)"', player.html('//*[@id="draggable"]')))
    places = {
        name: [float(match(rf"{side}: (-?[\d.]+)px", text)[1]) for side in ("left", "top")]
        for name, text in style.items()
    }
    (sx, sy), (lx, ly) = places["Small"], places["Large"]
    player.drag(player.find("s"), dx=lx + 15 - sx, dy=ly + 15 - sy)
    player.click("Submit")


@plays("drag-items", "drag-items-grid")
def drag_item(player: Player) -> None:
    query = player.query()
    name, way = match(r"Drag (\S+) (.*)\.", query).groups()
    names = [each["name"] for each in player.elements(tag="li")]
    at = names.index(name)
    wide = 3 if len(names) == 9 else 1
    row, column = divmod(at, wide)
    place = re.search(r"(\d)(?:st|nd|rd|th) position", way)
    corner = re.search(r"(top|center|bottom)?[ -]?(left|center|right)?", way)
    if place:
        to = int(place[1]) - 1
    elif step := re.search(r"(up|down|left|right) by one", way):
        to = at + {"up": -wide, "down": wide, "left": -1, "right": 1}[step[1]]
    elif wide == 3 and corner:
        rows, columns = {"top": 0, "center": 1, "bottom": 2}, {"left": 0, "center": 1, "right": 2}
        matches = re.findall(r"top|bottom|left|right|center", way)
        row = next((rows[each] for each in matches if each in ("top", "bottom")), 1)
        column = next((columns[each] for each in matches if each in ("left", "right")), 1)
        to = row * 3 + column
    elif way in ("to the top", "to the bottom"):
        to = 0 if way.endswith("top") else len(names) - 1
    else:
        raise Lost(query)
    _drop(player, name, names[to], is_after=to > at)


def _drop(player: Player, name: str, over: str, *, is_after: bool) -> None:
    boxes = {each["name"]: each["bbox"] for each in player.elements_with_boxes() if each["name"] in (name, over)}
    one, other = boxes[name], boxes[over]
    beyond = 3 if is_after else -3
    dx, dy = other["x"] - one["x"], other["y"] - one["y"]
    player.drag(player.find(name, tag="li"), dx=dx + (beyond if dx else 0), dy=dy + (beyond if dy else 0))


@plays("drag-sort-numbers")
def sort_numbers(player: Player) -> None:
    for place in range(6):
        names = [each["name"] for each in player.elements(name=r"/^-?\d+$/")]
        goal = sorted(names, key=int)
        if names == goal:
            break
        if place < len(names) and names[place] != goal[place]:
            _drop(player, goal[place], names[place], is_after=False)
    player.click("Submit")


@plays("use-slider", "form-sequence", "use-slider-2")
def sliders(player: Player) -> None:
    query = player.query()
    hit = re.search(r"\[([^\]]*)\]", query)
    goal = [int(each) for each in hit[1].split(",")] if hit else [int(match(r"Select (-?\d+)", query)[1])]
    for at, value in enumerate(goal):
        handle = player.find(hint="/ui-slider-handle/", at=at)
        player.click_id(handle)
        for _ in range(300):
            now = _shown(player, at)
            if now == value:
                break
            steps = abs(value - now)
            for _ in range(min(steps, 40)):
                player.do("browser_press_key", clickId=handle, key="ArrowRight" if value > now else "ArrowLeft")
    if box := re.search(r"the (\d)\w\w checkbox", query):
        player.click(role="checkbox", at=int(box[1]) - 1)
    player.click("Submit")


def _shown(player: Player, at: int) -> int:
    numbers = [each for each in player.page() if re.fullmatch(r"-?\d+", each)]
    return int(numbers[at])


@plays("use-spinner")
def spinner(player: Player) -> None:
    """The slider accepts no keys, only clicks on its arrows."""
    goal = int(match(r"Select (-?\d+)", player.query())[1])
    arrow = player.find(hint="/triangle-1-n/" if goal > 0 else "/triangle-1-s/", role="button")
    for _ in range(abs(goal)):
        player.click_id(arrow)
    player.click("Submit")


@plays("form-sequence-2")
def sequence(player: Player) -> None:
    query = player.query()
    radio = int(match(r"the (\d)\w\w radio", query)[1])
    box = int(match(r"the (\d)\w\w textbox", query)[1])
    player.click(role="radio", at=radio - 1)
    player.do("browser_type", clickId=player.find(role="textbox", at=box - 1), text=words(player)[0])
    player.click("Submit")


@plays("form-sequence-3")
def dropdown(player: Player) -> None:
    choice = match(r"Choose (.*) from the dropdown", player.query())[1]
    player.click("▾")
    player.do("browser_wait_for", text=choice)
    player.click(choice)
    player.click(words(player)[-1])


@plays("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
def date(player: Player) -> None:
    month, day, _ = match(r"(\d\d)/(\d\d)/(\d{4})", player.query()).groups()
    player.click(hint="/datepicker/")
    pick_date(player, int(month), int(day))
    player.click("Submit")


MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def pick_date(player: Player, month: int, day: int) -> None:
    for _ in range(14):
        player.do("browser_wait_for", idleMs=200)
        page = " ".join(player.page())
        shown = next(at for at, name in enumerate(MONTHS, 1) if re.search(rf"\b{name}\b", page))
        if shown == month:
            break
        player.click("Prev" if shown > month else "Next")
    player.click(str(day), tag="a")


@plays("book-flight", "book-flight-nodelay")
def flight(player: Player) -> None:
    query = player.query()
    start, end, month, day = match(r"from: (.*) to: (.*) on (\d\d)/(\d\d)/\d{4}", query).groups()
    for label, place in (("/From/", start), ("/To/", end)):
        player.do("browser_type", clickId=player.find(label, role="textbox"), text=place)
        player.do("browser_wait_for", idleMs=800)
        _suggested(player, place)
    player.click(hint="/datepicker/")
    pick_date(player, int(month), int(day))
    player.click("Search")
    player.do("browser_wait_for", text="Book flight for")
    lines = player.page()
    offers = []
    for at, each in enumerate(lines):
        if hit := re.search(r"\[(\d+)[^\]]*Book flight for \$(\d+)", each):
            before = " ".join(lines[max(0, at - 12) : at])
            spans = re.findall(r"(?:(\d+)h )?(\d+)m", before)
            hours, minutes = spans[-1] if spans else ("0", "0")
            offers.append((int(hit[2]), int(hours or 0) * 60 + int(minutes), hit[1]))
    by = 0 if "cheapest" in query else 1
    player.click_id(min(offers, key=lambda offer: offer[by])[2])


def _suggested(player: Player, place: str) -> None:
    matches = [each for each in player.elements() if place in (each.get("name") or "") and each["role"] != "textbox"]
    if not matches:
        raise Lost(f"{place} is not suggested: {player.page()}")
    player.click_id(matches[-1]["clickId"])


@plays("click-color", "click-shades", "use-colorwheel", "use-colorwheel-2")
def colours(player: Player) -> None:
    query = player.query()
    if "picker" in query:
        wheel(player)
        return
    markup = player.html('//*[@id="area"]')
    if "shades" in query:
        shade = match(r"shades of (\w+)", query)[1]
        tiles = re.findall(r'<span[^>]*data-color="(\w+)"[^>]*>', markup)
        elements = [each for each in player.elements() if each["role"] == "generic" and each["tag"] == "span"]
        for element, colour in zip(elements, tiles, strict=True):
            if colour == shade:
                player.click_id(element["clickId"])
        player.click("Submit")
        return
    hit = re.search(r"the (\w+) colored", query)
    goal = (hit or match(r"background-color: (\w+)", player.html('//*[@id="query"]')))[1]
    tiles = re.findall(r'data-color="(\w+)"', markup)
    player.click(hint="/#color/", at=tiles.index(goal))


NAMED = {
    "red": "FF0000",
    "blue": "0000FF",
    "lime": "00FF00",
    "yellow": "FFFF00",
    "olive": "808000",
    "orange": "FFA500",
    "purple": "800080",
    "pink": "FFC0CB",
    "grey": "808080",
    "gray": "808080",
    "white": "FFFFFF",
    "cyan": "00FFFF",
    "magenta": "FF00FF",
    "black": "000000",
    "aqua": "00FFFF",
    "green": "008000",
    "maroon": "800000",
    "navy": "000080",
    "silver": "C0C0C0",
    "teal": "008080",
    "gold": "FFD700",
}


def wheel(player: Player) -> None:
    query = player.query()
    style = player.html('//*[@id="query"]')
    rgb = re.search(r"rgb\((\d+), (\d+), (\d+)\)", style)
    code = re.search(r"#(\w{6})", style)
    value = (
        "".join(f"{int(each):02X}" for each in rgb.groups())
        if rgb
        else code[1]
        if code
        else NAMED[match(r"Select (\w+) with", query)[1]]
    )
    player.do("browser_type", clickId=player.find(hint="/#col/"), text=value, submit=True)
    player.click("Submit")


@plays("click-shape", "count-shape", "identify-shape")
def shape(player: Player) -> None:
    query = player.query()
    all_shapes = [each for each in shapes(player) if each["tag"] in ("circle", "rect", "polygon", "text")]
    if "best describes" in query:
        player.click(_kind(player, all_shapes))
        return
    if match := re.search(r"How many (.*) are there", query):
        count = sum(_fits(each, match[1], all_shapes) for each in all_shapes)
        player.click(str(count), role="button")
        return
    goal = query.removeprefix("Click on an ").removeprefix("Click on a ")
    at = next(number for number, each in enumerate(all_shapes) if _fits(each, goal, all_shapes))
    elements = [each for each in player.elements() if each["tag"] in ("circle", "rect", "polygon", "text")]
    player.click_id(elements[at]["clickId"])


def _kind(player: Player, all_shapes: list[dict[str, str]]) -> str:
    tags = {"circle": "Circle", "rect": "Rectangle", "polygon": "Triangle"}
    if all_shapes[0]["tag"] != "text":
        return tags[all_shapes[0]["tag"]]
    letter = match(r"<text[^>]*>([^<]*)<", player.html("//*[name()='svg']"))[1]
    return "Number" if letter.isdecimal() else "Letter"


def _fits(shape: dict[str, str], words: str, among: list[dict[str, str]]) -> bool:
    kinds = {"circle": "circle", "rectangle": "rect", "triangle": "polygon"}
    for word in words.rstrip("s").split():
        word = word.removesuffix("s") if word.removesuffix("s") in kinds else word
        if word in kinds and shape["tag"] != kinds[word]:
            return False
        if word in NAMED and shape.get("fill") != word:
            return False
        if word in ("digit", "number") and not shape["says"].isdecimal():
            return False
        if word == "letter" and not shape["says"].isalpha():
            return False
        if len(word) == 1 and shape["says"] != word:
            return False
        if word in ("small", "large") and _size(shape) is not (word == "large"):
            return False
    return True


def _size(shape: dict[str, str]) -> bool:
    """Whether it is a large one."""
    if shape["tag"] == "circle":
        return float(shape["r"]) > 7
    if shape["tag"] == "rect":
        return float(shape["width"]) > 12
    if shape["tag"] == "text":
        return float(shape["font-size"].removesuffix("px")) > 14
    xs = [float(pair.split(",")[0]) for pair in shape["points"].split()]
    return max(xs) - min(xs) > 12


@plays("generate-number")
def generate(player: Player) -> None:
    query = player.query()
    limit = re.search(r"(\d+)", query)
    for _ in range(60):
        player.click("Generate")
        value = next(int(each) for each in player.page() if re.fullmatch(r"\d+", each))
        fits = value % 2 == 1 if "odd" in query else value % 2 == 0 if "even" in query else False
        if limit:
            fits = value < int(limit[1]) if "less" in query else value > int(limit[1])
        if fits:
            player.click("Submit")
            return
    raise Lost(query)


@plays("resize-textarea")
def resize(player: Player) -> None:
    side, way = match(r"the (width|height) is (\w+) than", player.query()).groups()
    by = 15 if way == "larger" else -15
    corner = player.elements(hint="/ui-icon-gripsmall|resizable-se/")[0]
    player.drag(corner["clickId"], dx=by if side == "width" else 0, dy=by if side == "height" else 0)
    player.click("Submit")


@plays("daily-calendar")
def calendar(player: Player) -> None:
    query = player.query()
    length, start = match(r"a ([\d.]+ \w+) event .*between (\d+)(?:AM|PM)", query).groups()
    halves = {"30 mins": 1, "0.5 hours": 1, "60 mins": 2, "1 hour": 2, "90 mins": 3, "1.5 hours": 3}[length]
    first = {"8": 16, "12": 24, "4": 32}[start]
    markup = player.html('//*[@id="area"]')
    events = re.findall(r'class="event[^"]*"[^>]*style="[^"]*top: ([\d.]+)px;[^"]*height: ([\d.]+)px', markup)
    taken = {
        round((float(top) - 4) / 20.42) + each
        for top, height in events
        for each in range(-1, round(float(height) / 20) + 1)
    }
    at = next(each for each in range(first, first + 9 - halves) if not taken & set(range(each, each + halves)))
    x = 70  # where an event is drawn
    cell = player.find(hint=f"/^\\(#hh-{at}[ )]/")
    player.do("browser_scroll", clickId=cell)
    player.drag(cell, path=[[x, 5], [x, 8], [x, 10 + 20.4 * (halves - 1)], [x, 12 + 20.4 * (halves - 1)]])
    if not player.elements(name="Event name"):  # the mouse was released outside of the event that it has just drawn
        player.click("New event")
    player.type(words(player)[0], "Event name")
    player.click("Create")


@plays("hot-cold")
def hot_cold(player: Player) -> None:
    area = player.find(hint="/touch-area/")
    cold: list[tuple[int, int]] = []
    for step in ((24, None), (8, "COLD"), (4, "WARM")):
        wide, around = step
        spots = [(x, y) for x in range(wide // 2, 158, wide) for y in range(wide // 2, 123, wide)]
        if around:
            spots = [(x, y) for x, y in spots if any(math.hypot(x - a, y - b) < wide * 5 for a, b in cold[-1:])]
        for x, y in spots:
            player.do("browser_hover", clickId=area, x=x, y=y)
            page = " ".join(player.page())
            heat = next(
                each for each in ("ICE COLD", "COLD", "WARM", "HOT", "") if each in page.replace("HOT area", "")
            )
            if heat in ("WARM", "HOT"):
                player.click_id(area, x=x, y=y)
                return
            if heat == "COLD":
                cold.append((x, y))
                if not around:
                    break
    raise Lost(str(cold))


@plays("chase-circle")
def chase(player: Player) -> None:
    """Follows the circle as closely as the tools' speed allows."""
    for _ in range(MOST_LOOKS):
        circle = player.find_shape("circle")
        if circle is None:
            return
        if player.peek_reward():
            return
        with suppress(Lost):  # the episode is over, and the page is covered
            player.do("browser_hover", xpath="//*[@id='area']/*[name()='svg']", x=circle[0], y=circle[1])


@plays("simon-says")
def simon(player: Player) -> None:
    """Records each button once while it blinks."""
    values: list[str] = []
    was: str | None = None
    for _ in range(200):
        pushed = re.search(
            r'id="button-(\d)"[^>]*class="[^"]*push|class="[^"]*push[^"]*"[^>]*id="button-(\d)"',
            player.html('//*[@id="area"]'),
        )
        now = (pushed[1] or pushed[2]) if pushed else None
        if now is not None and was is None:
            values.append(now)
            quiet = 0
        quiet = 0 if now is not None else (quiet + 1 if values else 0)
        was = now
        if quiet > 60:
            break
    for each in values:
        player.click(hint=f"/button-{each}/")


@plays("stock-market")
def stock(player: Player) -> None:
    limit = float(match(r"\$([\d.]+)\.", player.query())[1])
    button = player.find("Buy")
    for look in range(400):
        hit = re.search(r"Stock price:\s*\$([\d.]+)", " ".join(player.page()))
        # The price keeps moving until the click, so at first only a much lower one is accepted.
        if hit and float(hit[1]) < limit - max(0.3, 2.5 - look / 20):
            player.click_id(button)
            return
    raise Lost("never cheap")


@plays("drag-cube")
def cube(player: Player) -> None:
    goal = words(player)[0]
    side = "//*[contains(@class,'viewport')]"
    for dx, dy in (
        (30, 0),
        (30, 0),
        (30, 0),
        (0, 30),
        (0, 30),
        (30, 0),
        (0, -40),
        (30, 0),
        (0, 30),
        (0, 30),
        (30, 0),
        (30, 0),
    ) * 3:
        if re.search(rf'class="cube-image active"[^>]*>{goal}<', player.html(side)):
            player.click("Submit")
            return
        player.do("browser_drag", xpath=side, dx=dx, dy=dy)
        player.do("browser_wait_for", idleMs=300)
    raise Lost(goal)
