"""The browser surface beside its peers: each in a Chromium of its own, the same build, flags and pages."""
