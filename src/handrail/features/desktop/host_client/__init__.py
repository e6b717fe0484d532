"""How other processes of handrail use the desktop host: they find or start it; the server keeps one running."""
