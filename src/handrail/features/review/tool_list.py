"""The tools of a review, which only people can use."""

from handrail.features.review.tools import discard_changes, take_changes

TOOLS = (take_changes.TOOL, discard_changes.TOOL)
