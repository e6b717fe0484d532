"""Prompts as MCP shows them: texts for a person to pick, each put together behind the gate."""

from typing import Any

from handrail.faces.mcp.content import as_content
from handrail.kernel.tool import Reply, Tool


def listed_prompt(prompt: Tool[Any, Any]) -> dict[str, Any]:
    schema = prompt.input_schema
    required = schema.get("required", ())
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": [
            {"name": name, "description": argument.get("description", ""), "required": name in required}
            for name, argument in schema.get("properties", {}).items()
        ],
    }


def prompt_result(prompt: Tool[Any, Any], reply: Reply) -> dict[str, Any]:
    """Each part is a message: the protocol has one content a message."""
    return {
        "description": prompt.description,
        "messages": [{"role": "user", "content": as_content(part)} for part in reply.content],
    }
