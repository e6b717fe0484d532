"""`make demo`: a scripted model gives a tour of handrail on a copy of the example game, isolated from your own data."""
