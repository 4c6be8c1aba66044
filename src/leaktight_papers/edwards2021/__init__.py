"""Does [Edwards2021] hold: the leakage of Blowfish privacy?"""
