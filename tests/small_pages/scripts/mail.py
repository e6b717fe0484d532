"""Pages with messages: an inbox, posts, contacts."""

import re

from tests.small_pages.player import Lost, Player, match
from tests.small_pages.scripts import plays


def _message(player: Player, sender: str) -> dict[str, str]:
    """Returns the numbers of a message, of its bin and its star."""
    lines = player.page()
    at = lines.index(sender)
    whole = re.match(r"\[(\d+)", lines[at - 1])
    rest = "\n".join(lines[at:])
    bin_, star = re.search(r"\[(\d+) [^\]]*#trash", rest), re.search(r"\[(\d+) [^\]]*#star", rest)
    if not (whole and bin_ and star):
        raise Lost(rest)
    return {"whole": whole[1], "trash": bin_[1], "star": star[1]}


def _names(player: Player) -> list[str]:
    return [each for each in player.page() if re.fullmatch(r"[A-Z][\w' -]+", each)]


@plays("email-inbox-delete", "email-inbox-important", "email-inbox-noscroll", "email-inbox-star-reply", "email-inbox")
@plays(
    "email-inbox-reply",
    "email-inbox-forward",
    "email-inbox-forward-nl",
    "email-inbox-forward-nl-turk",
    "email-inbox-nl-turk",
)
def inbox(player: Player) -> None:
    query = player.query()
    if match := re.search(r"email by (\S+) and click the (trash|star)", query):
        player.click_id(_message(player, match[1])[match[2]])
    elif match := re.search(r'email by (\S+) and reply to them with the text "(.*)"', query):
        _reply(player, match[1], match[2])
    elif match := re.search(r"email by (\S+) and forward that email to (\S+?)\.$", query):
        _forward(player, match[1], match[2])
    else:
        _in_other_words(player, query)


def _in_other_words(player: Player, query: str) -> None:
    """Returns sender and recipient by the names in the inbox and the order of the words."""
    senders = [name for name in _names(player) if re.search(rf"\b{re.escape(name)}\b", query)]
    people = sorted(senders, key=lambda name: query.index(name))
    if not people:
        raise Lost(query)
    lower = query.lower()
    if re.search(r"\b(delete|trash|rid|discard|remove)", lower):
        player.click_id(_message(player, people[0])["trash"])
    elif re.search(r"\b(star|important|mark|flag)", lower):
        player.click_id(_message(player, people[0])["star"])
    elif (reply := re.search(r'"(.*)"', query)) and re.search(r"\b(repl|respond|answer|text|write)", lower):
        _reply(player, people[0], reply[1])
    else:
        raise Lost(query)


def _reply(player: Player, sender: str, text: str) -> None:
    player.click_id(_message(player, sender)["whole"])
    player.click(hint="/email-reply/") if not player.elements(name="Reply") else player.click("Reply")
    player.do("browser_type", clickId=player.find(hint="/reply-text/"), text=text)
    player.click(hint="/send-reply/")


def _forward(player: Player, sender: str, to: str) -> None:
    player.click_id(_message(player, sender)["whole"])
    player.click(hint="/email-forward/") if not player.elements(name="Forward") else player.click("Forward")
    player.do("browser_type", clickId=player.find(hint="/forward-sender/"), text=to)
    player.click(hint="/send-forward/")


@plays("social-media-all", "social-media-some")
def posts(player: Player) -> None:
    query = player.query()
    what, how, who = match(r'"(\w+)" button on (all|\d+) posts? by (@\w+)', query).groups()
    lines = player.page()
    places = [at for at, each in enumerate(lines) if each.endswith(who)]
    for at in places[: None if how == "all" else int(how)]:
        player.click_id(_button(lines[at:], what))
    player.click("Submit")


def _button(lines: list[str], what: str) -> str:
    return match(rf"\[(\d+) \(#{what.lower()}", "\n".join(lines))[1]


@plays("social-media")
def post(player: Player) -> None:
    who, what = match(r'user (@\w+), click on the "(.*)" button', player.query()).groups()
    lines = player.page()
    at = next(number for number, each in enumerate(lines[1:], 1) if re.search(rf"{who}(?!\w)", each))
    direct = {"Reply": "reply", "Retweet": "retweet", "Like": "like"}
    button = _button(lines[at:], direct.get(what, "more"))
    if player.click_id(button).get("warnings"):  # its picture was still loading
        player.click_id(button)
    if what not in direct:
        player.click(f"/^{what}/", tag="li")  # not the menu around it, whose name starts with the same words


@plays("phone-book")
def phone_book(player: Player) -> None:
    name, what = match(r"Find (\w+) in .* click on their (.*)\.", player.query()).groups()
    label = {"phone number": "Phone", "email": "Email", "address": "Address"}[what]
    for _ in range(30):
        page = "\n".join(player.page())
        if f"# {name}\n" in page:
            player.click_id(match(rf"{label}: \[(\d+) ", page)[1])
            return
        player.click(">")
    raise Lost(name)
