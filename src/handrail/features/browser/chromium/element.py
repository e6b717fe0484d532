"""Finds the element that a selector names, and a point where a mouse click reaches it."""

import json
from dataclasses import dataclass
from typing import Any

from handrail.features.browser.offers import Element
from handrail.ports.errors import Changed, NotShown

_LOCATE_SCRIPT = """(() => {
  const found = document.querySelector(%s);
  if (!found) return null;
  found.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const words = found.innerText || found.value || found.ariaLabel || found.title || "";
  const element = { page: location.href, tag: found.localName, text: words.trim().replace(/\\s+/g, " ").slice(0, 200) };
  const box = [...found.getClientRects()].find((each) => each.width > 0 && each.height > 0);
  if (!box) return { ...element, x: 0, y: 0, isHit: false };
  const x = box.x + box.width / 2, y = box.y + box.height / 2;
  const hit = document.elementFromPoint(x, y);
  const isHit = hit !== null && (found.contains(hit) || hit.closest("label")?.control === found);
  return { ...element, x, y, isHit };
})()"""


@dataclass(frozen=True, slots=True)
class LocatedElement:
    element: Element
    x: float
    y: float
    is_hit: bool
    """Whether a click there reaches the element, and not something that covers it."""

    def check(self, selector: str, seen: Element | None) -> None:
        """Raises NotShown if it can't be clicked, Changed if it isn't the one that was seen."""
        if seen is not None and seen != self.element:
            raise Changed(
                "The page or the element has changed since it was approved.",
                hint="Look at the page and try again.",
                selector=selector,
            )
        if not self.is_hit:
            raise NotShown(f"{selector!r} is covered by something else, or can't be seen.", selector=selector)


def locate_script(selector: str) -> str:
    """The expression whose value `located_element` reads."""
    return _LOCATE_SCRIPT % json.dumps(selector)


def located_element(value: Any, selector: str, url: str) -> LocatedElement:
    """Raises NotShown if there is no such element."""
    if not isinstance(value, dict):
        raise NotShown(f"No element matches {selector!r} on {url}.", selector=selector)
    return LocatedElement(Element(value["page"], value["tag"], value["text"]), value["x"], value["y"], value["isHit"])
