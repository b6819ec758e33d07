"""What surrounds a round: clients and oracles, participation, compression, named randomness."""

from fedmm_edu.federation.biased import ScaledSign, TopK
from fedmm_edu.federation.clients import Clients
from fedmm_edu.federation.compression import (
    BlockQuantization,
    Identity,
    RandK,
    Sometimes,
    UniformQuantization,
    WithParticipation,
    largest_alpha,
    omega_p,
)
from fedmm_edu.federation.compressor import BiasedCompressor, Compressor, Layout
from fedmm_edu.federation.draws import Draws, Purpose, uniforms
from fedmm_edu.federation.grid import FixedScaleQuantization
from fedmm_edu.federation.oracles import FullBatch, MiniBatch, Oracle, Stream, WithNoise
from fedmm_edu.federation.participation import Bernoulli, ByActiveWeight, CustomLaw, Everyone, FixedSize, Participation
from fedmm_edu.federation.partition import balanced_clusters, by_covariate

__all__ = [
    "Bernoulli",
    "BiasedCompressor",
    "BlockQuantization",
    "ByActiveWeight",
    "Clients",
    "Compressor",
    "CustomLaw",
    "Draws",
    "Everyone",
    "FixedScaleQuantization",
    "FixedSize",
    "FullBatch",
    "Identity",
    "Layout",
    "MiniBatch",
    "Oracle",
    "Participation",
    "Purpose",
    "RandK",
    "ScaledSign",
    "Sometimes",
    "Stream",
    "TopK",
    "UniformQuantization",
    "WithNoise",
    "WithParticipation",
    "balanced_clusters",
    "by_covariate",
    "largest_alpha",
    "omega_p",
    "uniforms",
]
