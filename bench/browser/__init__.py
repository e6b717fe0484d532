"""The browser tools compared with peers: each has its own Chromium, with the same build, flags and pages."""
