"""Contract 2's own face: its routes and its Socket.IO messages, built on to the HTTP server."""
