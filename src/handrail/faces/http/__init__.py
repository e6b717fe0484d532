"""The HTTP face: contract 2's wire, the first page and the mounted MCP endpoint, for this machine only."""
