from .assertion import assert_private
from .attacks import Attack, Budget, attack
from .calls import Batched
from .learning import Seen

__all__ = ["Attack", "Batched", "Budget", "Seen", "assert_private", "attack"]
