"""The grader's side of the boundary: warm processes, one session per hidden test, deadlines, captured output."""
