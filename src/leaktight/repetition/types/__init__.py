"""What does the best guess earn, over all counts that can be seen?"""

import lazy_loader

# The names are in __init__.pyi; each is loaded when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
