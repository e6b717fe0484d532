"""Where apps' descriptors are found, and the transports to apps: D-Bus, stdio, HTTP, Apple Events."""
