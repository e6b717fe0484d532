"""The desktop: what is on the screen, and the hands that reach it."""
