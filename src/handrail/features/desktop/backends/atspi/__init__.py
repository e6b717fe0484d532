"""Reads a Linux desktop over D-Bus through AT-SPI2, the accessibility interface of its toolkits."""
