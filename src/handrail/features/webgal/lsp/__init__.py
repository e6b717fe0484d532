"""The language server for WebGAL scripts, over stdin and stdout. It only reads."""
