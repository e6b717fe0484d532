"""The same server and folders as the other routes have."""

from tests.faces.http.conftest import project, server, state

__all__ = ["project", "server", "state"]
