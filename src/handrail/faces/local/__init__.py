"""The local socket: other handrail processes of this user reach the running server through it."""
