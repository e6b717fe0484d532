"""handrail's own agent: a loop that asks a model and carries out its tool calls through the gate."""
