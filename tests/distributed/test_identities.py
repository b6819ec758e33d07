"""A server that does not follow the protocol: with identities, no node takes what the others have not signed."""

from dataclasses import replace

import numpy as np
import pytest

from fedmm_edu.distributed import NobodyAnswered, Places, one_round
from fedmm_edu.distributed.identities import Identities, read_identities
from fedmm_edu.distributed.masks import mask_between, mask_of, new_keys, secret_of, unsealed
from fedmm_edu.distributed.messages import ANSWERS, Ask, Refusal, SumPart, SumStep, from_bytes, to_bytes
from fedmm_edu.distributed.server import Round
from fedmm_edu.distributed.wiretap import Wiretap
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation.packing import unpack_bits
from tests.distributed.federations import gap, nodes_of, private_keys, public_key, secure, with_identities

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of two packages under Flower


def test_the_run_is_the_same_in_five_exchanges():
    fed = secure()
    plan, engine, state = with_identities(nodes_of(fed, 3))
    tap, expected = Wiretap(engine), fed.init(np.zeros(fed.dim))
    for _ in range(3):
        expected = fed.step(expected)
        state, report = one_round(plan, tap, state)
        assert report.arrived == (0, 1, 2)
    np.testing.assert_array_equal(state.x, expected.x)
    assert gap(plan, engine, state) < 1e-15
    assert len(tap.tape) == 3 * 5 * 2 * 3
    assert plan.key != nodes_of(fed, 3)[0].key


class Forger:
    """A server that knows every secret of the deployment, and hands out keys of its own as those of other nodes."""

    def __init__(self, plan, engine, start):
        self.plan, self.nodes, self.current = plan, engine.nodes, Round(plan, start)
        self.pairs = {k: (new_keys(), new_keys()) for k in self.nodes}

    def forged(self, k, ask):
        """The ask to node k in which the keys of all others are the server's; what else is in their rows stays."""
        blobs = ask.blobs.copy()
        for row, j in zip(blobs, ask.nodes, strict=True):
            own = self.pairs[j][0][1] + self.pairs[j][1][1]
            if j != k:
                row[: len(own)] = np.frombuffer(own, np.uint8)
        return replace(ask, blobs=blobs)

    def answers(self, change=lambda k, ask: ask):
        """What the nodes answer to the open step."""
        asks = {k: from_bytes(raw, Ask) for k, raw in self.current.requests().items()}
        raws = {k: self.nodes[k].answer(to_bytes(change(k, ask))) for k, ask in asks.items()}
        for k, raw in raws.items():
            self.current.offer(k, raw)
        return {k: from_bytes(raw, *ANSWERS) for k, raw in raws.items()}

    def term(self, k, shares, masked):
        """What node k has masked, by the shares that it sealed for keys of the server's."""
        opened = [
            unsealed(self.pairs[j][0][0], self.public(k)[0], k, j, token.tobytes())
            for j, token in enumerate(shares)
            if j != k
        ][: self.plan.threshold]
        total = unpack_bits(masked, self.plan.dim, self.plan.width) - mask_of(
            secret_of([seed[: len(opened[0][0])] for seed, _ in opened]), self.plan.dim, self.plan.width
        )
        for j in self.nodes:
            if j != k:
                mask = mask_between(self.pairs[j][1][0], self.public(k)[1], self.plan.dim, self.plan.width)
                total = total - mask if j > k else total + mask
        return total & np.uint64((1 << self.plan.width) - 1)

    def public(self, k):
        key = self.keys[k].tobytes()
        return key[: len(key) // 2], key[len(key) // 2 :]


def test_a_forging_server_reads_a_term_without_identities():
    """The control: with keys of its own, and shares sealed for them, the server takes every mask off."""
    plan, engine, start = nodes_of(secure(), 3)
    forger = Forger(plan, engine, start)
    forger.keys = {k: part.blobs[0] for k, part in forger.answers().items()}
    assert forger.current.go_on()
    shares = forger.answers(forger.forged)
    assert forger.current.go_on()
    terms = forger.answers()
    state = engine.nodes[0].state()
    assert state is not None
    channel = plan.compressor.of_round(plan.draws(1))
    rows = channel.decode(state.terms, len(state.places), plan.dim).sum(axis=0) / channel.grid
    term = np.rint(rows).astype(np.int64).astype(np.uint64) & np.uint64((1 << plan.width) - 1)
    np.testing.assert_array_equal(forger.term(0, shares[0].blobs, terms[0].rows), term)


def test_a_forging_server_is_refused_by_every_node():
    plan, engine, start = with_identities(nodes_of(secure(), 3))
    forger = Forger(plan, engine, start)
    forger.answers()
    assert forger.current.go_on()
    for k, said in forger.answers(forger.forged).items():
        assert isinstance(said, Refusal)
        assert f"the keys of node {1 if k == 0 else 0} are not signed by it: somebody has replaced them" in said.reason
    with pytest.raises(NobodyAnswered, match="somebody has replaced them"):
        forger.current.go_on()
    state, report = one_round(plan, engine, start)
    assert report.arrived == (0, 1, 2)
    assert gap(plan, engine, state) < 1e-15


def test_a_server_that_names_other_sets_opens_nothing():
    """Told apart by turns, four nodes would open a sum of fewer than they think; they sign what they were told."""

    def told(k, ask):
        return replace(ask, nodes=ask.nodes[:3]) if k < 2 else ask

    for identities in (False, True):
        plan, engine, start = nodes_of(secure(), 4)
        if identities:
            plan, engine, start = with_identities((plan, engine, start))
        forger = Forger(plan, engine, start)
        for _ in range(3):
            forger.answers()
            assert forger.current.go_on()
        if identities:
            signed = forger.answers(told)
            assert [type(said) for said in signed.values()] == [SumPart] * 4
            gathering = forger.current._gathering
            assert gathering is not None
            for k, said in signed.items():  # a server that does not look at signatures
                gathering._had[SumStep.AGREE][k] = said.blobs
            assert forger.current.go_on()
        opened = forger.answers(told)
        kinds = {k: type(said) for k, said in opened.items()}
        assert kinds == dict.fromkeys(range(4), Refusal if identities else SumPart)
    assert "2 nodes have signed that these are the terms of the sum, and 3 must" in opened[0].reason


@pytest.mark.parametrize("names", [[-1, 0, 1], [0, 1, 99], [0, 1, 2**62]])
@pytest.mark.parametrize("signed", [False, True])
def test_nodes_that_the_plan_does_not_have_are_refused(names, signed):
    """In words, whatever is named: no key, and no signature, is looked for where there is none."""
    plan, engine, start = nodes_of(secure(), 3)
    if signed:
        plan, engine, start = with_identities((plan, engine, start))
    forger = Forger(plan, engine, start)
    forger.answers()
    assert forger.current.go_on()
    said = forger.answers(lambda k, ask: replace(ask, nodes=np.array(names)))
    assert {said[k].reason for k in said} == {"nodes are named for a secure sum that the plan does not have."}


def test_a_node_that_signs_with_another_key_is_left_out():
    """The server looks, too: one wrong signature does not make all others refuse."""
    plan, engine, start = with_identities(nodes_of(secure(), 3))
    object.__setattr__(engine.nodes[2], "identity", private_keys(3)[1])
    _, report = one_round(plan, engine, start, attempts=1)
    assert report.arrived == (0, 1)
    assert report.refused[0] == (2, "its signature is not that of node 2 in the plan: check its identity.")


def test_a_signature_counts_where_it_was_given_and_nowhere_else():
    plan, *_ = with_identities(nodes_of(secure(), 2))
    known = Identities(plan.key, plan.clients.identities)
    ask = Ask(plan.key, b"s", 0, 3, bytes(32), b"tag", SumStep.KEYS, np.zeros(0, np.int64), np.zeros((0, 0)), b"")
    signature = known.signed(private_keys(2)[0], 0, ask, b"keys")
    assert len(signature) == known.width
    assert known.has_signed(0, ask, SumStep.KEYS, b"keys", signature)
    for k, where, step, what, given in (
        (1, ask, SumStep.KEYS, b"keys", signature),
        (-2, ask, SumStep.KEYS, b"keys", signature),
        (99, ask, SumStep.KEYS, b"keys", signature),
        (0, replace(ask, t=4), SumStep.KEYS, b"keys", signature),
        (0, replace(ask, tag=b"tags"), SumStep.KEYS, b"keys", signature),
        (0, ask, SumStep.AGREE, b"keys", signature),
        (0, ask, SumStep.KEYS, b"key", signature),
        (0, ask, SumStep.KEYS, b"keys", bytes(96)),
        (0, ask, SumStep.KEYS, b"keys", b""),
        (0, ask, SumStep.KEYS, b"keys", signature[:-1]),
    ):
        assert not known.has_signed(k, where, step, what, given)
    assert not Identities("another plan", known.publics).has_signed(0, ask, SumStep.KEYS, b"keys", signature)


def test_keys_are_read_and_what_is_none_is_refused(tmp_path):
    keys = [public_key(key) for key in private_keys(2)]
    file = tmp_path / "nodes.pub"
    file.write_text(f"{keys[0]} me@here\n\n{keys[1]}\n")
    assert read_identities(file) == tuple(keys)
    assert nodes_of(secure(), 2)[0].clients.known_by(file).identities == tuple(keys)
    for text, why in (
        ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG0N2GUmGhPSVS/tmtnjA1hEkZw8HdDlrxFTmAFeEbqV", "of another kind"),
        ("no key", "is no public key"),
        ("ö", "cannot be read"),
    ):
        file.write_text(text)
        with pytest.raises(InvalidInput, match=why):
            read_identities(file)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_identities(tmp_path)


def test_who_has_no_right_key_is_no_node():
    plan, engine, _ = with_identities(nodes_of(secure(), 2))
    for key, why in (
        (b"", "give node 0 its private key"),
        (private_keys(2)[1], "is not that of its identity"),
        (b"key", "no private key"),
    ):
        with pytest.raises(InvalidInput, match=why):
            replace(engine.nodes[0], identity=key)
    with pytest.raises(InvalidInput, match="the plan names none"):
        replace(nodes_of(secure(), 2)[1].nodes[0], identity=private_keys(2)[0])
    names = plan.clients.identities
    for wrong in (names[:1], (names[0], names[0])):
        with pytest.raises(InvalidInput, match="1 identities for 2 nodes"):
            Places(plan.mu, plan.nodes, wrong)
    with pytest.raises(InvalidInput, match="nothing would be signed"):
        replace(plan, secure_sum=False)
