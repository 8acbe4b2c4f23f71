"""How results look. Pure functions from the result types to text; nothing here grades, reads or prints."""
