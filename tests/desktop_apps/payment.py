"""A GTK 3 payment dialog that changes on command.

That is when the file `--now` appears; the same with `.done` says that it has. What was pressed is written to `--out`.
"""

import argparse
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

BLACK = "background-image: linear-gradient(black, black); background-repeat: no-repeat; background-position: center;"
LONG = f"{BLACK} background-size: 30px 12px;"
CARET = f"{BLACK} background-size: 2px 20px;"


class Payment:
    def __init__(self, change: str, now: Path, out: Path) -> None:
        self.change, self.now, self.out = change, now, out
        self.dialog = Gtk.Dialog(title="Payment", modal=True, default_width=420, default_height=320)
        self.dialog.connect("destroy", Gtk.main_quit)
        box = self.dialog.get_content_area()
        self.label = Gtk.Label(label="Pay 1 EUR to Bob")
        self.clock = Gtk.Label(label="Time left 00:00:00")
        self.amount = Gtk.Entry(text="1")
        self.amount.get_accessible().set_name("Amount")
        self.agree = Gtk.CheckButton(label="Repeat every month")
        self.canvas = Gtk.EventBox(name="canvas", width_request=300, height_request=80)
        self.canvas.get_accessible().set_name("Canvas")
        self.paints = Gtk.CssProvider()
        self.canvas.get_style_context().add_provider(self.paints, 800)
        self.paint("")
        self.canvas.connect("button-press-event", lambda *_: self.pressed("canvas"))
        pay = Gtk.Button(label="Pay")
        pay.connect("clicked", lambda _: self.pressed(f"{self.label.get_text()}, {self.amount.get_text()}"))
        for widget in (self.label, self.clock, self.amount, self.agree, self.canvas, pay):
            box.add(widget)
        pay.grab_focus()
        self.dialog.show_all()
        self.timer = GLib.timeout_add(20, self.look)

    def paint(self, style: str) -> None:
        """In style sheets: the system's Python may have no cairo."""
        self.paints.load_from_data(f"#canvas {{ background: white; {style} }}".encode())

    is_changed = False

    def look(self) -> bool:
        if self.is_changed or not self.now.exists():
            return True
        self.is_changed = True
        if self.change == "label":
            self.label.set_text("Pay 9999 EUR to Mallory")
        elif self.change == "value":
            self.amount.set_text("9999")
        elif self.change == "tick":
            self.agree.set_active(True)
        elif self.change == "clock":
            self.clock.set_text("Time left 00:00:07")
        elif self.change == "painted":
            self.paint(LONG)
        elif self.change == "caret":
            self.paint(CARET)
        GLib.timeout_add(200, self.tell)
        return True

    def tell(self) -> bool:
        self.now.with_suffix(".done").touch()
        return False

    def pressed(self, what: str) -> bool:
        with self.out.open("a") as out:
            out.write(f"{what}\n")
        return False


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("--change", "--now", "--out"):
        parser.add_argument(name, required=True)
    given = parser.parse_args()
    payment = Payment(given.change, Path(given.now), Path(given.out))
    Gtk.main()
