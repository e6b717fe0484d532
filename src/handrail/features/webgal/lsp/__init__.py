"""WebGAL scripts in an editor: the language server protocol over stdin and stdout. It reads, and writes nothing."""
