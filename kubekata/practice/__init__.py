"""What a learner does around grading: progress, hints, reveal, watching a file, mock interviews."""
