"""The window of `texts` in GTK 4."""

from collections.abc import Callable

import gi

from tests.desktop_apps import texts

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402


class Workbench:
    def __init__(self, arguments: texts.Arguments) -> None:
        self.delay_ms = arguments.delay_ms
        self.counted = self.changed = self.touched = 0
        self.loop = GLib.MainLoop()
        self.window = Gtk.Window(title=arguments.title, default_width=520, default_height=760)
        self.window.connect("close-request", lambda _: self.loop.quit())
        self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        self.window.set_child(self.box)

        self.count_label = self.label(texts.COUNTED.format(0))
        self.button(texts.COUNT, self.count)
        self.box.append(Gtk.CheckButton(label=texts.AGREE))
        self.named(Gtk.Entry(), texts.NAME)
        notes = Gtk.TextView()
        notes.update_property([Gtk.AccessibleProperty.LABEL], [texts.NOTES])
        self.box.append(Gtk.ScrolledWindow(child=notes, height_request=60))
        colours = Gtk.DropDown.new_from_strings(list(texts.COLOURS))
        colours.connect("notify::selected", self.choose)
        self.named(colours, texts.COLOUR)
        self.choice_label = self.label(texts.CHOSEN.format(texts.COLOURS[0]))
        self.button(texts.FORBIDDEN, self.count).set_sensitive(False)
        self.button(texts.OPEN_DIALOG, self.open_dialog)
        self.button(texts.ADD_LATER, self.later(self.add))
        self.button(texts.CHANGE_LATER, self.later(self.change))
        self.change_label = self.label(texts.UNCHANGED)
        # A plain area may have no name in newer versions.
        area = Gtk.DrawingArea(height_request=60, accessible_role=Gtk.AccessibleRole.IMG)
        click = Gtk.GestureClick()
        click.connect("pressed", self.touch)
        area.add_controller(click)
        self.named(area, texts.AREA)
        self.touch_label = self.label(texts.UNTOUCHED)

        rows = Gtk.ListBox()
        for number in range(arguments.rows):
            rows.append(Gtk.Label(label=texts.ROW.format(number), xalign=0))
        self.box.append(Gtk.ScrolledWindow(child=rows, vexpand=True))
        self.window.present()

    def label(self, text: str) -> Gtk.Label:
        label = Gtk.Label(label=text)
        self.box.append(label)
        return label

    def button(self, text: str, pressed: Callable[..., object]) -> Gtk.Button:
        button = Gtk.Button(label=text)
        button.connect("clicked", pressed)
        self.box.append(button)
        return button

    def named(self, widget: Gtk.Widget, name: str) -> None:
        widget.update_property([Gtk.AccessibleProperty.LABEL], [name])
        self.box.append(widget)

    def later(self, act: Callable[[], None]) -> Callable[..., object]:
        return lambda *_: GLib.timeout_add(self.delay_ms, act)

    def count(self, *_: object) -> None:
        self.counted += 1
        self.count_label.set_text(texts.COUNTED.format(self.counted))

    def choose(self, colours: Gtk.DropDown, *_: object) -> None:
        self.choice_label.set_text(texts.CHOSEN.format(colours.get_selected_item().get_string()))

    def add(self) -> None:
        self.button(texts.ADDED, self.box.remove)

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
        dialog.present()


Workbench(texts.Arguments()).loop.run()
