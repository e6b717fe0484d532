"""How long each client waits for a hook by its own default, in seconds."""

WAITS = {
    "claude": 600,
    "codex": 600,
    "gemini": 60,
    "qwen": 60,
    "cursor": 60,
    "copilot": 30,
    "cline": 30,
    "opencode": 60,
}
