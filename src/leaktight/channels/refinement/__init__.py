"""Is one channel always at least as safe as another, and what shows it?"""

__all__ = []
