"""Does [Alvim2011a] hold: quantitative information flow and differential privacy?"""
