"""A small window for the tour to look at: what play-testers found in the game, to be ticked off. Needs GTK 3."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402 - the version comes first

FOUND = ("The pier is dark", "The bell never rings", "The cat wants more fish")


def main() -> None:
    window = Gtk.Window(title="Play-test · 晚风邮局", default_width=420, default_height=220)
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=10, margin=20)
    heading = Gtk.Label(xalign=0)
    heading.set_markup("<big><b>What play-testers found</b></big>")
    column.add(heading)
    for found in FOUND:
        column.add(Gtk.CheckButton(label=found))
    window.add(column)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    print("shown", flush=True)
    Gtk.main()


main()
