"""Child programs that end when the process that started them ends."""
