"""The HTTP face: contract 2's wire, the first page and the mounted MCP endpoint, on this machine only."""
