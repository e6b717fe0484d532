"""What a person does with a review. Agents have no part in it."""

from handrail.features.review.tools import discard_changes, take_changes

TOOLS = (take_changes.TOOL, discard_changes.TOOL)
