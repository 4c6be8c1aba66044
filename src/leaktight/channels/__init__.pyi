from .additive_noise import AdditiveNoise, GeometricTails, SymmetricNoise
from .all_or_nothing import AllOrNothing
from .channel import Channel
from .composition import Parallel, parallel, repeated, sequential
from .distance import multiplicative_distance, total_variation
from .distribution import Distribution, ProductDistribution, product_distribution
from .file import read_channel, write_channel
from .gain import Gain, Loss, Tries
from .kantorovich import kantorovich, multiplicative_kantorovich
from .program.chance import Chance
from .program.program import UNFINISHED, TruncatedChannel, channel_of, truncated_channel_of
from .refinement.distance import RefinementDistance, refinement_distance
from .refinement.mixtures import Mixture, NoMixture, left_factorisation, max_case_refinement
from .refinement.refinement import NearlyRefined, Refined, refinement
from .refinement.separation import NotRefined
from .row_distance import RowDistance, largest_row_distance
from .shuffled import Shuffled
from .symmetrise import diagonal_form, symmetrise, symmetrise_by_distance

__all__ = [
    "UNFINISHED",
    "AdditiveNoise",
    "AllOrNothing",
    "Chance",
    "Channel",
    "Distribution",
    "Gain",
    "GeometricTails",
    "Loss",
    "Mixture",
    "NearlyRefined",
    "NoMixture",
    "NotRefined",
    "Parallel",
    "ProductDistribution",
    "Refined",
    "RefinementDistance",
    "RowDistance",
    "Shuffled",
    "SymmetricNoise",
    "Tries",
    "TruncatedChannel",
    "channel_of",
    "diagonal_form",
    "kantorovich",
    "largest_row_distance",
    "left_factorisation",
    "max_case_refinement",
    "multiplicative_distance",
    "multiplicative_kantorovich",
    "parallel",
    "product_distribution",
    "read_channel",
    "refinement",
    "refinement_distance",
    "repeated",
    "sequential",
    "symmetrise",
    "symmetrise_by_distance",
    "total_variation",
    "truncated_channel_of",
    "write_channel",
]
