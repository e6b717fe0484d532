"""A GTK 3 window that asks for a name and a password, and shows how long the password is."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

TITLE = "Sign in"
PASSWORD = "Password"
LENGTH = "{} characters"


def main() -> None:
    window = Gtk.Window(title=TITLE, default_width=360, default_height=200)
    window.connect("destroy", Gtk.main_quit)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=8)
    password = Gtk.Entry(visibility=False)
    password.get_accessible().set_name(PASSWORD)
    length = Gtk.Label(label=LENGTH.format(0))
    password.connect("changed", lambda entry: length.set_text(LENGTH.format(len(entry.get_text()))))
    for widget in (Gtk.Entry(), password, length):
        box.pack_start(widget, False, False, 8)
    window.add(box)
    window.show_all()
    password.grab_focus()
    Gtk.main()


if __name__ == "__main__":
    main()
