"""A GTK 3 window that logs what a pointer does in it, line by line, to `--out`.

A press makes it grey, and it turns black when the file `--now` appears. It is not on the accessibility bus: only a
picture shows what is in it.
"""

import argparse
from pathlib import Path

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

TITLE = "Pad"
_CLICKS = {Gdk.EventType.BUTTON_PRESS: "press", Gdk.EventType._2BUTTON_PRESS: "double"}
_EVENTS = (
    Gdk.EventMask.BUTTON_PRESS_MASK
    | Gdk.EventMask.BUTTON_RELEASE_MASK
    | Gdk.EventMask.SCROLL_MASK
    | Gdk.EventMask.POINTER_MOTION_MASK
)


class Pad:
    def __init__(self, out: Path, now: Path | None) -> None:
        self.out, self.now = out, now
        self.window = Gtk.Window(title=TITLE, default_width=400, default_height=300)
        self.window.connect("destroy", Gtk.main_quit)
        self.window.add_events(_EVENTS)
        self.paints = Gtk.CssProvider()
        self.window.get_style_context().add_provider(self.paints, 800)
        self.paint("white")
        self.window.connect("button-press-event", self.pressed)
        self.window.connect("button-release-event", lambda _, event: self.note("release", event))
        self.window.connect("scroll-event", lambda _, event: self.note(f"scroll {event.direction.value_nick}", event))
        self.window.connect("motion-notify-event", lambda _, event: self.note("motion", event))
        self.window.connect("configure-event", self.configured)
        self.window.show_all()
        GLib.timeout_add(20, self.look)

    def paint(self, colour: str) -> None:
        self.paints.load_from_data(f"window {{ background: {colour}; }}".encode())

    def look(self) -> bool:
        """The file says that the window is to look different."""
        if self.now is None or not self.now.exists():
            return True
        self.paint("black")
        return False

    def pressed(self, _: Gtk.Window, event: Gdk.EventButton) -> None:
        if event.type in _CLICKS:
            self.paint("lightgray")
            self.note(f"{_CLICKS[event.type]} {event.button}", event)

    def configured(self, _: Gtk.Window, event: Gdk.EventConfigure) -> bool:
        self.write(f"size {event.width} {event.height}")
        return False

    def note(self, what: str, event: Gdk.Event) -> None:
        self.write(f"{what} at {round(event.x)},{round(event.y)}")

    def write(self, line: str) -> None:
        with self.out.open("a") as file:
            file.write(line + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--now", type=Path)
    given = parser.parse_args()
    Pad(given.out, given.now)
    Gtk.main()
