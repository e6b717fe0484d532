"""MCP on the official SDK: over stdio and over streamable HTTP, from the same registry."""
