"""What surrounds a round: clients and oracles, participation, compression, named randomness."""

from fedmm_edu.federation.clients import Clients, FullBatch, MiniBatch, Oracle, Stream
from fedmm_edu.federation.compression import (
    BlockQuantization,
    Compressor,
    Identity,
    RandK,
    UniformQuantization,
    WithParticipation,
    omega_p,
)
from fedmm_edu.federation.draws import Draws, Purpose, uniforms
from fedmm_edu.federation.participation import Bernoulli, CustomLaw, Everyone, FixedSize, Participation

__all__ = [
    "Bernoulli",
    "BlockQuantization",
    "Clients",
    "Compressor",
    "CustomLaw",
    "Draws",
    "Everyone",
    "FixedSize",
    "FullBatch",
    "Identity",
    "MiniBatch",
    "Oracle",
    "Participation",
    "Purpose",
    "RandK",
    "Stream",
    "UniformQuantization",
    "WithParticipation",
    "omega_p",
    "uniforms",
]
