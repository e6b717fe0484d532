"""Benchmarks of handrail and its peers: each runs both alternately in one run and prints a ratio."""
