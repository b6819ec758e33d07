"""The page "My CSV has a column hospital" runs as it stands, and shows what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.test_imports import cells

PAGE = Path(__file__).parents[2] / "book" / "howto" / "hospital.md"


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    """Cell after cell in one session, in an empty folder, warnings being errors."""
    monkeypatch.chdir(tmp_path)
    session: dict = {"__name__": "__main__"}
    for number, code in enumerate(cells(PAGE)):
        exec(compile(code, f"{PAGE.name}, cell {number}", "exec"), session)
    shown = capsys.readouterr().out
    assert "certificate of FederatedGaussianMixture" in str(session["model"].certificate_)
    assert "lacks the columns ['alcohol']" in shown
    np.testing.assert_allclose(session["lossy"].coef_, session["exact"].coef_, rtol=1e-3)
    assert session["model"].clients_.tolist() == ["north", "south", "west"]
