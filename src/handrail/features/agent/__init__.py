"""handrail's own agent: a loop that asks a model for the next step and runs its tool calls through the gate."""
