from .accounting import from_event, from_pld, to_pld
from .deployments import Deployment, deployment, deployments
from .opacus import from_opacus
from .opendp import from_opendp, to_opendp
from .points import from_points
from .tumult import from_tumult

__all__ = [
    "Deployment",
    "deployment",
    "deployments",
    "from_event",
    "from_opacus",
    "from_opendp",
    "from_pld",
    "from_points",
    "from_tumult",
    "to_opendp",
    "to_pld",
]
