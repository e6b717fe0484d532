"""Backends of the desktop port, one per platform."""
