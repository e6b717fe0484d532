"""handrail: the safety rail for AI agents on your machine."""

__version__ = "0.2.0"
