"""WebGAL scripts: how the engine reads a line, and what is wrong with it. Independent of disks and wires."""
