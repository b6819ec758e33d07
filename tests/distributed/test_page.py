"""The page "Many machines": what it quotes is what the commands print, and its model counts bytes rightly."""

from pathlib import Path

import pytest

from benchmarks.engine import asked, bytes_down, bytes_up, counted, job
from fedmm_edu.cli import main
from tests.distributed.hosts import NODES, Hosts, blocks

PAGE = (Path(__file__).parents[2] / "book" / "many_machines.md").read_text("utf-8")


def test_the_quoted_run_is_what_the_command_prints(capsys):
    """The run with real processes is that of this process bit for bit, and so are its last two lines."""
    assert main(["federate"]) == 0
    last = capsys.readouterr().out.splitlines()[-2:]
    assert len(last) == 2
    assert "\n".join(last) in PAGE


@pytest.mark.parametrize(("n", "nodes"), [(10, 10), (300, 7), (300, 300)])
def test_the_model_of_a_round_counts_its_bytes(n, nodes):
    """Up and down, for one client a node and for many: within 2 % (lengths of numbers in headers differ)."""
    found = counted(n, nodes)
    assert found["up"] == pytest.approx(1.0, rel=0.02)
    assert found["down"] == pytest.approx(1.0, rel=0.02)
    m, who = asked(job(n, nodes), 1)
    assert bytes_up(m, who, 0) == m * 108
    assert bytes_down(m, who, 0) == who * 1600 + m * 16


def test_the_commands_for_several_hosts_name_no_other_place_than_they_say(tmp_path):
    """What `make federate-hosts` runs is on the page; here it stays in its folder and on the loopback."""
    hosts = Hosts(tmp_path)
    assert len(blocks(PAGE)) >= 9
    for name in hosts.blocks:
        text = hosts.text(name, NODES)
        assert not any(word in text for word in ("server.example", "0.0.0.0", "/var/lib", "/path/to"))
    assert f"--host 127.0.0.1 --port {hosts.inner}" in hosts.text("server: the superlink")
    assert f"--listen 127.0.0.1:{hosts.port} --superlink 127.0.0.1:{hosts.inner}" in hosts.text("server: the door")
    assert "K=3" in hosts.text("every host", 3)
