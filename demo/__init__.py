"""`make demo`: a scripted model takes a copy of the example game through a tour, with everything of its own."""
