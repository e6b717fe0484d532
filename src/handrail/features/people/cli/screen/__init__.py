"""The full-screen view of `handrail prompts`. Only that command imports it, because Textual is heavy."""
