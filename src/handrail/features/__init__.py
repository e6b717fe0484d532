"""One folder per feature; each declares itself in its `feature.py`."""

from __future__ import annotations

import os
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from handrail.kernel.feature import Feature


def built_in() -> list[Feature]:
    """The manifests in this folder, in the order in which people meet them."""
    folder = os.path.dirname(__file__)
    names = [name for name in os.listdir(folder) if os.path.exists(os.path.join(folder, name, "feature.py"))]
    found: list[Feature] = [import_module(f"handrail.features.{name}.feature").FEATURE for name in sorted(names)]
    return sorted(found, key=lambda feature: feature.rank)
