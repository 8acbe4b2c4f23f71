"""`python grader.py mock`: timed mock interviews. One module for each thing that one can do with them."""
