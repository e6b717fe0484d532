"""A window with many buttons, run by the system's Python: `many_widgets.py gtk3|qt6 COUNT TITLE`."""

import sys


def gtk3(count: int, title: str) -> None:
    import gi

    gi.require_version("Gtk", "3.0")
    from gi.repository import Gtk

    window = Gtk.Window(title=title, default_width=600, default_height=400)
    rows = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for number in range(0, count, 20):
        row = Gtk.Box()
        for column in range(number, min(number + 20, count)):
            row.add(Gtk.Button(label=f"Button {column}"))
        rows.add(row)
    scrolled = Gtk.ScrolledWindow()
    scrolled.add(rows)
    window.add(scrolled)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    Gtk.main()


def qt6(count: int, title: str) -> None:
    from PyQt6 import QtWidgets

    app = QtWidgets.QApplication([title])
    inside = QtWidgets.QWidget()
    rows = QtWidgets.QVBoxLayout(inside)
    for number in range(0, count, 20):
        row = QtWidgets.QWidget()
        columns = QtWidgets.QHBoxLayout(row)
        for column in range(number, min(number + 20, count)):
            columns.addWidget(QtWidgets.QPushButton(f"Button {column}"))
        rows.addWidget(row)
    scrolled = QtWidgets.QScrollArea()
    scrolled.setWidget(inside)
    window = QtWidgets.QMainWindow()
    window.setWindowTitle(title)
    window.setCentralWidget(scrolled)
    window.resize(600, 400)
    window.show()
    app.exec()


{"gtk3": gtk3, "qt6": qt6}[sys.argv[1]](int(sys.argv[2]), sys.argv[3])
