"""Buttons in GTK 2, through its C library. Prints where they are, and the text of a button that is pressed."""

import ctypes

gtk, gdk = ctypes.CDLL("libgtk-x11-2.0.so.0"), ctypes.CDLL("libgdk-x11-2.0.so.0")
glib, gobject = ctypes.CDLL("libglib-2.0.so.0"), ctypes.CDLL("libgobject-2.0.so.0")
for name in ("gtk_window_new", "gtk_table_new", "gtk_button_new_with_label", "gtk_widget_get_window"):
    getattr(gtk, name).restype = ctypes.c_void_p
pointer = ctypes.c_void_p
clicked = ctypes.CFUNCTYPE(None, pointer, pointer)
timer = ctypes.CFUNCTYPE(ctypes.c_int, pointer)


class Rectangle(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("x", "y", "width", "height")]


gtk.gtk_init(None, None)
window, table = pointer(gtk.gtk_window_new(0)), pointer(gtk.gtk_table_new(4, 5, 0))
gtk.gtk_window_set_title(window, b"Buttons")
gtk.gtk_container_add(window, table)
buttons, handlers = [], []
for number in range(1, 21):
    text = f"Button {number}"
    button = pointer(gtk.gtk_button_new_with_label(text.encode()))
    row, column = divmod(number - 1, 5)
    gtk.gtk_table_attach(table, button, column, column + 1, row, row + 1, 1, 1, 4, 4)
    handlers.append(clicked(lambda *_, text=text: print(text, flush=True)))
    gobject.g_signal_connect_data(button, b"clicked", handlers[-1], None, None, 0)
    buttons.append(button)
gtk.gtk_widget_show_all(window)


@timer
def tell(_: object) -> int:
    places = []
    for button in buttons:
        area, x, y = Rectangle(), ctypes.c_int(), ctypes.c_int()
        gtk.gtk_widget_get_allocation(button, ctypes.byref(area))
        gdk.gdk_window_get_origin(pointer(gtk.gtk_widget_get_window(button)), ctypes.byref(x), ctypes.byref(y))
        places.append([x.value + area.x, y.value + area.y, area.width, area.height])
    print(places, flush=True)
    return 0


glib.g_timeout_add(1000, tell, None)
gtk.gtk_main()
