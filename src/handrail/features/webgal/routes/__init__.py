"""The game in the console, and previews for other processes."""

from handrail.faces.http.context import HttpContext, Mount
from handrail.features.webgal.routes.webgal import showing_routes, webgal_routes


def mount(context: HttpContext) -> Mount:
    return Mount([*webgal_routes(context), *showing_routes(context)])
