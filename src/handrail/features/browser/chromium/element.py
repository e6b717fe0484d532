"""The element that a selector names: what it is, and a point where a mouse click reaches it."""

import json
from dataclasses import dataclass
from typing import Any

from handrail.features.browser.offers import Element
from handrail.ports.errors import Changed, NotShown

_FOUND = """(() => {
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
class FoundElement:
    element: Element
    x: float
    y: float
    is_hit: bool
    """A click there meets it, rather than what covers it or shows through it."""

    def check(self, selector: str, seen: Element | None) -> None:
        """NotShown if it can't be clicked. Changed if it isn't the one that was seen."""
        if seen is not None and seen != self.element:
            raise Changed(
                "The page or the element is no longer what was shown and allowed.",
                hint="Look again, and ask again.",
                selector=selector,
            )
        if not self.is_hit:
            raise NotShown(f"{selector!r} is covered by something else, or can't be seen.", selector=selector)


def finding(selector: str) -> str:
    """The expression that a page evaluates for `found`."""
    return _FOUND % json.dumps(selector)


def found(told: Any, selector: str, url: str) -> FoundElement:
    """NotShown if there is none."""
    if not isinstance(told, dict):
        raise NotShown(f"No element matches {selector!r} on {url}.", selector=selector)
    return FoundElement(Element(told["page"], told["tag"], told["text"]), told["x"], told["y"], told["isHit"])
