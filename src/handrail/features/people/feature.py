"""Questions to people: forms, choices, follow-up questions, completions; and the queue in which they wait."""

from handrail.kernel.feature import Command, Extra, Feature

TUI = Extra("tui", "textual")

FEATURE = Feature(
    "people",
    "Questions to people",
    rank=60,
    listed_first=True,
    tools="handrail.features.people.tool_list:TOOLS",
    routes="handrail.features.people.routes.mount:mount",
    opening="handrail.features.people.opening:open_queue",
    terminal="handrail.features.people.cli.terminal_questions:TerminalQuestions",
    serving="handrail.features.people.opening:withdrawing",
    offers={"summons": "handrail.features.people.opening:Summons"},
    commands=[
        Command(
            "prompts", "handrail.features.people.cli.prompts:prompts", "Answer pending approvals and questions.", 100
        ),
        Command(
            "passkeys",
            "handrail.features.people.cli.passkeys:passkeys",
            "Manage the passkeys that confirm approvals.",
            105,
        ),
    ],
    further_extras=[TUI],
)
