"""The host of contract 1: what its methods mean, over the ports of the desktop. Knows no socket and no toolkit."""
