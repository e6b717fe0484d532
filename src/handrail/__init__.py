"""handrail: hands for AI agents, with a rail for people."""

__version__ = "0.1.0"
