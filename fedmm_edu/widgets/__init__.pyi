# The public names of this room. A line here is all that makes a name public.

from fedmm_edu.widgets.aggregation import MixtureAggregation as MixtureAggregation
from fedmm_edu.widgets.aggregation import ToyAggregation as ToyAggregation
from fedmm_edu.widgets.aggregation import TwoWaits as TwoWaits
from fedmm_edu.widgets.atoms import AtomPlayer as AtomPlayer
from fedmm_edu.widgets.bounds import BoundSliders as BoundSliders
from fedmm_edu.widgets.drift import LocalDrift as LocalDrift
from fedmm_edu.widgets.judgements import CertificateOrWitness as CertificateOrWitness
from fedmm_edu.widgets.judgements import WitnessExplorer as WitnessExplorer
from fedmm_edu.widgets.live import shown as shown
from fedmm_edu.widgets.majorizers import Descent as Descent
from fedmm_edu.widgets.majorizers import DragMajoriser as DragMajoriser
from fedmm_edu.widgets.majorizers import Families as Families
from fedmm_edu.widgets.majorizers import NoMinimiser as NoMinimiser
from fedmm_edu.widgets.majorizers import StepTooLong as StepTooLong
from fedmm_edu.widgets.predict import predict as predict
from fedmm_edu.widgets.rounds import RoundPlayer as RoundPlayer
from fedmm_edu.widgets.rows import row as row
from fedmm_edu.widgets.spaces import OracleBias as OracleBias
from fedmm_edu.widgets.spaces import TwoSpaces as TwoSpaces
from fedmm_edu.widgets.spaces import mappings as mappings
from fedmm_edu.widgets.stochastic import Memory as Memory
from fedmm_edu.widgets.stochastic import OnlineEM as OnlineEM
from fedmm_edu.widgets.transport import TransportPlayer as TransportPlayer
