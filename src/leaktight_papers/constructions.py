"""Constructions that the papers name, by names to call: graphs, channels and programs.

``doubled_ring`` is Remark 1 of [Alvim2011b]_, ``canonical`` the C_i(ε, p) of Figure 1 of
[Barthe2011]_, ``block_channel`` the K^(δ) of Theorem 15 of [Edwards2021]_ on its ``block_graph``,
``checkers``, ``dc_net`` and ``net_of_two`` the programs of [Alvim2011a]_, ``clock_channel`` and
``four_rows`` the matrices of Examples 1 and 2 of [Boreale2012]_, and ``sharply_transitive_set``
decides Definition 9 of [Alvim2011a]_, VT+; ``two_outputs`` is ours. None is
private because it stands here: ``privacy_level`` says how private each is.

>>> from leaktight.policies import SecretGraph
>>> from leaktight.privacy import privacy_level
>>> privacy_level(doubled_ring(6, 2), SecretGraph.cycle(6)).ratio
Fraction(2, 1)
"""

from leaktight_papers.alvim2011a.programs import checkers, dc_net, net_of_two
from leaktight_papers.alvim2011b.utility import doubled_ring
from leaktight_papers.barthe2011.bit import canonical
from leaktight_papers.boreale2012.breaches import clock_channel, four_rows
from leaktight_papers.edwards2021.blocks import block_channel, block_graph
from leaktight_papers.ours.two_outputs import two_outputs, with_two_outputs
from leaktight_papers.vt_plus import sharply_transitive_set

__all__ = [
    "block_channel",
    "block_graph",
    "canonical",
    "checkers",
    "clock_channel",
    "dc_net",
    "doubled_ring",
    "four_rows",
    "net_of_two",
    "sharply_transitive_set",
    "two_outputs",
    "with_two_outputs",
]
