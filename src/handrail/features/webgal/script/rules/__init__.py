"""The rules for single lines, one module per family. Each is a function from a line to its findings."""
