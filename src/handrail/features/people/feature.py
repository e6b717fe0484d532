"""Questions to people: approvals, forms, choices, follow-up questions, results, and the queue that they wait in."""

from handrail.kernel.feature import Command, Extra, Feature

TUI = Extra("tui", "textual")

FEATURE = Feature(
    "people",
    "Questions to people",
    rank=60,
    works_in_teams=True,
    listed_first=True,
    tools="handrail.features.people.tool_list:TOOLS",
    routes="handrail.features.people.routes.mount:mount",
    opening="handrail.features.people.opening:open_queue",
    terminal="handrail.features.people.cli.terminal_questions:TerminalQuestions",
    serving="handrail.features.people.opening:withdraw_abandoned",
    offers={"summons": "handrail.features.people.opening:ConsoleOpener"},
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
