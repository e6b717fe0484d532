"""The game in the console, and previews for other processes."""

from handrail.faces.http.context import HttpContext
from handrail.faces.http.mount import Mount
from handrail.features.webgal.routes import showings, webgal


def mount(context: HttpContext) -> Mount:
    return Mount([*webgal.routes(context), *showings.routes(context)])
