"""Mechanisms that are private as printed: the papers' constructions, and the best one."""
