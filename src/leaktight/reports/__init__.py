"""How is an answer shown?"""
