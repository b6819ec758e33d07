"""`fedmm run transport`: what it learns, writes and reports."""

import json
import subprocess
import sys
from argparse import ArgumentParser
from dataclasses import replace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from fedmm_edu.errors import InvalidInput
from fedmm_edu.figures.transport import save_gif
from fedmm_edu.studies.transport.curves import follow
from fedmm_edu.studies.transport.demo import EXPERIMENT
from fedmm_edu.studies.transport.setting import METHODS, Setting, federation_of

mpl.use("Agg")
SMALL = Setting(2, clients=5, samples=1000, target=2000, batch=64)


@pytest.fixture(scope="module")
def given():
    return federation_of(SMALL)


def test_clients_are_equal_in_size_and_differ(given):
    assert np.diff(given.clients.offsets).tolist() == [200] * 5
    means = np.array([z.mean(axis=0) for z in given.clients.data])
    assert np.linalg.norm(means - means.mean(axis=0), axis=1).min() > 0.3
    assert not np.isin(given.test, given.clients.z).any()  # the score is taken on samples that nobody has


def test_the_adaptive_server_learns_the_map_better_than_any_linear_one(given):
    rows = list(follow(METHODS["FedMM-OT, adaptive server"], given, SMALL, 100, 50))
    assert [row.t for row in rows] == [0, 50, 100]
    assert {row.status for row in rows} == {"alive"}
    assert rows[0].score.uvp == pytest.approx(given.references()["identity"], rel=0.01)  # pretrained
    assert rows[-1].score.uvp < 0.6 * given.references()["linear"]
    assert rows[-1].bits == 100 * 5 * 64 * given.network.size


def test_a_network_that_dies_or_diverges_ends_the_run_and_is_named(given):
    wild = [list(follow(replace(METHODS["FedMM-OT"], rate=rate), given, SMALL, 4, 1)) for rate in (1e3, 1e30)]
    assert "died" in wild[0][-1].status
    assert wild[1][-1].status in ("diverged", "f_ω died")
    assert all(row.status == "alive" for rows in wild for row in rows[:-1])


def test_the_command_writes_pictures_and_numbers_that_repeat(tmp_path, capsys):
    parser = ArgumentParser()
    EXPERIMENT.add_arguments(parser)
    common = ["--d=3", "--clients=3", "--samples=90", "--target=100", "--batch=8"]
    common += ["--rounds=4", "--every=2", "--plane-rounds=4"]
    for name in ("a", "b"):
        assert EXPERIMENT.main(parser.parse_args([*common, "--out", str(tmp_path / name)])) == 0
    assert "FedMM-OT, adaptive server" in capsys.readouterr().out
    for file in ("summary.json", "map.png", "map.gif"):  # scores.png shows CPU seconds too, which do not repeat
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    assert (tmp_path / "a" / "scores.png").stat().st_size > 0
    numbers = json.loads((tmp_path / "a" / "summary.json").read_text())
    assert [part["d"] for part in numbers["parts"]] == [2, 3]
    assert set(numbers["parts"][0]["methods"]) == set(METHODS)
    with Image.open(tmp_path / "a" / "map.gif") as animation:
        assert animation.format == "GIF"
        assert getattr(animation, "n_frames", 1) >= 3


def test_without_torch_the_command_names_the_extra_and_others_run():
    """`fedmm run` imports only what it runs; what needs torch says so in one line, with status 2."""
    start = (
        "import sys\n"
        "class NoTorch:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'torch': raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, NoTorch())\n"
        "from fedmm_edu.cli import main\n"
        "sys.exit(main(['run', '{}', '{}']))"
    )
    missing = subprocess.run([sys.executable, "-c", start.format("transport", "--d=2")], capture_output=True, text=True)
    assert missing.returncode == 2
    assert missing.stderr.count("\n") == 1
    assert "fedmm-edu[transport]" in missing.stderr
    other = subprocess.run([sys.executable, "-c", start.format("quadratic", "--help")], capture_output=True, text=True)
    assert other.returncode == 0


def test_wrong_options_are_named(tmp_path):
    parser = ArgumentParser()
    EXPERIMENT.add_arguments(parser)
    for wrong, match in (
        (["--rounds", "0"], "rounds = 0"),
        (["--data-dir", str(tmp_path)], "add --benchmark"),
        (["--benchmark", "--data-dir", str(tmp_path)], "holds neither"),
        (["--clients", "50", "--samples", "20"], "n = 50 clients for 20"),
    ):
        with pytest.raises(InvalidInput, match=match):
            EXPERIMENT.main(parser.parse_args([*wrong, "--out", str(tmp_path)]))
    with pytest.raises(InvalidInput, match="0 frames"):
        save_gif(lambda k: plt.figure(), 0, tmp_path / "no.gif")
