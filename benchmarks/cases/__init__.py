"""The tasks that are compared, each in a small file with a tuple CASES."""
