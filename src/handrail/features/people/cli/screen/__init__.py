"""The full-screen view of `handrail prompts`. Imported by that command alone: Textual is heavy."""
