"""How long a grade may take, in seconds on an ordinary machine; a slower one gets more, in proportion."""

DEFAULT_TIMEOUT = 3.0
"""For one call into a submission: of processor time, or of waiting for nothing."""

TIME_LIMIT = 120.0
"""For a whole grade: the call under way is a timeout then, and no hidden test starts any more."""
