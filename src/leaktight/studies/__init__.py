"""What was asked, and what is the answer?"""
