"""The setup check: what works on this machine, what is missing, and how to get it."""

from handrail.kernel.feature import Command, Feature

FEATURE = Feature(
    "doctor",
    "Setup check",
    rank=100,
    works_in_teams=True,
    checks="handrail.features.doctor.other_packages:checks",
    commands=[
        Command(
            "features",
            "handrail.features.doctor.cli:features",
            "List features, and enable those of other packages.",
            165,
        ),
        Command("doctor", "handrail.features.doctor.cli:doctor", "Check your setup.", 180),
    ],
    routes="handrail.features.doctor.routes:mount",
)
