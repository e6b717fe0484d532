"""desktop.ocr: reads the text in the picture of a window, or of a part of it."""

from handrail.features.desktop.desktop_port import Rect
from handrail.features.desktop.host import screenshots, text_recognition
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.params import Box, RoutedParams
from handrail.features.desktop.host.refs import frame_to_wire
from handrail.features.desktop.host.services import ReadMethod, Result, Services
from handrail.ports.errors import InvalidParams


class OcrParams(RoutedParams, frozen=True, kw_only=True):
    rect: Box | None = None
    """In screen pixels; without it, the whole window."""


async def _ocr(services: Services, execution: Execution, params: OcrParams) -> Result:
    resolved_route = await (await services.search()).resolve_route(params.route)
    window, box = resolved_route.window.frame, params.rect
    if window is None:
        raise InvalidParams("The window has no place on the screen.", field="params.route")
    area = window if box is None else Rect(box.x, box.y, box.width, box.height).intersection(window)
    if area is None:
        raise InvalidParams("params.rect: outside of the window.", field="params.rect")
    desktop = await services.source.get()
    pixels, shot = await screenshots.read_pixels(desktop, area)
    lines = await text_recognition.read_text(pixels, shot.area)
    record = execution.record
    return {
        "lines": [{"text": line.text, "frame": frame_to_wire(line.frame)} for line in lines],
        "routeResolved": resolved_route.to_wire(),
        "evidence": {"dir": record.dir, "screenshotPath": record.add("observe.png", shot.png)},
    }


METHOD = ReadMethod("desktop.ocr", OcrParams, _ocr)
