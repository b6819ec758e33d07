"""A fitted estimator as a file: arrays and JSON in one `.npz`, read without running anything that it holds."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

import fedmm_edu.algorithms as algorithms
import fedmm_edu.federation as federation
from fedmm_edu.errors import InvalidInput, StateMismatch
from fedmm_edu.estimators.certificate import FitCertificate
from fedmm_edu.estimators.private import GaussianMechanism
from fedmm_edu.files import write_bytes
from fedmm_edu.relatives import Tuning

Kind = TypeVar("Kind", bound=BaseEstimator)
FORMAT = 1
UNSAVED = ("callback", "checkpoint")
PARTS = {
    name: getattr(room, name)
    for room in (federation, algorithms)
    for name in room.__all__
    if is_dataclass(getattr(room, name))
} | {"GaussianMechanism": GaussianMechanism, "Tuning": Tuning}
"""What a parameter may be besides numbers and words: a part of a round, written by its name and its fields."""


def save_estimator(estimator: BaseEstimator, path: str | Path) -> Path:
    """Write parameters and fitted attributes, all of them or nothing."""
    given = estimator.get_params(deep=False)
    params = {name: _part(name, value) for name, value in given.items() if name not in UNSAVED}
    arrays, plain = {}, {}
    for name, value in vars(estimator).items():
        if name in given:
            continue
        if isinstance(value, np.ndarray):
            arrays[name] = value.astype(str) if value.dtype == object else value
        elif isinstance(value, FitCertificate):
            plain[name] = {"certificate": value.as_dict()}
        else:
            plain[name] = _part(name, value)
    texts = [name for name, value in vars(estimator).items() if name in arrays and np.asarray(value).dtype == object]
    head = {"format": FORMAT, "class": type(estimator).__name__, "params": params, "fitted": plain, "objects": texts}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, head=np.array(json.dumps(head)), **{f"array_{k}": v for k, v in arrays.items()})
    return write_bytes(path, buffer.getvalue())


def load_estimator(cls: type[Kind], path: str | Path) -> Kind:
    """An estimator of class `cls` from its file; `StateMismatch` where the file is none of these."""
    try:
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as file:
            head = json.loads(str(file["head"]))
            arrays = {name.removeprefix("array_"): file[name] for name in file.files if name != "head"}
        found, version = head["class"], head["format"]
        params = {name: _whole(value) for name, value in head["params"].items()}
        fitted = {name: _whole(value) for name, value in head["fitted"].items()} | arrays
        fitted |= {name: fitted[name].astype(object) for name in head["objects"]}
    except (OSError, KeyError, ValueError, TypeError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise StateMismatch(f"{path} is not a saved estimator ({error}): save it again.") from error
    if found != cls.__name__ or version != FORMAT:
        raise StateMismatch(f"{path} holds a {found} (format {version}), not a {cls.__name__}: load it by its class.")
    made = cls(**params)
    vars(made).update(fitted)
    return made


def _part(name: str, value: Any) -> Any:
    """What JSON can hold of a value."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {"mapping": {key: _part(name, entry) for key, entry in value.items()}}
    if isinstance(value, tuple | list):
        return [_part(name, entry) for entry in value]
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": value.dtype.str}
    if PARTS.get(type(value).__name__) is type(value):
        return {
            "part": type(value).__name__,
            "fields": {f.name: _part(name, getattr(value, f.name)) for f in fields(value)},
        }
    raise InvalidInput(
        f"{name} = {value!r} cannot be written to a file without code: set it to a part of this package, or to None."
    )


def _whole(value: Any) -> Any:
    if isinstance(value, list):
        return [_whole(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    if "certificate" in value:
        return FitCertificate.of_dict(value["certificate"])
    if "array" in value:
        return np.array(value["array"], dtype=value["dtype"])
    if "part" in value:
        return PARTS[value["part"]](**{key: _whole(entry) for key, entry in value["fields"].items()})
    return {key: _whole(entry) for key, entry in value["mapping"].items()}
