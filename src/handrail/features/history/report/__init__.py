"""A task's report as a single page that works without a server, a network or other files."""
