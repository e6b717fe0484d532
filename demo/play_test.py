"""A small GTK 3 window for the tour to look at: a checklist of what play-testers found in the game."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib  # noqa: E402

GLib.set_prgname("Play-test")  # before GTK uses the file's name
from gi.repository import Gtk  # noqa: E402

FINDINGS = ("The pier is dark", "The bell never rings", "The cat wants more fish")


def main() -> None:
    window = Gtk.Window(title="Play-test · 晚风邮局", default_width=560, default_height=280)
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=14, margin=28)
    heading = Gtk.Label(xalign=0)
    heading.set_markup("<span size='x-large' weight='bold'>What play-testers found</span>")
    column.add(heading)
    for finding in FINDINGS:
        button = Gtk.CheckButton(label=finding)
        button.get_child().set_markup(f"<span size='large'>{finding}</span>")
        column.add(button)
    window.add(column)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    print("shown", flush=True)
    Gtk.main()


main()
