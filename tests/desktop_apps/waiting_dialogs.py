"""A GTK 3 window whose button and menu item wait for a dialog's answer and print it. Run by the system's Python."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


def ask(*_: object) -> None:
    dialog = Gtk.MessageDialog(transient_for=window, modal=True, buttons=Gtk.ButtonsType.OK_CANCEL, text="Really?")
    print("yes" if dialog.run() == Gtk.ResponseType.OK else "no", flush=True)
    dialog.destroy()


window = Gtk.Window(title="Asks")
item, menu, top = Gtk.MenuItem(label="Ask…"), Gtk.Menu(), Gtk.MenuItem(label="File")
item.connect("activate", ask)
menu.append(item)
top.set_submenu(menu)
bar, button, box = Gtk.MenuBar(), Gtk.Button(label="Ask"), Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
bar.append(top)
button.connect("clicked", ask)
box.add(bar)
box.add(button)
window.add(box)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
