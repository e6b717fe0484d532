"""What a tool, an effect, an error and a port is. Imports nobody else in the house."""
