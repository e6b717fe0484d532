"""For vendors: an app that agents can use, from typed Python functions (contract 4).

    from handrail.aai import App

    app = App("com.example.notes", name="Notes", description="Short notes.")

    @app.tool
    def add(text: str) -> Note:
        "Add a note."

    app.run()

`python notes.py --install` writes the descriptor and the D-Bus activation file; docs/apps.md explains the rest.
"""

from handrail.aai.app import App
from handrail.aai.envelope import AppError

__all__ = ["App", "AppError"]
