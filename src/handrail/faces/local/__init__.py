"""The local socket, through which other handrail processes of this user reach the running server."""
