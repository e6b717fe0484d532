"""What works on this machine, what is missing, and how to get it."""

from handrail.kernel.feature import Command, Feature

FEATURE = Feature(
    "doctor",
    "Setup check",
    rank=100,
    commands=[
        Command("doctor", "handrail.features.doctor.cli:doctor", "Tell what works here and what is missing.", 180)
    ],
    routes="handrail.features.doctor.routes:mount",
)
