"""The options of a choice: `[(show)[enable]->]text:target|…`, split as the engine's parser does."""

import re

from handrail.core.webgal.files import in_folder

BAR = re.compile(r"(?<!\\)\|")
COLON = re.compile(r"(?<!\\):")
# The first condition ends where the second one or the arrow follows; `(f(a)[0]>1)->` only where the arrow does.
_FIRST = r"\((?P<show>(?:(?!\)->|\)\[).)*+|(?:(?!\)->).)*+)\)"
_SECOND = r"\[(?P<enable>(?:(?!\]->).)*+)\]"
CONDITIONS = re.compile(rf"\s*+(?:{_FIRST})?(?:{_SECOND})?->")
"""What stands before an option's text."""


def read_option(option: str) -> tuple[str, str]:
    """Text and target; what follows a third colon is lost."""
    fields = COLON.split(option, maxsplit=2)
    return fields[0], fields[1] if len(fields) > 1 else ""


def is_scene(target: str) -> bool:
    """Anything with a dot is a file, anything else a label of the same scene."""
    return "." in target


def resolved(content: str) -> str:
    """The choice with the paths of its scenes written out."""
    pairs = map(read_option, BAR.split(content))
    return "|".join(f"{text}:{in_folder('scene', target) if is_scene(target) else target}" for text, target in pairs)


def scenes_of(content: str) -> tuple[str, ...]:
    """Of a resolved choice. Here escapes don't count: that is how the engine's parser does it."""
    targets = (fields[1] for fields in (option.split(":", 2) for option in content.split("|")) if len(fields) > 1)
    return tuple(target for target in targets if is_scene(target))
