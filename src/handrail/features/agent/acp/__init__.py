"""Other agents in the chat, over the Agent Client Protocol."""
