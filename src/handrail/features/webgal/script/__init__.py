"""WebGAL scripts: what the engine makes of a line, and what is wrong with it. Knows no disk and no wire."""
