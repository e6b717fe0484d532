"""`handrail agents`: manages the agents that may connect over HTTP, each with its own token."""

from pathlib import Path

import click

from handrail.faces.cli.output import print_json, print_list, say
from handrail.faces.cli.parameters import ListGroup, json_option, state_option

EPILOG = """\b
Examples:
  handrail agents                     list agents
  handrail agents add claude          issue a token, which is shown once
  handrail agents remove claude       revoke it and end its connections"""


@click.group(cls=ListGroup, epilog=EPILOG)
@state_option
def agents(state: Path | None) -> None:
    """List, add and remove agents that connect over HTTP.

    Each agent has its own token. Tasks, browsers and everything that you allow belong to the agent whose token it
    is. Clients that start `handrail mcp` themselves need no token.
    """


@agents.command("list")
@state_option
@json_option
def list_agents(state: Path | None, as_json: bool) -> None:
    """List agents and when each was added."""
    from handrail.faces.cli.program import program

    agents = program().open_stores(state).agents.all()
    entries = [{"id": agent.id, "name": agent.name, "createdAt": agent.created_at} for agent in agents]
    rows = [(agent.name, agent.id, agent.created_at) for agent in agents]
    print_list(as_json, {"agents": entries}, rows, "No agent has a token. `handrail agents add NAME` issues one.")


ADD_EPILOG = "Next: let the agent send it to http://localhost:6006/mcp as `Authorization: Bearer TOKEN`."


@agents.command("add", epilog=ADD_EPILOG)
@click.argument("name", help="For people: letters, digits, dots, underscores, hyphens.")
@state_option
@json_option
def add_agent(name: str, state: Path | None, as_json: bool) -> None:
    """Issue a token to a new agent and print it once."""
    from handrail.faces.cli.person import record_change
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import program

    stores = program().open_stores(state)
    require_person(stores, "Issuing a token to an agent")
    agent, token = stores.agents.add(name)
    record_change(stores, f"issued a token to the agent {agent.id}")
    if as_json:
        print_json({"id": agent.id, "name": agent.name, "token": token})
        return
    say(token)


@agents.command("remove")
@click.argument("name", help="As `handrail agents` lists it.")
@state_option
def remove_agent(name: str, state: Path | None) -> None:
    """Revoke an agent's token and end its connections."""
    from handrail.faces.cli.person import record_change
    from handrail.faces.cli.program import program

    stores = program().open_stores(state)
    agent = stores.agents.remove(name)
    record_change(stores, f"revoked the token of the agent {agent.id}")
    say(f"Removed: {agent.name}")
