"""Does [Alvim2011b] hold: the trade-off between utility and leakage?"""
