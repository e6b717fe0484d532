"""WebGAL scripts: what the engine makes of a line, and what is wrong with it. Pure: knows no file system and no wire."""
