"""The desktop's host seen from handrail's other processes: reached, started where there is none, kept alive by `up`."""
