"""Reads a Linux desktop through AT-SPI2, the accessibility interface of its toolkits, over D-Bus."""
