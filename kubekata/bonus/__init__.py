"""The bonus round: a learner's kopf operator, run for real against a real or a simulated API server."""
