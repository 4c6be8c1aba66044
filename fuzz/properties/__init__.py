"""What must hold, one subject in a file."""
