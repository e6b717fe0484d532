"""The host of contract 1: its methods, over the desktop port. Knows no socket and no toolkit."""
