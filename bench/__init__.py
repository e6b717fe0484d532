"""handrail beside its peers: each measurement takes both in one run, in turns, and gives a ratio."""
