"""The pairs of the continuous Wasserstein-2 benchmark (Korotin et al., 2021): its published files, read without pickle.

The files are those of the public repository Wasserstein2Benchmark of A. Korotin, folder `benchmarks/Mix3toMix10`:
`{d}_v1.pt` and `{d}_v2.pt` hold the potentials ψ₁, ψ₂, and T = scale · (∇ψ₁ + ∇ψ₂ − shift). A folder may hold them,
or a subfolder `Mix3toMix10`, or files `mix3tomix10_d{d}.npz` that hold weights, mixture and normalisation.
"""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.transport.network import ICNN
from fedmm_edu.transport.pairs import Mixture, Pair, standardised
from fedmm_edu.transport.pretrain import as_map

DIMENSIONS = (2, 4, 8, 16, 32, 64, 128, 256)
CENTRALISED = {"MMv2": {2: 0.1, 4: 0.68, 8: 2.2, 16: 3.1, 32: 5.3, 64: 10.1, 128: 3.2, 256: 2.7}}
"""L2-UVP in percent of a solver that holds all data, on the poster in that repository: 50,001 rounds with 15 inner
steps, batches of 1024 fresh samples, Adam with the rate 1e-3, no cycle term."""
KAPPA = 1e-2
"""Strong convexity of the benchmark's potentials."""


def data_folder(folder: str | Path | None = None) -> Path:
    """`folder`, or the folder `w2-benchmark` of the folder that the variable FEDMM_DATA names."""
    if folder is not None:
        return Path(folder)
    root = os.environ.get("FEDMM_DATA")
    if not root:
        raise InvalidInput(
            "where are the files of the W2 benchmark? Clone https://github.com/iamalexkorotin/Wasserstein2Benchmark "
            "and give its folder benchmarks/Mix3toMix10, or set FEDMM_DATA to a folder that holds w2-benchmark."
        )
    return Path(root) / "w2-benchmark"


def load_benchmark(d: int, folder: str | Path | None = None) -> Pair:
    """The pair of dimension d. `InvalidInput` names a file that is missing, damaged or of another shape."""
    if d not in DIMENSIONS:
        raise InvalidInput(f"d = {d}: the benchmark has the dimensions {', '.join(map(str, DIMENSIONS))}.")
    folder = data_folder(folder)
    archive = folder / f"mix3tomix10_d{d}.npz"
    if archive.exists():
        return _from_npz(archive, d)
    for place in (folder, folder / "Mix3toMix10"):
        files = [place / f"{d}_v{k}.pt" for k in (1, 2)]
        if any(file.exists() for file in files):
            return _from_pt(files, d)
    raise InvalidInput(
        f"{folder} holds neither {archive.name} nor {d}_v1.pt and {d}_v2.pt: give the folder benchmarks/Mix3toMix10 of "
        "https://github.com/iamalexkorotin/Wasserstein2Benchmark with --data-dir, or set FEDMM_DATA."
    )


def _from_pt(files: list[Path], d: int) -> Pair:
    """Mixture and normalisation made anew, as upstream does."""
    potentials = []
    for file in files:
        try:
            state = torch.load(file, weights_only=True, map_location="cpu")
            raw = {name: np.asarray(value) for name, value in state.items()}
        except (
            OSError,
            RuntimeError,
            EOFError,
            ValueError,
            TypeError,
            AttributeError,
            pickle.UnpicklingError,
        ) as error:
            raise InvalidInput(f"{file} cannot be read ({_first_line(error)}): download it again.") from error
        parts = {}
        for k in range(3):
            layer = f"quadratic_layers.{k}."
            parts |= {f"A{k}": layer + "quadratic_decomposed", f"W{k}": layer + "weight", f"b{k}": layer + "bias"}
        parts |= {"C1": "convex_layers.0.weight", "C2": "convex_layers.1.weight", "v": "final_layer.weight"}
        potentials.append(_potential(file, d, {name: raw.get(key) for name, key in parts.items()}))
    return standardised(f"W2 benchmark, d = {d}", Mixture.of_benchmark(d), _sum(d, potentials))


def _from_npz(file: Path, d: int) -> Pair:
    try:
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as found:
            raw = dict(found)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InvalidInput(f"{file} cannot be read ({_first_line(error)}): download it again.") from error
    shapes = {
        "centers": (3, d),
        "maps": (3, d, d),
        "std": (),
        "shift": (d,),
        "scale": (),
        "meanQ": (d,),
        "covQ": (d, d),
    }
    for name, shape in shapes.items():
        if name not in raw or raw[name].shape != shape or not np.isfinite(raw[name]).all():
            raise InvalidInput(f"{file}: {name} should be {shape} finite numbers; download it again.")
    potentials = []
    for prefix in ("D1_", "D2_"):
        parts = {
            f"{new}{k}": raw.get(f"{prefix}{old}{k}") for k in range(3) for new, old in zip("AWb", "qwb", strict=True)
        }
        parts |= {"C1": raw.get(f"{prefix}c0"), "C2": raw.get(f"{prefix}c1"), "v": raw.get(f"{prefix}f")}
        potentials.append(_potential(file, d, parts))
    mixture = Mixture(*(raw[name].astype(np.float64) for name in ("centers", "maps")), std=float(raw["std"]))
    both, scale, shift = _sum(d, potentials), float(raw["scale"]), raw["shift"].astype(np.float64)
    return Pair(f"W2 benchmark, d = {d}", d, mixture.draw, lambda x: scale * (both(x) - shift), *mixture.moments(),
                raw["meanQ"].astype(np.float64), raw["covQ"].astype(np.float64))  # fmt: skip


def _potential(file: Path, d: int, parts: Mapping[str, Array | None]) -> Array:
    """Our flat vector from the file's arrays, in which W, C are transposed, and A lacks the rank or has it second."""
    network, flat = ICNN.of_benchmark(d, kappa=KAPPA), []
    for name, shape in network.shapes.items():
        value = parts[name]
        if value is not None and name[0] in "WC":
            value = value.T
        elif value is not None and name[0] == "A" and value.ndim == 3:
            value = value.swapaxes(0, 1)  # upstream: (d, rank, width)
        if value is None or value.size != np.prod(shape) or value.shape not in (shape, shape[1:], (1, *shape)):
            got = "nothing" if value is None else f"shape {value.shape}"
            raise InvalidInput(f"{file}: the layer {name} should have the shape {shape}, found {got}.")
        if not np.isfinite(value).all():
            raise InvalidInput(f"{file}: the layer {name} holds numbers that are not finite; download it again.")
        flat.append(value.astype(np.float64).ravel())
    return np.concatenate(flat)


def _sum(d: int, potentials: list[Array]):
    maps = [as_map(ICNN.of_benchmark(d, kappa=KAPPA), flat) for flat in potentials]
    return lambda x: maps[0](x) + maps[1](x)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
