"""The rules of contract 2: tasks, actions, plugins and what they say, without a wire and without a table."""
