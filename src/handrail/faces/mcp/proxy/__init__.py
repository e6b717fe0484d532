"""`handrail mcp` as a thin proxy: forwards lines to a running server and imports little, because clients wait."""
