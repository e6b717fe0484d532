"""Contract 1 on a Unix socket: JSON-RPC 2.0, one JSON text per line each way."""
