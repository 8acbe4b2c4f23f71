"""Narrated demonstrations: the reference solutions at work on a simulated cluster."""
