"""Reviews what an agent changed in its cage, and takes chosen changes into the project."""

from handrail.kernel.feature import Command, Feature

FEATURE = Feature(
    "review",
    "Review",
    rank=18,
    tools="handrail.features.review.tool_list:TOOLS",
    opening="handrail.features.review.reviews:open_reviews",
    routes="handrail.features.review.routes:mount",
    commands=[
        Command("review", "handrail.features.review.cli.review:review", "Review what an agent changed in its cage.", 8)
    ],
)
