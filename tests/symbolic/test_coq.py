"""What the export to Coq promises: the text says what the certificate says, and no answer of Coq is misread.

Coq itself runs in `make coq`; here its input is checked, and the reading of its output.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction as F

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.cli import main
from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import CertificateFails, verify
from fedmm_edu.proofs.coq.export import Export, file_text
from fedmm_edu.proofs.coq.lemma import comment
from fedmm_edu.proofs.coq.mutants import BETTER, CONTROL, DROPPED, FLIPPED, NEGATIVE, mutant_file
from fedmm_edu.proofs.coq.prelude import MAX_ATOMS, prelude, quadratic_form
from fedmm_edu.proofs.coq.run import STANDARD_AXIOMS, CoqRefuses, axioms, find_coqc, wrongly_judged
from fedmm_edu.proofs.coq.terms import CoqNames, atoms_of, identifier, term
from fedmm_edu.proofs.gram import atoms, gram, inner, square
from fedmm_edu.proofs.recording import Hypothesis, recording
from proofs_checks.certificates import (
    CONFIRMED,
    CoqFiles,
    certificates_of,
    chain,
    claim_of,
    confirmed,
    coq_files,
    sources,
)
from proofs_checks.commands import certificate
from proofs_checks.coq.chain import FILES, FOLDER, FROM_ALGORITHM, OTHERS, THEOREMS, USE, WHOLE, chain_files, requires
from proofs_checks.coq.falsified import CONSTANT, SIGN, Falsified, falsified_files, premises
from proofs_checks.coq.falsified import DROPPED as ASSUMPTION
from proofs_checks.report.second_kernel import marked

a, b = sp.symbols("a b", real=True)
p = sp.Symbol("p", positive=True)
X, Y = atoms("x", "y")


def lemma(target: sp.Expr, hypotheses=None, multipliers=None, squares=(), export: Export | None = None, **more):
    """The lemma of one certificate that the kernel accepts."""
    with recording() as found:
        verify(target, hypotheses or {}, multipliers or {}, squares, **more)
    export = export or Export()
    return export.add(f"lemma_{len(export.lemmas) + 1}", found[0])


def test_only_accepted_certificates_are_recorded_and_only_inside_a_recording() -> None:
    """One record per accepted certificate, none for a failed one, and an inner recording keeps its own."""
    with recording() as outer:
        verify(a**2, {}, {}, [(1, a)])
        with pytest.raises(CertificateFails):
            verify(a, {}, {})
        with recording() as within:
            verify(b**2, {}, {}, [(1, b)])
    verify(a**2, {}, {}, [(1, a)])
    assert ([c.target for c in outer], [c.target for c in within]) == ([a**2], [b**2])


def test_a_certificate_becomes_this_lemma() -> None:
    """Signs and hypotheses are the conditions; the proof is the sum and one sign per term."""
    found = lemma(a * p, {"E": Hypothesis(a - b, "given"), "F": Hypothesis(b, "tie", equality=True)}, {"E": p, "F": p})
    assert found.text == (
        "Lemma lemma_1 : forall (a b p : R),\n  0 < p ->\n  (* given *) 0 <= (a + ((- 1) * b)) ->\n"
        "  (* tie *) b = 0 ->\n  0 <= (a * p).\nProof.\n  intros;\n"
        "  apply (as_sum_ge _ (p * (a + ((- 1) * b)) + p * b));\n"
        "  [field; nonzero | (repeat apply Rplus_le_le_0_compat);\n"
        "    [ apply Rmult_le_pos; [nonnegative | assumption]\n    | apply times_zero_ge; assumption ]].\nQed.\n"
    )


def test_vectors_become_vectors_of_any_space() -> None:
    """Gram symbols are inner products, and the square of a formal vector is the prelude's lemma, no hypothesis."""
    found = lemma(square(X) / p + p * square(Y) - 2 * inner(X, Y), squares=[(1 / p, X - p * Y)])
    assert found.vectors == ("x", "y")
    assert list(found.conditions) == ["0 < p"]
    assert "forall (Space : space) (x y : vec Space) (p : R)" in found.text
    assert "apply (square_2 Space)" in found.text


@pytest.mark.parametrize("symbol", [gram("x", "x"), gram("x", "y"), gram("B x", r"Q_{t+1,i}(\Delta)")])
def test_a_gram_symbol_is_read_back_as_its_atoms(symbol: sp.Symbol) -> None:
    """Whatever `gram` names, `atoms_of` takes apart; other symbols are numbers, those that look alike included."""
    pair = atoms_of(symbol)
    assert pair is not None
    assert gram(*pair) == symbol
    assert atoms_of(a) is None
    assert atoms_of(sp.Symbol(r"{\left\|x\right\|^2}", real=True)) is None


def test_a_gram_symbol_of_two_readings_is_refused() -> None:
    """⟨a, b, c⟩ may be ⟨“a”, “b, c”⟩ or ⟨“a, b”, “c”⟩: no guess."""
    with pytest.raises(InvalidInput, match="2 inner products"):
        atoms_of(gram("a", "b, c"))


@st.composite
def expressions(draw, depth: int = 3) -> sp.Expr:
    """Rational functions of a, b and p in which only p is divided by."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([a, b, p, 1 / p, p**-2, sp.Rational(-3, 4), sp.Integer(2)]))
    left, right = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    return draw(st.sampled_from([left + right, left * right, left**2, left - right]))


@given(expressions(), st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(1, 5)))
def test_a_term_has_the_value_of_its_expression(expr: sp.Expr, point: tuple[int, int, int]) -> None:
    """The Coq term, read by Python, gives the same number."""
    text = term(expr, CoqNames()).replace("(/ ", "(F(1) / ").replace("^", "**")
    text = re.sub(r"(?<![\w*])(\d+)", r"F(\1)", text.replace("** ", "**"))
    values = dict(zip("abp", map(F, point), strict=True))
    exact = sp.sympify(expr).subs({a: point[0], b: point[1], p: point[2]})
    assert eval(text, {"F": F, **values}) == F(int(exact.p), int(exact.q))


def test_what_coq_lacks_is_refused() -> None:
    """A function without a counterpart is named, not guessed."""
    with pytest.raises(InvalidInput, match="no translation"):
        term(sp.sin(a), CoqNames())


def test_names_are_distinct_and_legal() -> None:
    """Two symbols of one name but different signs get two names; a word of Coq is avoided."""
    names = CoqNames()
    same = [names.of(sp.Symbol("x")), names.of(sp.Symbol("x", positive=True)), names.of("x"), names.of(sp.Symbol("at"))]
    assert same == ["x", "x_2", "x_3", "at_2"]
    legal = r"[A-Za-z][A-Za-z0-9_']*"
    texts = (r"\gamma_{t+1}", r"{f'}", "1/2", "'", r"{\tfrac{L^2}{n}}")
    assert all(re.fullmatch(legal, identifier(text)) for text in texts)
    assert [identifier(text) for text in ("f(x^+)", "t_{-}", "x^+")] == ["f_x_plus", "t_minus", "x_plus"]


def test_comments_cannot_end_early() -> None:
    """Nothing inside a comment is read by Coq."""
    assert comment('*) Axiom bad : False. (* "') == "(* * ) Axiom bad : False. ( * ' *)"
    assert comment("") == ""


def test_a_divisor_of_unknown_sign_is_a_condition() -> None:
    """(a − b)/(1 − b) ≥ 0 speaks of b ≠ 1 only; a positive divisor needs no condition."""
    found = lemma((a - b) / (1 - b) / p, {"E": Hypothesis((a - b) / (1 - b), "given")}, {"E": 1 / p})
    assert "(1 + ((- 1) * b)) <> 0" in found.conditions
    assert not any(text.startswith("p <>") for text in found.conditions)


def test_what_coq_can_know_is_not_assumed() -> None:
    """A plain sign, an earlier lemma, the sum of two, and a product of hypotheses are proved, with their conditions."""
    export = Export()
    x, y = Hypothesis(a, "x"), Hypothesis(b - a, "y")
    first = lemma(2 * a, {"x": x}, {"x": 2}, export=export)
    second = lemma(3 * b - 3 * a, {"y": y}, {"y": 3}, export=export)
    one = lemma(2 * a * p + p, {"E": Hypothesis(2 * a, ""), "p": Hypothesis(p, "")}, {"E": p, "p": 1}, export=export)
    both = lemma(3 * b - a, {"E": Hypothesis(3 * b - a, "")}, {"E": 1}, export=export)
    product = lemma(a * (b - a), {"x": x, "y": y, "xy": Hypothesis(a * (b - a), "")}, {"xy": 1}, export=export)
    assert (one.links, list(one.conditions)) == ((first.name,), ["0 < p", "0 <= a"])
    assert (both.links, len(both.conditions)) == ((first.name, second.name), 2)
    assert set(product.conditions) == {"0 <= a", "0 <= (b + ((- 1) * a))"}


def test_a_lemma_that_only_repeats_its_hypothesis_is_not_used() -> None:
    """From “a ≥ 0 gives a ≥ 0” nothing is gained: a ≥ 0 stays a condition."""
    export = Export()
    _, found = (lemma(a, {"a": Hypothesis(a, "given")}, {"a": 1}, export=export) for _ in range(2))
    assert (found.links, list(found.conditions)) == ((), ["0 <= a"])


def test_square_roots_are_accounted_for() -> None:
    """√p·√p is folded into p by SymPy, so the sum for Coq gets a multiple of (√p)² − p."""
    found = lemma(p * a, {"E": Hypothesis(sp.sqrt(p) * a, "given")}, {"E": sp.sqrt(p)})
    assert "assert ((sqrt p) ^ 2 - p = 0)" in found.text
    assert "((- 1) * a) * ((sqrt p) ^ 2 - p)" in found.text


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=MAX_ATOMS))
def test_the_form_of_the_prelude_is_the_square(parts) -> None:
    """`quadratic_form` of vectors in the plane is the squared length of their combination."""
    names = [f"u{k}" for k in range(len(parts))]
    text = quadratic_form([f"({c})" for c, _, _ in parts], names).replace("^", "**")
    at = {name: (x, y) for name, (_, x, y) in zip(names, parts, strict=True)}
    value = eval(re.sub(r"dot (\w+) (\w+)", lambda m: str(f"({sum(map(int.__mul__, at[m[1]], at[m[2]]))})"), text))
    assert value == sum(c * x for c, x, _ in parts) ** 2 + sum(c * y for c, _, y in parts) ** 2


def test_mutants_are_of_every_kind_and_lose_what_they_say() -> None:
    """Better constant, hypothesis dropped and reversed, negative square; the dropped condition is gone."""
    found = lemma(a + b**2, {"E": Hypothesis(a, "given")}, {"E": 1}, [(1, b)])
    text, tried = mutant_file([found])
    assert [what.split(" (")[0] for _, what in tried] == [CONTROL, BETTER, DROPPED, FLIPPED, NEGATIVE]
    blocks = text.split("Lemma ")[1:]
    assert ["0 <= a ->" in block for block in blocks] == [True, True, False, False, True]
    assert ["0 <= ((- 1) * a) ->" in block for block in blocks] == [False, False, False, True, False]
    assert [f'"refused {k}"' in block for k, block in enumerate(blocks)] == [True] * 5


def test_axioms_are_read_and_foreign_ones_refused() -> None:
    """The axioms of the reals pass; any other, or no list at all, does not."""
    first, last = "ClassicalDedekindReals.sig_forall_dec", "FunctionalExtensionality.functional_extensionality_dep"
    printed = f"Axioms:\n{first}\n  : forall P : nat -> Prop,\n    {{n : nat | ~ P n}}\n{last} : forall f g, f = g\n"
    assert axioms(printed) == (first, last)
    assert axioms("Closed under the global context\n") == ()
    assert set(axioms(printed)) <= set(STANDARD_AXIOMS)
    with pytest.raises(CoqRefuses, match="cheat"):
        axioms(printed + "cheat : False\n")
    with pytest.raises(CoqRefuses, match="no list"):
        axioms("")


def test_an_accepted_mutant_and_a_refused_lemma_are_both_noticed() -> None:
    """Coq must accept what is unchanged and refuse each mutant; an answer that is missing is an error."""
    tried = [("l", CONTROL), ("l", BETTER), ("m", CONTROL)]
    assert wrongly_judged("accepted 0\nrefused 1\naccepted 2\n", tried) == []
    assert wrongly_judged("accepted 0\naccepted 1\nrefused 2\n", tried) == tried[1:]
    with pytest.raises(CoqRefuses, match="2 of 3"):
        wrongly_judged("accepted 0\nrefused 1\n", tried)


def test_nothing_is_assumed_behind_the_readers_back() -> None:
    """No axiom, no admitted proof, and the list of assumptions at the end of each file."""
    text = prelude() + file_text([lemma(a**2, squares=[(1, a)])], ["Prelude"])
    assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Hypothesis|Variable|Abort)\b", text)
    assert text.endswith("Print Assumptions together.\n")


def test_a_missing_coq_is_explained(monkeypatch) -> None:
    """Without coqc in the PATH the message says how to get it."""
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InvalidInput, match="install Coq"):
        find_coqc()


def test_the_export_of_rows_repeats() -> None:
    """Twice the same files, and no theorem without the lemmas that it uses."""
    rows = ["lem1-var", "thm1-B-line3"]
    files = coq_files(rows)
    assert coq_files(rows) == files
    assert list(files.texts) == ["Prelude", "AppendixDLemmas", "AppendixDTheorem"]


def test_a_run_confirms_its_rows_until_a_source_changes(tmp_path) -> None:
    """The rows of the run, and none once a file differs, is gone, or the result is damaged."""
    kept, now = tmp_path / CONFIRMED.name, sources()
    assert confirmed(["lem1-var"], kept) == set()
    assert {"sympy", "proofs_checks/certificates.py", "proofs_checks/coq/Theorem1.v"} <= set(now)
    for changed, rows in (({}, {"lem1-var"}), ({"sympy": "0"}, set()), ({"gone.py": "0"}, set())):
        kept.write_text(json.dumps({"rows": ["lem1-var"], "sources": {**now, **changed}}))
        assert confirmed(["lem1-var", "prop2"], kept) == rows
    for damaged in ("{", "[]", '{"rows": ["lem1-var"], "sources": {}}', '{"rows": 1, "sources": 2}'):
        kept.write_text(damaged)
        assert confirmed(["lem1-var"], kept) == set()


LEMMAS_OF_THE_CHAIN = ["prop2", "prop3", "prop4-young", "prop4", "own-lem3-i-anywhere", "own-lem3-ii-anywhere",
                       "own-accelerated", "own-accelerated-restart", "own-accelerated-message", "own-proxskip",
                       "own-scaffold-rate",
                       "cor2-i", "cor2-ii", "thm1-B", "own-thm1-B-sharper", "own-projected-step", "own-variates",
                       "own-moved-B", "own-projected-A", "own-projected", "own-biased-error",
                       "own-biased-error-noise", "own-biased-variates", "own-biased-step", "own-biased",
                       "own-biased-linear", "own-biased-monotone", "own-diana-client", "own-diana-rate",
                       "own-diana-sharp", "own-pl-projected", "own-pl", "own-cocoercive", "own-lip-step", "own-lip-A",
                       "own-lip", "own-seminorm", "own-seminorm-projected", "own-any-A", "own-any",
                       "own-free-A", "own-free", "own-pl-free"]  # fmt: skip
STATED = [row for rows in THEOREMS.values() for row in rows]


@pytest.fixture(scope="module")
def files() -> CoqFiles:
    """All files of the chain, with the lemmas that they use."""
    return coq_files([*LEMMAS_OF_THE_CHAIN, "eq46", "prop5"])


@pytest.fixture(scope="module")
def falsified(files: CoqFiles) -> list[Falsified]:
    return falsified_files(files.texts)


def test_the_theorems_use_lemmas_of_the_export_by_their_names(files: CoqFiles) -> None:
    """Every variable that they set is one of its lemma, whatever the export calls it; nothing is admitted."""
    assert list(files.texts)[-len(FILES) :] == list(FILES)
    assert set(files.stated) == {row for row in (*LEMMAS_OF_THE_CHAIN, "prop5") if row in STATED}
    known = {lemma.name: {*lemma.vectors, *lemma.numbers} for lemma in files.lemmas}
    used = [match for name in FILES for match in USE.finditer(files.texts[name]) if match[1] in known]
    assert {match[1].rsplit("_", 1)[0] for match in used} == {row.replace("-", "_") for row in LEMMAS_OF_THE_CHAIN}
    for match in used:
        names = set(re.findall(r"\(([\w']+)\s+:=", match[2]))
        assert names == known[match[1]], match[1]
    for name in FILES:
        assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Abort)\b", files.texts[name])
        assert files.texts[name].count("Section ") == len(re.findall(r"^End ", files.texts[name], flags=re.MULTILINE))
        assert not THEOREMS[name] or "Print Assumptions" in files.texts[name]


def test_falsified_theorems_differ_from_the_true_ones(files: CoqFiles, falsified: list[Falsified]) -> None:
    """Each replaces something that is there, each file that states a row has one of each kind, and a true one."""
    assert all((x.texts[x.file] == files.texts[x.file]) == (x.what == CONTROL) for x in falsified)
    kinds = {(x.file, x.what.split(":")[0]) for x in falsified}
    every = {(name, kind) for name, rows in THEOREMS.items() if rows for kind in (CONSTANT, ASSUMPTION, SIGN, CONTROL)}
    assert every <= kinds
    with pytest.raises(InvalidInput, match="that the mutant"):
        falsified_files({**files.texts, "Theorem1": ""})


def test_what_is_only_defined_is_judged_where_theorem_1_rests_on_it(files: CoqFiles) -> None:
    """The files of ProxSkip, which use `Algorithm` and prove nothing of Algorithm 2: its versions would be accepted."""
    few = {name: files.texts[name] for name in ("Laws", "Algorithm", "Convex", "ProxSkip")}
    assert {version.file for version in falsified_files(few)} == {"ProxSkip"}


def test_a_file_is_left_out_where_a_lemma_of_it_has_another_shape(files: CoqFiles) -> None:
    """The lemma of own-lip-step takes the premises of eq46 where that is exported, and its file counts on them."""
    fewer = [lemma for lemma in files.lemmas if lemma.name != "eq46_1"]
    assert "Lipschitz" in chain_files(files.lemmas, ["own-lip"])
    assert chain_files(fewer, ["own-lip"]) == {}


def test_a_sample_of_versions_has_their_controls_and_repeats(files: CoqFiles, monkeypatch) -> None:
    monkeypatch.setattr(certificate, "_accepted", lambda coqc, folder, version: version.what == CONTROL)
    found = certificate._falsified_theorems("", FOLDER, files, 7)
    assert sum(what != CONTROL for _, what, _ in found) == 7
    assert {file for file, what, _ in found if what == CONTROL} == {file for file, _, _ in found}
    assert all(right for *_, right in found)
    assert found == certificate._falsified_theorems("", FOLDER, files, 7)
    assert len(certificate._falsified_theorems("", FOLDER, files, None)) == len(falsified_files(files.texts))


def test_what_a_falsified_file_needs_lies_beside_it(files: CoqFiles, falsified: list[Falsified]) -> None:
    """Every module that it imports, at first or second hand, is its own or compiled already: else it fails by mistake.

    Of a file of definitions, all that rests on it is judged again, up to the theorem.
    """
    for wrong in falsified:
        there = {*wrong.texts, *wrong.needs}
        assert {name for file in there for name in requires(files.texts[file])} <= there, wrong.what
        assert (list(wrong.texts) == [wrong.file]) == bool(THEOREMS[wrong.file])
        assert list(wrong.texts)[-1] == (wrong.file if THEOREMS[wrong.file] else WHOLE)


PAPERS = {"MM_1", "MM_2", "A3", "A4", "A5", "A6_i", "A6_ii", "A7_i", "A7_ii", "A8_i", "A8_ii"}
GONE = {"Any": {"A8_ii"}, "AnyPL": {"A8_ii"}, "Biased": {"A3", "A4", "A8_ii"}, "Linear": PAPERS - {"A3", "A4", "A5"},
        "Monotone": PAPERS - {"A5", "A6_i"}, "Free": {"A8_ii"}, "FreePL": {"A8_ii"},
        "Lipschitz": {"A6_ii", "A7_i", "A7_ii", "A8_ii"},
        "Seminorm": {"MM_1", "MM_2", "A6_ii", "A7_i", "A7_ii", "A8_i", "A8_ii"},
        "SeminormProjected": {"MM_1", "MM_2", "A6_ii", "A7_i", "A7_ii"}}  # fmt: skip
"""The paper's assumptions that a file of theorems does without."""


@pytest.mark.parametrize("file", FROM_ALGORITHM)
def test_every_hypothesis_of_a_whole_theorem_is_dropped_once(file: str) -> None:
    """One version for each assumption of the sections, those of the paper among them, and for each premise."""
    text = (FOLDER / f"{file}.v").read_text(encoding="utf-8")
    found = [x for x in falsified_files({file: text}) if x.what.startswith(ASSUMPTION)]
    names = re.findall(r"^Hypothesis (\w+) :", text, flags=re.MULTILINE)
    for name in names:
        assert sum(f"Hypothesis {name} :  True ." in x.texts[file] for x in found) == 1, name
    for assumption in PAPERS:
        assert sum(f": {assumption} P" in x.what for x in found) == (assumption not in GONE.get(file, ())), assumption
    stated = "|".join(name for names in THEOREMS[file].values() for name in names)
    arrows = sum(len(premises(m[2])) for m in re.finditer(rf"^Theorem ({stated}) : (.+?)\.\nProof", text, re.M | re.S))
    assert arrows
    assert len({x.texts[file] for x in found}) == len(found) == len(names) + arrows
    assert not re.search(r"^(Hypotheses|Context|Axiom|Parameter|Conjecture)\b", text, flags=re.MULTILINE)


@pytest.mark.parametrize("file", OTHERS)
def test_every_hypothesis_of_another_algorithm_is_dropped_once(file: str) -> None:
    """One version for each, and for each premise of a theorem; an instance satisfies them."""
    text = (FOLDER / f"{file}.v").read_text(encoding="utf-8")
    found = [x.texts[file] for x in falsified_files({file: text}) if x.what.startswith(f"{ASSUMPTION}: ")]
    made = [x for x in found if x.count(" True ") == text.count(" True ") + 1]
    theorems = re.finditer(r"^Theorem \w+ : (.+?)\.\nProof", text, flags=re.MULTILINE | re.DOTALL)
    arrows = sum(len(premises(m[1])) for m in theorems)
    assert len(set(made)) == len(made) == len(re.findall(r"^Hypothesis ", text, flags=re.MULTILINE)) + arrows
    assert "Theorem hypotheses_hold :" in text
    assert not re.search(r"^(Hypotheses|Context|Axiom|Parameter|Conjecture)\b", text, flags=re.MULTILINE)


def test_premises_are_what_stands_before_the_outer_arrows() -> None:
    """Quantifiers are no premise, arrows in brackets none of their own, the conclusion none at all."""
    text = "forall a b, 0 < a -> (forall t, p t -> q t) -> forall c,\n c = (a, b) -> let d := a in d <= b"
    assert [text[i:j].strip() for i, j in premises(text)] == ["0 < a", "(forall t, p t -> q t)", "c = (a, b)"]


def test_a_file_of_theorems_is_there_for_its_rows_and_with_its_lemmas() -> None:
    """None is written that no row asks for, nor one whose lemmas are not exported."""
    assert list(chain_files([], ["prop5"])) == ["Means", "Identities"]
    assert chain_files([], ["prop2", "lem1-var", "thm1-B"]) == {}


def test_each_row_that_a_theorem_states_has_it() -> None:
    """The theorem is in the file, and the row is in the chain."""
    assert set(STATED) <= set(chain())
    for file, rows in THEOREMS.items():
        text = (FOLDER / f"{file}.v").read_text(encoding="utf-8")
        for name in (name for names in rows.values() for name in names):
            assert re.search(rf"^(Theorem|Lemma) {name} :", text, flags=re.MULTILINE), name


@pytest.mark.parametrize("row", [name for name in chain() if not name.startswith("own-")])
def test_coq_has_something_to_confirm_of_every_row_of_appendix_d(row: str) -> None:
    """A certificate, or a theorem that states the row."""
    assert row in STATED or certificates_of(claim_of(row))


@pytest.mark.parametrize(
    ("verdict", "amended", "mark"), [("proved", None, True), ("refuted", "proved", True), ("open", None, False)]
)
def test_the_report_marks_what_was_confirmed(verdict: str, amended: str | None, mark: bool) -> None:
    """A confirmed row says so where it is proved, or its amendment is; no other row does."""
    record = {"id": "row", "verdict": verdict, "amended": {"verdict": amended} if amended else None}
    assert [found["second_kernel"] for found in marked([record, {**record, "id": "other"}], ["row"])] == [mark, False]


def test_the_chain_is_appendix_d_and_what_goes_beyond() -> None:
    """From Lemma 1 to Theorem 1 and our own statements; nothing of the other sections."""
    names = chain()
    assert {"lem1-var", "prop2", "prop4", "thm1-B", "own-A7-best"} <= set(names)
    assert "mm1-def" not in names


def test_the_commands_write_and_show(tmp_path, capsys) -> None:
    """`export` writes the files; `show` prints the sum, in plain characters or in LaTeX."""
    assert main(["certificate", "export", "lem1-var", "--out", str(tmp_path)]) == 0
    assert {file.name for file in tmp_path.iterdir()} == {"Prelude.v", "AppendixDLemmas.v"}
    assert re.search(
        r"^Our own kernel verifies 1 certificates of 1 rows in \d+ s of processor time", capsys.readouterr().out
    )
    assert main(["certificate", "show", "thm1-B-line3"]) == 0
    assert "32*v_{max}*ω_p/α  times  2/α - ((β-1) + 1)/(β-1) >= 0" in capsys.readouterr().out
    assert main(["certificate", "show", "thm1-B-line3", "--latex"]) == 0
    assert r"\frac{2}{\alpha}" in capsys.readouterr().out
    assert main(["certificate", "export", "own-A7-l1", "--out", str(tmp_path)]) == 2
    assert "no certificate stands behind" in capsys.readouterr().err
