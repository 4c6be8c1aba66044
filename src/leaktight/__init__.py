"""leaktight: how much does a release of data leak?"""
