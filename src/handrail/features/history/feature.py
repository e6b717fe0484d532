"""What was done: the record of calls, evidence, reports, undo."""

from handrail.kernel.feature import Command, Feature

FEATURE = Feature(
    "history",
    "History",
    rank=80,
    works_in_teams=True,
    opening="handrail.features.history.audit_index:open_index",
    offers={"uses": "handrail.features.history.offers:uses"},
    routes="handrail.features.history.routes:mount",
    tidy="handrail.features.history.record:tidy",
    serving="handrail.features.history.record:maintain_record",
    checks="handrail.features.history.record:checks",
    commands=[
        Command(
            "undo",
            "handrail.features.history.cli.undo:undo",
            "Undo a change, a task, or everything since a point in time.",
            110,
        ),
        Command(
            "history", "handrail.features.history.cli.history:history", "List what was changed in this project.", 120
        ),
        Command("audit", "handrail.features.history.cli.audit:audit", "Show or verify the record of all calls.", 130),
        Command("report", "handrail.features.history.cli.report:report", "Export a task as an HTML report.", 140),
    ],
)
