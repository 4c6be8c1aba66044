"""Does [Boreale2012] hold: privacy breaches in the worst and the average case?"""
