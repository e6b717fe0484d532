"""Contract 2's HTTP routes and Socket.IO messages."""
