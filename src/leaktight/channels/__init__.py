"""What is seen of each secret?"""

import lazy_loader

from leaktight.errors import with_new_names

# The names are in __init__.pyi; each is loaded when it is first used.
_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__getattr__ = with_new_names(__name__, _load)
