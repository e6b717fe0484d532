"""Questions to people: forms, choices, follow-up questions, completions; and the queue in which they wait."""

from handrail.kernel.feature import Command, Extra, Feature

TUI = Extra("tui", "textual")

FEATURE = Feature(
    "people",
    "Questions to people",
    rank=60,
    tools="handrail.features.people.tool_list:TOOLS",
    commands=[
        Command("prompts", "handrail.features.people.cli.prompts:prompts", "Answer what waits for a person.", 100)
    ],
    further_extras=[TUI],
)
