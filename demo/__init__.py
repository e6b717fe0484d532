"""`make demo`: a scripted model takes a copy of the example game through a tour of handrail, on everything of its own."""
