"""Does [Barthe2011] hold: bounds on leakage from differential privacy?"""
