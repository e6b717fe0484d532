"""desktop.ocr: what is written in the picture of a window, or of a part of it."""

from handrail.features.desktop.host import screen_picture, text_recognition
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.params import Box, RoutedParams
from handrail.features.desktop.host.refs import spelled_frame
from handrail.features.desktop.host.services import Reading, Result, Services
from handrail.features.desktop.platform import Rect
from handrail.ports.errors import InvalidParams


class OcrParams(RoutedParams, frozen=True, kw_only=True):
    rect: Box | None = None
    """Of the screen; without one, the whole window."""


async def _ocr(services: Services, execution: Execution, params: OcrParams) -> Result:
    routed = await (await services.search()).routed(params.route)
    window, box = routed.window.frame, params.rect
    if window is None:
        raise InvalidParams("The window has no place on the screen.", field="params.route")
    area = window if box is None else Rect(box.x, box.y, box.width, box.height).meets(window)
    if area is None:
        raise InvalidParams("params.rect: is outside of the window.", field="params.rect")
    desktop = await services.source.get()
    content, shot = await screen_picture.pixels(desktop, area)
    lines = await text_recognition.read_text(content, shot.area)
    record = execution.record
    return {
        "lines": [{"text": line.text, "frame": spelled_frame(line.frame)} for line in lines],
        "routeResolved": routed.spelled(),
        "evidence": {"dir": record.dir, "screenshotPath": record.add("observe.png", shot.png)},
    }


METHOD = Reading("desktop.ocr", OcrParams, _ocr)
