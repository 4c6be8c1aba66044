"""What can be asked on the command line? Each command parses, calls, prints."""
