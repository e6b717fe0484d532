"""The names and texts of the window that every toolkit here shows, and the arguments that start it.

Run by the system's Python, so it knows nothing but the standard library.
"""

from argparse import ArgumentParser

TITLE = "工作台 Prüfstand 🧭"

COUNT = "Count"
COUNTED = "Counted {}"
AGREE = "Agree"
NAME = "Name"
NOTES = "Notes"
COLOUR = "Colour"
COLOURS = ("red", "green", "blue")
CHOSEN = "Chosen {}"
FORBIDDEN = "Forbidden"
OPEN_DIALOG = "Open dialog"
DIALOG = "Really?"
CLOSE_DIALOG = "Of course"
ADD_LATER = "Add later"
ADDED = "Added"
"""The button that appears; it disappears when it is pressed."""
CHANGE_LATER = "Change later"
UNCHANGED = "Nothing changed"
CHANGED = "Changed {}"
AREA = "Area"
UNTOUCHED = "Area untouched"
TOUCHED = "Area touched {}"
ROW = "Row {}"


class Arguments:
    def __init__(self) -> None:
        parser = ArgumentParser()
        parser.add_argument("--title", default=TITLE)
        parser.add_argument("--rows", type=int, default=5)
        parser.add_argument("--delay-ms", type=int, default=150, help="how late is later")
        options = parser.parse_args()
        self.title: str = options.title
        self.rows: int = options.rows
        self.delay_ms: int = options.delay_ms
