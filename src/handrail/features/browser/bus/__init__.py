"""The rules of contract 2: tasks, actions, plugins and their messages, without transport and storage."""
