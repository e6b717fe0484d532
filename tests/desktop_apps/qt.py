"""The window of `texts` in Qt, whose two versions only differ in their import: `qt 5 …`, `qt 6 …`."""

import importlib
import sys
from collections.abc import Callable
from typing import Any

from tests.desktop_apps import texts

VERSION = sys.argv.pop(1)
QtCore = importlib.import_module(f"PyQt{VERSION}.QtCore")
QtWidgets = importlib.import_module(f"PyQt{VERSION}.QtWidgets")


class Workbench:
    def __init__(self, arguments: texts.Arguments) -> None:
        self.delay_ms = arguments.delay_ms
        self.counted = self.changed = self.touched = 0
        self.window = QtWidgets.QWidget()
        self.window.setWindowTitle(arguments.title)
        self.window.resize(520, 760)
        self.box = QtWidgets.QVBoxLayout(self.window)

        self.count_label = self.label(texts.COUNTED.format(0))
        self.button(texts.COUNT, self.count)
        self.box.addWidget(QtWidgets.QCheckBox(texts.AGREE))
        self.named(QtWidgets.QLineEdit(), texts.NAME)
        self.named(QtWidgets.QPlainTextEdit(), texts.NOTES)
        colours = QtWidgets.QComboBox()
        colours.addItems(texts.COLOURS)
        self.named(colours, texts.COLOUR)
        self.choice_label = self.label(texts.CHOSEN.format(texts.COLOURS[0]))
        colours.currentTextChanged.connect(lambda colour: self.choice_label.setText(texts.CHOSEN.format(colour)))
        self.button(texts.FORBIDDEN, self.count).setEnabled(False)
        self.button(texts.OPEN_DIALOG, self.open_dialog)
        self.button(texts.ADD_LATER, self.later(self.add))
        self.button(texts.CHANGE_LATER, self.later(self.change))
        self.change_label = self.label(texts.UNCHANGED)
        area = QtWidgets.QFrame()
        area.setMinimumHeight(60)
        area.mousePressEvent = self.touch
        self.named(area, texts.AREA)
        self.touch_label = self.label(texts.UNTOUCHED)

        rows = QtWidgets.QListWidget()
        rows.addItems([texts.ROW.format(number) for number in range(arguments.rows)])
        self.box.addWidget(rows)
        self.window.show()

    def label(self, text: str) -> Any:
        label = QtWidgets.QLabel(text)
        self.box.addWidget(label)
        return label

    def button(self, text: str, pressed: Callable[..., object]) -> Any:
        button = QtWidgets.QPushButton(text)
        button.clicked.connect(pressed)
        self.box.addWidget(button)
        return button

    def named(self, widget: Any, name: str) -> None:
        widget.setAccessibleName(name)
        self.box.addWidget(widget)

    def later(self, act: Callable[[], None]) -> Callable[..., object]:
        return lambda *_: QtCore.QTimer.singleShot(self.delay_ms, act)

    def count(self, *_: object) -> None:
        self.counted += 1
        self.count_label.setText(texts.COUNTED.format(self.counted))

    def add(self) -> None:
        added = self.button(texts.ADDED, lambda *_: added.deleteLater())

    def change(self) -> None:
        self.changed += 1
        self.change_label.setText(texts.CHANGED.format(self.changed))

    def touch(self, *_: object) -> None:
        self.touched += 1
        self.touch_label.setText(texts.TOUCHED.format(self.touched))

    def open_dialog(self, *_: object) -> None:
        dialog = QtWidgets.QDialog(self.window)
        dialog.setWindowTitle(texts.DIALOG)
        dialog.setModal(True)
        close = QtWidgets.QPushButton(texts.CLOSE_DIALOG)
        close.clicked.connect(dialog.accept)
        QtWidgets.QVBoxLayout(dialog).addWidget(close)
        dialog.open()


application = QtWidgets.QApplication(sys.argv[:1])
workbench = Workbench(texts.Arguments())
sys.exit(application.exec())
