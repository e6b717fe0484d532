"""Other vendors' agents in the chat, over the Agent Client Protocol (ACP)."""
