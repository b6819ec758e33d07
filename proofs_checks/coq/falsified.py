"""Falsified versions of the files of theorems, all of which Coq must refuse.

Some are written here: a better constant, another sign, an assumption weaker. The others are made: of the theorems that
begin at the algorithm each hypothesis is dropped in turn, that is replaced by True.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.coq.mutants import CONTROL
from proofs_checks.coq.chain import FILES, FROM_ALGORITHM, OTHERS, THEOREMS, WHOLE, rests_on

CONSTANT, DROPPED, SIGN = "another constant", "hypothesis dropped", "sign flipped"
MUTANTS = (
    ("Identities", CONSTANT, "Lemma 1 without 1/p", "scal (U (fst w) / p)", "scal (U (fst w))"),
    ("Identities", DROPPED, "Lemma 1, A4", "is_mean EQ Q s ->", "True ->"),
    ("Identities", SIGN, "Lemma 1", "scal (U (fst w) / p)", "scal (- U (fst w) / p)"),
    ("Identities", CONSTANT, "other form without 1/p", "scal (U / p) message", "scal U message"),
    ("Identities", DROPPED, "U is 0 or 1", "then 1 else 0 in", "then 1 else 2 in"),
    ("Identities", SIGN, "other form", "scal (U / p) message", "scal (- U / p) message"),
    ("Identities", CONSTANT, "a smaller field", "knows (F_2_3 i) (V_next i)", "knows (F_1_3 i) (V_next i)"),
    ("Identities", CONSTANT, "given less than Delta", "(exists f, forall a, Delta a = f (field a)) ->",
     "(exists f : G -> vec Space, forall a, dot (Delta a) (f (field a)) = 0) ->"),
    ("Identities", DROPPED, "condexp:Q, Lemma 1", "(forall v, is_mean EB (fun b => Qt b v) v) ->", "True ->"),
    ("Identities", SIGN, "condexp:Q", "(fun w => Qt (snd w) (Delta (fst w)))",
     "(fun w => scal (-1) (Qt (snd w) (Delta (fst w))))"),
    ("Identities", CONSTANT, "half of V", "(fun w => add V_server (vsum", "(fun w => add (scal (/ 2) V_server) (vsum"),
    ("Identities", DROPPED, "A3", "(forall i, is_mean EA (oracle i) (add Shat (h i))) ->", "True ->"),
    ("Identities", SIGN, "V subtracted", "(fun w => add V_server (vsum", "(fun w => add (scal (-1) V_server) (vsum"),
    ("Identities", CONSTANT, "half of alpha", "(V_server t) (scal alpha", "(V_server t) (scal (alpha / 2)"),
    ("Identities", DROPPED, "V_0", "same (V_server 0%nat) (vsum (fun i => scal (mu i) (V 0%nat i)) n) ->", "True ->"),
    ("Identities", SIGN, "minus alpha", "(V_server t) (scal alpha", "(V_server t) (scal (- alpha)"),
    ("Proposition2", CONSTANT, "twice the decrease", "gamma / 4", "gamma / 2"),
    ("Proposition2", DROPPED, "S convex", "Hypothesis convex :", "Definition convex_is_not_assumed :="),
    ("Proposition2", SIGN, "A7(ii)", "v_min * dot ds ds <= bdot", "v_min * dot ds ds >= bdot"),
    ("Propositions34", CONSTANT, "omega_p for 1 + omega_p", "(1 + omega_p) * v_max * spread",
     "omega_p * v_max * spread"),
    ("Propositions34", DROPPED, "agents", "Hypothesis uncorrelated :", "Definition agents_may_be_one :="),
    ("Propositions34", SIGN, "A3", "<= sigma i ^ 2", ">= sigma i ^ 2"),
    ("Theorem1", CONSTANT, "32 for 64", "constants 64 4 2", "constants 32 4 2"),
    ("Theorem1", CONSTANT, "30 for 40", "constants 40 ", "constants 30 "),
    ("Theorem1", CONSTANT, "beta <= 15/8", "b <= 1 /\\ (1 + b)", "b <= 7 / 8 /\\ (1 + b)"),
    ("Theorem1", DROPPED, "W bounded", "Hypothesis bounded :", "Definition no_bound :="),
    ("Theorem1", DROPPED, "alpha < 1", "0 < alpha < 1 -> exists b", "0 < alpha < 3 -> exists b"),
    ("Theorem1", SIGN, "steps grow", "gamma (S t) <= gamma t)", "gamma (S t) >= gamma t)"),
    ("Algorithm", CONSTANT, "messages not divided by p", "(1 / p P) [*]", "1 [*]"),
    ("Algorithm", SIGN, "variates move away", "V_agent s i [+] (alpha P / p P)", "V_agent s i [-] (alpha P / p P)"),
    ("Algorithm", SIGN, "variates move away", "V_server s [+] (alpha P / p P)", "V_server s [-] (alpha P / p P)"),
    ("Algorithm", DROPPED, "agents draw independently", "independent (n P) (one_draw h) nobody",
     "next (one_draw h 1%nat) (fun d => sure (fun _ => d))"),
    ("Algorithm", DROPPED, "A3, mean", "is_mean (under (oracles P h i)) (fun a => a) m /\\", "True /\\"),
    ("Algorithm", DROPPED, "A3, variance", "E (oracles P h i) (fun a => norm (a [-] m) ^ 2) <= sigma i ^ 2", "True"),
    ("Algorithm", DROPPED, "A4, mean", "is_mean (under (compressor P)) (fun q => q s) s /\\", "True /\\"),
    ("Algorithm", DROPPED, "A4, variance", "E (compressor P) (fun q => norm (q s [-] s) ^ 2) <= omega * norm s ^ 2",
     "True"),
    ("Algorithm", DROPPED, "A7(i), B(s) symmetric", "symmetric (B s) /\\", "True /\\"),
    ("Algorithm", DROPPED, "A7(i), first line",
     "norm (phi P (map P s') [-] phi P (map P s) [-] B s (s' [-] s)) <= C1 * norm (s' [-] s) ^ 2 /\\", "True /\\"),
    ("Algorithm", DROPPED, "A7(i), second line",
     "Rabs (dot (s' [-] s) (phi P (map P s') [-] phi P (map P s))) <= C2 * norm (s' [-] s) ^ 2", "True"),
    ("Algorithm", DROPPED, "A7(ii), v_min", "v_min * norm u ^ 2 <= dot u (B s u) <=", "dot u (B s u) <="),
    ("Algorithm", DROPPED, "A7(ii), v_max", "dot u (B s u) <= v_max * norm u ^ 2", "dot u (B s u)"),
    ("Algorithm", DROPPED, "mu sums to 1", "sum (mu P) (n P) = 1", "True"),
    ("FromAlgorithm", CONSTANT, "twice the left side of (A)", "gamma P t / 4 * (1 - 2 * C_bar / v_min * gamma P t)",
     "gamma P t / 2 * (1 - 2 * C_bar / v_min * gamma P t)"),
    ("FromAlgorithm", CONSTANT, "7 for 8 in the corollary", "8 / (T * step)", "7 / (T * step)"),
    ("FromAlgorithm", SIGN, "the noise subtracted", "+ l * v_max *", "- l * v_max *"),
    ("Accelerated", CONSTANT, "a fifth of the distance", "L / 2 * norm (z s", "L / 5 * norm (z s"),
    ("Accelerated", CONSTANT, "99/100 of the rate", "<= 2 * L * norm", "<= 99 / 50 * L * norm"),
    ("Accelerated", CONSTANT, "99/100 of a block", "<= 4 * L / (mu", "<= 99 / 25 * L / (mu"),
    ("Accelerated", CONSTANT, "the step of messages in full", "eta := 1 / (L * K)", "eta := 1 / L"),
    ("Accelerated", CONSTANT, "the other step K times as long", "zeta := 1 / (L * K ^ 2)", "zeta := 1 / (L * K)"),
    ("Accelerated", CONSTANT, "99/100 of the rate of messages", "<= 2 * L * K", "<= 99 / 50 * L * K"),
    ("Accelerated", CONSTANT, "absent clients forgotten", "(omega + (1 + omega) * ((1 - p) / p))", "omega"),
    ("Accelerated", SIGN, "z moves back", "z s [+] t [*] (x' [-] y t s)", "z s [-] t [*] (x' [-] y t s)"),
    ("Accelerated", SIGN, "z moves up", "z s [-] (zeta * t) [*] G", "z s [+] (zeta * t) [*] G"),
    ("ProxSkip", CONSTANT, "faster in x", "1 - gamma * m)", "1 - 2 * gamma * m)"),
    ("ProxSkip", CONSTANT, "faster in h", "1 - p ^ 2)", "1 - 2 * p ^ 2)"),
    ("ProxSkip", SIGN, "h moves away", "h s [+] (p / gamma)", "h s [-] (p / gamma)"),
    ("Scaffold", CONSTANT, "twice as fast", "(1 - v * mu / L)", "(1 - 2 * v * mu / L)"),
    ("Scaffold", CONSTANT, "local steps forgotten", "(1 - p + cost / b)", "(1 - p + nu * v / b)"),
    ("Scaffold", CONSTANT, "the noise of c_i forgotten", "nu * v + p * b + chi * drift", "nu * v + chi * drift"),
    ("Scaffold", DROPPED, "clients draw independently",
     "independent n (fun i => local s i K) zero) (fun y => next choice",
     "next (local s 1%nat K) (fun y => sure (fun _ => y))) (fun y => next choice"),
    ("Scaffold", SIGN, "c_i moves away", "/ (eta * INR K) [*] (x s [-] y i)", "/ (eta * INR K) [*] (y i [-] x s)"),
    ("Gap", CONSTANT, "2/5 of the gap", "<= C2 / 2 * dot u u.", "<= 2 / 5 * C2 * dot u u."),
    ("Gap", CONSTANT, "half of L_T", "(F s' [-] F s) * / L_T.\nProof.\n  intros s s' I I'. destruct interior",
     "(F s' [-] F s) * / (L_T / 2).\nProof.\n  intros s s' I I'. destruct interior"),
    ("Gap", DROPPED, "interior points", "Hypothesis interior : has_interior P.", "Hypothesis interior : True."),
    ("Gap", DROPPED, "S convex", "Hypothesis a8_i : A8_i P.", "Hypothesis a8_i : True."),
    ("Gap", DROPPED, "MM-2", "Hypothesis mm_2 : MM_2 P.", "Hypothesis mm_2 : True."),
    ("Gap", DROPPED, "Lipschitz", "Hypothesis lipschitz : image_lipschitz P L_T.", "Hypothesis lipschitz : True."),
    ("Gap", SIGN, "cocoercive", "0 <= dot (F s' [-] F s) (s' [-] s) - dot",
     "0 <= - dot (F s' [-] F s) (s' [-] s) - dot"),
    ("ProjectedStep", CONSTANT, "2/5 of C**", "Notation c := ((C2 / 2 + C1 * M) / v_min)",
     "Notation c := ((2 / 5 * C2 + C1 * M) / v_min)"),
    ("ProjectedStep", DROPPED, "gamma <= 1/2", "Hypothesis short : step_size <= 1 / 2.", "Hypothesis short : True."),
    ("ProjectedStep", DROPPED, "Sbar in S", "Hypothesis values : MM_1_values P.", "Hypothesis values : True."),
    ("ProjectedStep", SIGN, "the noise subtracted", "+ step_size ^ 2 * (1 / 2 + c) * E",
     "- step_size ^ 2 * (1 / 2 + c) * E"),
    ("Variates", CONSTANT, "half of omega_p", "+ omega_p * G P h", "+ omega_p / 2 * G P h"),
    ("Variates", CONSTANT, "1 / eta", "+ (1 + 1 / eta) * slopes", "+ 1 / eta * slopes"),
    ("Variates", DROPPED, "the projection ends in S", "w -> calS P (s' w).", "w -> True."),
    ("Variates", SIGN, "the noise subtracted", "* G P h + (1 + eta) * alpha P *", "* G P h - (1 + eta) * alpha P *"),
    ("Projected", CONSTANT, "a quarter of the drift", "(1 / 2 + 2 * C_half / v_min)", "(1 / 2 + C_half / (2 * v_min))"),
    ("Projected", CONSTANT, "half of the initial term", "at_start := (2 * ", "at_start := (1 * "),
    ("Projected", CONSTANT, "half of the noise", "level := (3 * ", "level := (3 / 2 * "),
    ("Projected", CONSTANT, "steps up to 1", "forall t, gamma_1 t <= 1 / 2.", "forall t, gamma_1 t <= 1."),
    ("Projected", SIGN, "the noise subtracted", "+ level * sigma2_n", "- level * sigma2_n"),
    ("Free", CONSTANT, "a quarter of the drift", "(1 - C_half / v_min * step_size)",
     "(1 - C_half / (4 * v_min) * step_size)"),
    ("Free", CONSTANT, "half of the noise of a round", "C_half * step_size ^ 2 * error_square",
     "C_half / 2 * step_size ^ 2 * error_square"),
    ("Free", CONSTANT, "4/5 of the noise of (A)", "C_half * sigma2_n * sum", "4 / 5 * C_half * sigma2_n * sum"),
    ("Free", CONSTANT, "C_bar in place of 2 C_bar", "gain t := (gamma P t * (1 - 2 *",
     "gain t := (gamma P t * (1 - 1 *"),
    ("Free", CONSTANT, "half of the initial term", "at_start := (2 * ", "at_start := (1 * "),
    ("Free", CONSTANT, "half of the noise", "level := (3 * ", "level := (3 / 2 * "),
    ("Free", CONSTANT, "9/10 of the factor", "<= 2 / (T * step)", "<= 9 / 5 / (T * step)"),
    ("Free", SIGN, "the noise subtracted", "+ level * sigma2_n", "- level * sigma2_n"),
    ("Nearer", CONSTANT, "3/5 of the decrease", "- step / 2 * norm_in", "- 3 / 5 * step * norm_in"),
    ("Nearer", CONSTANT, "a quarter of the drift", "let C_half := C2 / 2 + C1 * M in",
     "let C_half := (C2 / 2 + C1 * M) / 4 in"),
    ("BiasedStep", CONSTANT, "participation forgotten",
     "direction_error <= (1 - p P * a)", "direction_error <= (1 - a)"),
    ("BiasedStep", CONSTANT, "without 1 / eta", "+ 1 + 1 / eta) * sigma i ^ 2", "+ 1) * sigma i ^ 2"),
    ("BiasedStep", CONSTANT, "1 / eta", "(1 + 1 / eta) * weighted P (fun i => L i ^ 2) * moved_square",
     "1 / eta * weighted P (fun i => L i ^ 2) * moved_square"),
    ("BiasedStep", DROPPED, "C is a contraction", "<= (1 - a) * norm x ^ 2.", "<= (1 - a) * norm x ^ 2 \\/ True."),
    ("BiasedStep", DROPPED, "oracles are exact", "same a (mean_oracle_of P i (map P (Shat (ef21 h)))).", "True."),
    ("BiasedStep", DROPPED, "A3, the mean", "is_mean (under (oracles P h i)) (fun a => a) m /\\", "True /\\"),
    ("BiasedStep", DROPPED, "A3, the variance",
     "E (oracles P h i) (fun a => norm (a [-] m) ^ 2) <= sigma i ^ 2.", "True."),
    ("Nearer", DROPPED, "gamma <= 1", "Hypothesis short : 0 < step <= 1.", "Hypothesis short : 0 < step."),
    ("BiasedStep", DROPPED, "A5", "Hypothesis a5 : A5 P.", "Hypothesis a5 : 0 < p P <= 1 /\\ True."),
    ("Nearer", SIGN, "the error subtracted",
     "+ step / 2 * v_max * norm xi ^ 2", "- step / 2 * v_max * norm xi ^ 2"),
    ("BiasedStep", SIGN, "agents subtract what they send", "then V_agent s i [+] message P s w i",
     "then V_agent s i [-] message P s w i"),
    ("Biased", CONSTANT, "a fiftieth more on the left", "gamma P t / 2 * mean_field t",
     "51 / 100 * gamma P t * mean_field t"),
    ("Biased", CONSTANT, "9/10 of the initial term", "weight r := (v_max", "weight r := (9 / 10 * v_max"),
    ("Biased", CONSTANT, "half of the noise", "level r := (v_max", "level r := (/ 2 * v_max"),
    ("Biased", CONSTANT, "longer steps", "- (q / (r - q)) ^ 2", "- 9 / 10 * (q / (r - q)) ^ 2"),
    ("Biased", CONSTANT, "faster", "lowest <= (1 - step * m) ^ T", "lowest <= (1 - 3 / 2 * step * m) ^ T"),
    ("Biased", SIGN, "the noise subtracted", "+ v_max / (2 * (1 - q_noisy eta))", "- v_max / (2 * (1 - q_noisy eta))"),
    ("Monotone", CONSTANT, "twice as fast", "(1 - step * m)", "(1 - 2 * step * m)"),
    ("Monotone", CONSTANT, "less noise", "(2 / m + 2 * step + w * (1 / q + 2 * step ^ 2 * L2 / (1 - q)))", "w"),
    ("Monotone", CONSTANT, "an eighth of w", "<= w * (1 - step * m", "<= 8 * w * (1 - step * m"),
    ("Monotone", CONSTANT, "steps eight times as long", "<= 1 / (2 * ell)", "<= 4 / ell"),
    ("Monotone", SIGN, "the noise subtracted", "+ level * nu", "- level * nu"),
    ("Monotone", SIGN, "pushed away", "- dot (field P s) (d s)", "dot (field P s) (d s)"),
    ("Linear", CONSTANT, "half of the change", "K * alpha P * norm (e i) ^ 2", "K * alpha P / 2 * norm (e i) ^ 2"),
    ("Linear", CONSTANT, "the messages forgotten", "m * (2 - step * (ell + K * lambda))", "m * (2 - step * ell)"),
    ("Linear", CONSTANT, "sharp, the messages forgotten", "m * (2 - step * b * m)", "m * (2 - step * m)"),
    ("Linear", CONSTANT, "control variates a hundredth faster", " (1 - alpha P).", " (99 / 100 * (1 - alpha P))."),
    ("Linear", CONSTANT, "99/100 of the noise", "level := (1 + omega_p)", "level := 99 / 100 * (1 + omega_p)"),
    ("Linear", CONSTANT, "half of K", "omega_p <= K * (1", "omega_p <= 2 * K * (1"),
    ("Linear", CONSTANT, "sharp, m up to 2 ell", "0 < m < ell", "0 < m < 2 * ell"),
    ("Linear", CONSTANT, "K from -1 on", "Hypothesis enough : 0 <= K", "Hypothesis enough : -1 <= K"),
    ("Linear", SIGN, "the noise subtracted", "+ level * step", "- level * step"),
    ("LinearPL", CONSTANT, "5/4 of the rate", "1 - 2 * m * left", "1 - 5 / 2 * m * left"),
    ("LinearPL", CONSTANT, "the control variates faster", "(1 - q) * (1 / 2 - y * v_max / v_min)", "(1 - q)"),
    ("LinearPL", CONSTANT, "less noise", "level := ((1 + omega_p) *", "level := ((1 + omega_p) / 2 *"),
    ("LinearPL", CONSTANT, "steps up to 1", "short : step <= 1 / 2", "short : step <= 1"),
    ("LinearPL", SIGN, "the noise subtracted", "+ level * sigma2_n", "- level * sigma2_n"),
    ("AnyPL", CONSTANT, "twice the step", "v_min / (2 * (C2 / 2 + C1 * M))", "v_min / (C2 / 2 + C1 * M)"),
    ("AnyPL", CONSTANT, "5/4 of the rate", "1 - 2 * m * left", "1 - 5 / 2 * m * left"),
    ("AnyPL", CONSTANT, "the control variates faster", "(1 - q) * (1 / 2 - y)", "(1 - q)"),
    ("AnyPL", CONSTANT, "less noise", "level := ((1 + omega_p) *", "level := ((1 + omega_p) / 2 *"),
    ("AnyPL", SIGN, "the noise subtracted", "+ level * sigma2_n", "- level * sigma2_n"),
    ("FreePL", CONSTANT, "half of the drift", "step * (1 - C_half / v_min * step * (1 + 2 * y))",
     "step * (1 - C_half / (2 * v_min) * step * (1 + 2 * y))"),
    ("FreePL", CONSTANT, "5/4 of the rate", "1 - 2 * m * left", "1 - 5 / 2 * m * left"),
    ("FreePL", CONSTANT, "the control variates faster", "(1 - q) * (1 / 2 - y)", "(1 - q)"),
    ("FreePL", CONSTANT, "less noise", "level := ((1 + omega_p) *", "level := ((1 + omega_p) / 2 *"),
    ("FreePL", SIGN, "the noise subtracted", "+ level * sigma2_n", "- level * sigma2_n"),
    ("Nearer", CONSTANT, "half of the move", "<= step_size ^ 2 * (field", "<= step_size ^ 2 / 2 * (field"),
    ("Nearer", DROPPED, "a nearer map", "Hypothesis projection : nearer P.", "Hypothesis projection : True."),
    ("Nearer", SIGN, "the noise subtracted", "field_square P h + error", "field_square P h - error"),
    ("Any", CONSTANT, "twice the decrease", "<= W P h - step_size / 2 *", "<= W P h - step_size *"),
    ("Any", CONSTANT, "half of the initial term", "at_start := ((1 + q)", "at_start := ((1 + q) / 2"),
    ("Any", CONSTANT, "half of the noise", "level := (3 / 2 * ", "level := (3 / 4 * "),
    ("Any", CONSTANT, "9/10 of the factor", "<= 4 / (T * step)", "<= 18 / 5 / (T * step)"),
    ("Any", CONSTANT, "twice the step", "<= v_min / (2 * (C2 / 2 + C1 * M)).", "<= v_min / (C2 / 2 + C1 * M)."),
    ("Any", SIGN, "the noise subtracted", "+ level * sigma2_n", "- level * sigma2_n"),
    ("Seminorm", CONSTANT, "twice the decrease", "gain := step * ", "gain := 2 * step * "),
    ("Seminorm", CONSTANT, "less drift", "(C + 2 * kappa * lambda ^ 2)", "(C + kappa * lambda ^ 2)"),
    ("Seminorm", CONSTANT, "sixteen times the plain norm", "seminorm h - kappa / 4", "seminorm h - 4 * kappa"),
    ("Seminorm", CONSTANT, "half of the weight of G", "omega_p * load / (1 - q)", "omega_p * load / (2 * (1 - q))"),
    ("Seminorm", CONSTANT, "longer steps", "step ^ 2 <= kappa / 2.", "step ^ 2 <= kappa."),
    ("Seminorm", CONSTANT, "kappa = 3 C_bar", "(4 * (C2 / 2 + C1 * M))", "(3 * (C2 / 2 + C1 * M))"),
    ("Seminorm", SIGN, "the noise subtracted", "+ level * s", "- level * s"),
    ("SeminormProjected", CONSTANT, "twice the decrease", "gain := step * ", "gain := 2 * step * "),
    ("SeminormProjected", CONSTANT, "less drift", "5 / 4 * kappa", "kappa"),
    ("SeminormProjected", CONSTANT, "half of Q", "load := (5 / 2 + 2 * drift)", "load := (5 / 4 + drift)"),
    ("SeminormProjected", CONSTANT, "sixteen times the plain norm", "seminorm h - kappa / 4", "seminorm h - 4 * kappa"),
    ("SeminormProjected", CONSTANT, "half of the weight of G", "omega_p * load / (1 - q)",
     "omega_p * load / (2 * (1 - q))"),
    ("SeminormProjected", CONSTANT, "longer steps", "* step <= kappa / 4)", "* step <= kappa / 2)"),
    ("SeminormProjected", CONSTANT, "steps up to 1", "0 < step <= 1 / 2.", "0 < step < 1."),
    ("SeminormProjected", CONSTANT, "half of the norm", "2 * kappa * step * (1 - step)", "kappa * step * (1 - step)"),
    ("SeminormProjected", SIGN, "the noise subtracted", "+ level * s", "- level * s"),
    ("Lipschitz", CONSTANT, "twice the decrease", "Phi h - a * step_size", "Phi h - 2 * a * step_size"),
    ("Lipschitz", CONSTANT, "a third of the noise of a round", "+ (L_T + 2 * a) * step_size", "+ L_T / 3 * step_size"),
    ("Lipschitz", CONSTANT, "half of the initial term", "at_start := (3 / 2 * ", "at_start := (3 / 4 * "),
    ("Lipschitz", CONSTANT, "half of the noise", "level := (9 / 4 * ", "level := (9 / 8 * "),
    ("Lipschitz", CONSTANT, "9/10 of the factor", "2 / (a * T * step)", "9 / 5 / (a * T * step)"),
    ("Lipschitz", CONSTANT, "steps up to 1", "forall t, gamma_1 t <= 1 / 2.", "forall t, gamma_1 t <= 1."),
    ("Lipschitz", SIGN, "the noise subtracted", "+ level * sigma2_n", "- level * sigma2_n"),
)  # fmt: skip
"""File, kind, what is falsified, and the text that is replaced wherever it occurs: Coq must refuse what results.

Of identities no constant is better: any other is wrong. For a field, a smaller one is better.
"""
HYPOTHESIS = re.compile(r"^Hypothesis (\w+) : (.+?)\.$", flags=re.MULTILINE | re.DOTALL)
STATEMENT = re.compile(r"^Theorem (\w+) : (.+?)\.\nProof\.", flags=re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Falsified:
    """A falsified file and what rests on it, in the order of compilation: Coq must refuse one of `texts`.

    A file that states rows is judged alone; of one that only defines, what rests on it may be what fails. `needs`
    names the true modules that have to lie compiled beside.
    """

    file: str
    what: str
    texts: Mapping[str, str]
    needs: tuple[str, ...]


def falsified_files(texts: Mapping[str, str]) -> list[Falsified]:
    """The falsified versions of these files, and the true one of each, which is the `CONTROL`.

    `texts` has all modules in the order of compilation. `InvalidInput` if one version would change nothing.
    """
    wrong = [*_written(texts), *_dropped(texts)]
    true = [(name, CONTROL, texts[name]) for name in dict.fromkeys(name for name, _, _ in wrong)]
    return [_version(texts, *version) for version in (*true, *wrong)]


def _version(texts: Mapping[str, str], name: str, what: str, text: str) -> Falsified:
    later = FILES[FILES.index(name) + 1 : FILES.index(WHOLE) + 1]
    after = [] if THEOREMS[name] else [file for file in later if file in texts and name in rests_on(file, texts)]
    own = {name: text, **{file: texts[file] for file in after}}
    needs = {other for file in own for other in rests_on(file, texts)} - own.keys()
    return Falsified(name, what, own, tuple(sorted(needs)))


def _written(texts: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for name, kind, what, old, new in MUTANTS:
        if name in texts and (THEOREMS[name] or WHOLE in texts):  # else nothing there rests on what is only defined
            if old not in texts[name]:
                raise InvalidInput(f"{name}.v has no {old!r}, so that the mutant {what!r} is none: correct MUTANTS.")
            yield name, f"{kind}: {what}", texts[name].replace(old, new)


def _dropped(texts: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Each hypothesis of the sections, and each premise of a theorem in them."""
    for name in (*FROM_ALGORITHM, *OTHERS):
        text = texts.get(name, "")
        for match in HYPOTHESIS.finditer(text):
            yield name, f"{DROPPED}: {match[2]}", _with_true(text, *match.span(2))
        for theorem in STATEMENT.finditer(text):
            for start, end in premises(theorem[2]):
                what = " ".join(theorem[2][start:end].split())
                first = theorem.start(2)
                yield name, f"{DROPPED}: {theorem[1]}, {what}", _with_true(text, first + start, first + end)


def premises(statement: str) -> list[tuple[int, int]]:
    """Where the premises of a statement stand: each before an arrow outside all brackets, without its quantifiers."""
    found, depth, start = [], 0, 0
    for k, character in enumerate(statement):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and character == "," and re.match(r"\s*forall\b", statement[start:]):
            start = k + 1
        elif depth == 0 and statement.startswith("->", k):
            found.append((start, k))
            start = k + 2
    return found


def _with_true(text: str, start: int, end: int) -> str:
    return f"{text[:start]} True {text[end:]}"
