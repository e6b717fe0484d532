"""WebGAL scripts: how the engine reads a line, and what is wrong with it. Knows no disk and no wire."""
