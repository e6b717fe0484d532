"""The window of `texts` in GTK 3."""

from collections.abc import Callable

import gi

from tests.desktop_apps import texts

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

LONGEST_LIST = 500
"""GTK needs quadratic time to list the children of a list."""


class Workbench:
    def __init__(self, arguments: texts.Arguments) -> None:
        self.delay_ms = arguments.delay_ms
        self.counted = self.changed = self.touched = 0
        self.window = Gtk.Window(title=arguments.title, default_width=520, default_height=760)
        self.window.connect("destroy", Gtk.main_quit)
        self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4, margin=8)
        self.window.add(self.box)

        self.count_label = self.label(texts.COUNTED.format(0))
        self.button(texts.COUNT, self.count)
        self.box.add(Gtk.CheckButton(label=texts.AGREE))
        self.named(Gtk.Entry(), texts.NAME)
        notes = Gtk.TextView()
        notes.get_accessible().set_name(texts.NOTES)
        self.box.add(Gtk.ScrolledWindow(child=notes, height_request=60))
        colours = Gtk.ComboBoxText()
        for colour in texts.COLOURS:
            colours.append_text(colour)
        colours.set_active(0)
        colours.connect("changed", self.choose)
        self.named(colours, texts.COLOUR)
        self.choice_label = self.label(texts.CHOSEN.format(texts.COLOURS[0]))
        self.button(texts.FORBIDDEN, self.count).set_sensitive(False)
        self.button(texts.OPEN_DIALOG, self.open_dialog)
        self.button(texts.ADD_LATER, self.later(self.add))
        self.button(texts.CHANGE_LATER, self.later(self.change))
        self.change_label = self.label(texts.UNCHANGED)
        area = Gtk.DrawingArea(height_request=60, events=Gdk.EventMask.BUTTON_PRESS_MASK)
        area.connect("button-press-event", self.touch)
        self.named(area, texts.AREA)
        self.touch_label = self.label(texts.UNTOUCHED)

        rows = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        for first in range(0, arguments.rows, LONGEST_LIST):
            part = Gtk.ListBox()
            for number in range(first, min(first + LONGEST_LIST, arguments.rows)):
                part.add(Gtk.Label(label=texts.ROW.format(number), xalign=0))
            rows.add(part)
        scrolled = Gtk.ScrolledWindow(vexpand=True)
        scrolled.add(rows)
        self.box.add(scrolled)
        self.window.show_all()

    def label(self, text: str) -> Gtk.Label:
        label = Gtk.Label(label=text)
        self.box.add(label)
        return label

    def button(self, text: str, pressed: Callable[..., object]) -> Gtk.Button:
        button = Gtk.Button(label=text)
        button.connect("clicked", pressed)
        self.box.add(button)
        return button

    def named(self, widget: Gtk.Widget, name: str) -> None:
        widget.get_accessible().set_name(name)
        self.box.add(widget)

    def later(self, act: Callable[[], None]) -> Callable[..., object]:
        return lambda *_: GLib.timeout_add(self.delay_ms, act)

    def count(self, *_: object) -> None:
        self.counted += 1
        self.count_label.set_text(texts.COUNTED.format(self.counted))

    def choose(self, colours: Gtk.ComboBoxText) -> None:
        self.choice_label.set_text(texts.CHOSEN.format(colours.get_active_text()))

    def add(self) -> None:
        self.button(texts.ADDED, lambda added: added.destroy()).show()

    def change(self) -> None:
        self.changed += 1
        self.change_label.set_text(texts.CHANGED.format(self.changed))

    def touch(self, *_: object) -> None:
        self.touched += 1
        self.touch_label.set_text(texts.TOUCHED.format(self.touched))

    def open_dialog(self, *_: object) -> None:
        dialog = Gtk.Dialog(title=texts.DIALOG, transient_for=self.window, modal=True)
        dialog.add_button(texts.CLOSE_DIALOG, Gtk.ResponseType.OK)
        dialog.connect("response", lambda *_: dialog.destroy())
        dialog.show_all()


Workbench(texts.Arguments())
Gtk.main()
