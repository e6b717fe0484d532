"""Hands: what an element does by itself, and pointer, keys and clipboard where it does nothing by itself."""
