"""Where apps' descriptors lie, and the ways to the apps: D-Bus, standard streams, HTTP, Apple Events."""
