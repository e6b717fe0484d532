"""The rules of contract 2 for tasks, actions, plugins and their messages, without transport and storage."""
