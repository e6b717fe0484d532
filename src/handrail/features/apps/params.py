"""What the tools of this surface have in common: the words about an app and a tool, and what rules can match."""

from typing import Annotated, Any, Protocol

import msgspec

from handrail.kernel.target import Target

AppId = Annotated[str, msgspec.Meta(description="Its id, such as com.example.mail: apps_list has them.")]


class _NamesApp(Protocol):
    @property
    def app(self) -> str: ...


def app_target(params: _NamesApp) -> Target:
    return Target(app=params.app)


def required_object(schema: dict[str, Any]) -> dict[str, Any]:
    """Nothing beside what is declared: a parameter of the app's tool in the wrong place would be lost in silence."""
    return {**schema, "additionalProperties": False}
