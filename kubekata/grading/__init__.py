"""Running a submission in a process of its own and turning what it did into a score."""
