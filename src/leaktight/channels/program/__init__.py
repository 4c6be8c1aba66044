"""What does an observer see of a program?"""

from leaktight.channels.program.chance import Chance
from leaktight.channels.program.program import channel_of

__all__ = [
    "Chance",
    "channel_of",
]
