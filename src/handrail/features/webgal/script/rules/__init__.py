"""The rules about single lines, one module a family. Each is a function from a line to what is wrong with it."""
