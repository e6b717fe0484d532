"""MiniWoB++ without a model: a script for each page solves it with the browser's tools, like an agent."""
