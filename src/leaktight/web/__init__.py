"""The page: what is tried in a browser, with the answers of the command line."""
