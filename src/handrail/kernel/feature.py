"""A feature's manifest, in `features/<name>/feature.py`.

Anything that takes time to load is given as `module:attribute` and imported when it is used, so that listing all
features is fast. For the same reason this module imports only `importlib` at run time.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from importlib.machinery import PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


def load(where: str) -> Any:
    """Imports what `module:attribute` names. Internal: that fails, for example in a feature of another package."""
    module, _, attribute = where.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as fault:
        from handrail.ports.errors import Internal

        hint = "If it belongs to another package, `handrail features disable` turns it off."
        raise Internal(f"{where} can't be loaded: {fault}.", hint=hint) from fault


class Command:
    """A command of the command line: `where` names a click command, `rank` orders the list."""

    def __init__(self, name: str, where: str, summary: str, rank: int = 500) -> None:
        self.name = name
        self.where = where
        self.summary = summary
        self.rank = rank


class Extra:
    """An optional install: `pip install 'handrail[name]'` installs these modules."""

    def __init__(self, name: str, *modules: str) -> None:
        self.name = name
        self.modules = modules

    @cached_property
    def is_installed(self) -> bool:
        """Whether its modules are installed, without importing them. Installing it later requires a restart."""
        return all(PathFinder.find_spec(module) is not None for module in self.modules)

    @property
    def how_to_install(self) -> str:
        return f"Install it with: pip install 'handrail[{self.name}]'"


class Feature:
    """`name` is used by `--tools` and in error messages; `rank` orders the features.

    Given as `module:attribute`:

    - `tools`, `prompts`, `resources`: sequences of declarations; `dialect`: how its errors are spelled
    - `dynamic_tools`: a function from the open project to the `DynamicTools` that it finds there, or to None
    - `opening`: a function from the open project to what its tools get; `offers`: the same for what other features use
    - `routes`: a function from the HTTP server's context to a mount; `commands`: commands of the command line
    - `services`: functions that serve a caller on the server's local socket, by name (`kernel/local_service.py`)
    - `serving`: a context manager that is entered while a server runs; `tidy`: regularly removes old data
    - `settings`: a type whose fields are keys of config.toml; `switched_on`: whether its tools are offered
    - `listed_first`: whether clients get its tools in the first list, without searching: True, or a function from the
      open project
    - `checks`: checks for `handrail doctor`; `terminal`: asks the person at the terminal

    The feature is not offered unless `extra` is installed; without one of `further_extras`, a part of it is missing.
    With `works_in_teams`, a team's servers offer it: it keeps nothing in one process or on one machine that another of
    the servers would need.
    With `keeps_evidence_openly`, evidence is in the project's own `artifacts` folder, as the contract requires.
    """

    def __init__(
        self,
        name: str,
        title: str,
        *,
        rank: int = 500,
        tools: str = "",
        dynamic_tools: str = "",
        prompts: str = "",
        resources: str = "",
        dialect: str = "handrail.kernel.dialect:DIALECT",
        opening: str = "",
        offers: Mapping[str, str] | None = None,
        serving: str = "",
        settings: str = "",
        switched_on: str = "",
        listed_first: str | bool = False,
        commands: Sequence[Command] = (),
        routes: str = "",
        services: Mapping[str, str] | None = None,
        checks: str = "",
        tidy: str = "",
        terminal: str = "",
        extra: Extra | None = None,
        further_extras: Sequence[Extra] = (),
        keeps_evidence_openly: bool = False,
        works_in_teams: bool = False,
    ) -> None:
        self.name = name
        self.title = title
        self.rank = rank
        self.tools = tools
        self.dynamic_tools = dynamic_tools
        self.prompts = prompts
        self.resources = resources
        self.dialect = dialect
        self.opening = opening
        self.offers = offers or {}
        self.serving = serving
        self.settings = settings
        self.switched_on = switched_on
        self.listed_first = listed_first
        self.commands = commands
        self.routes = routes
        self.services = services or {}
        self.checks = checks
        self.tidy = tidy
        self.terminal = terminal
        self.extra = extra
        self.further_extras = further_extras
        self.keeps_evidence_openly = keeps_evidence_openly
        self.works_in_teams = works_in_teams

    @property
    def references(self) -> list[str]:
        """Everything that is given as `module:attribute`."""
        listed_first = self.listed_first if isinstance(self.listed_first, str) else ""
        single = (
            *(self.tools, self.dynamic_tools, self.prompts, self.resources, self.dialect, self.opening, self.serving),
            *(self.settings, self.switched_on, listed_first, self.routes, self.checks, self.tidy, self.terminal),
        )
        several = (*self.offers.values(), *self.services.values(), *(command.where for command in self.commands))
        return [where for where in (*single, *several) if where]

    @property
    def missing_extra(self) -> Extra | None:
        """The extra that must be installed before the feature can be used."""
        return None if self.extra is None or self.extra.is_installed else self.extra
