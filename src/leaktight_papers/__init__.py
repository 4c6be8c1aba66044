"""Does every claim of the five papers hold?"""
