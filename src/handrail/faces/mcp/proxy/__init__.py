"""`handrail mcp` beside a warm server: carries lines, and loads next to nothing, because clients wait for it."""
