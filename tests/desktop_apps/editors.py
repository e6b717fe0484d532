"""Several maximized editor windows of one Qt program, as an editor with many documents shows them.

On the screen each title ends in the program's name, as Qt has it; on the accessibility bus it does not.
`--titles a.txt b.txt` names them; `--dialog` opens a modal dialog above the first.
"""

import argparse
import importlib
from typing import Any

QtWidgets = importlib.import_module("PyQt6.QtWidgets")  # the system Python's, which type checkers don't know


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--titles", nargs="+", required=True)
    parser.add_argument("--dialog")
    options = parser.parse_args()
    app = QtWidgets.QApplication([])
    app.setApplicationDisplayName("Editors")
    windows = [_editor(title) for title in options.titles]
    if options.dialog:
        dialog = QtWidgets.QDialog(windows[0])
        dialog.setWindowTitle(options.dialog)
        dialog.setModal(True)
        name = QtWidgets.QLineEdit()
        name.setAccessibleName("File name")
        QtWidgets.QVBoxLayout(dialog).addWidget(name)
        dialog.show()
    app.exec()


def _editor(title: str) -> Any:
    window = QtWidgets.QMainWindow()
    window.setWindowTitle(title)
    text = QtWidgets.QPlainTextEdit()
    text.setAccessibleName("Text")
    window.setCentralWidget(text)
    window.showMaximized()
    return window


main()
