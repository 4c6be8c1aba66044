"""What do we know beyond the papers, and which of their problems are open?"""
