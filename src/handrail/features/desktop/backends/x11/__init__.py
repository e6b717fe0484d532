"""Windows, pointer, keyboard, clipboard and screen of an X server. Knows no accessibility."""
