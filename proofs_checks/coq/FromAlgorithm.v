(* Theorem 1 (L 747-777) and its corollary (L 779-792), from Algorithm 2 to the bound: full expectations are means over
   the paths of the algorithm, conditional ones means over one more round, and nothing else is assumed in between. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude Means Identities Propositions34 Theorem1 Laws Algorithm Geometry Draws Round.
Open Scope R_scope.

(* T rounds of one factor and one level of noise. *)
Lemma every_round : forall (x : nat -> R) rate noise, 0 <= rate -> (forall t, x (S t) <= rate * x t + noise) ->
  forall T, x T <= rate ^ T * x 0%nat + noise * sum (fun t => rate ^ pred t) T.
Proof.
  intros x rate noise positive once T. induction T as [| T IH]; [cbn [pow sum]; lra |].
  apply (Rmult_le_compat_l rate) in IH; [| exact positive]. specialize (once T).
  assert (geometric : rate * sum (fun t => rate ^ pred t) T + 1 = sum (fun t => rate ^ pred t) (S T)).
  { clear. induction T as [| T IH]; cbn [sum] in *; [cbn; ring |]. cbn [pred pow] in *. lra. }
  rewrite <- geometric. cbn [pow]. lra.
Qed.

(* The tower property along the path. *)
Lemma one_more : forall P t X,
  E (path P (S t)) X = E (path P t) (fun h => E (one_round P h) (fun w => X (followed h w))).
Proof.
  intros P t X. cbn [path]. rewrite mean_next. apply mean_ext. intro h. rewrite mean_next. apply mean_ext. intro w.
  apply mean_sure.
Qed.
Lemma rounds_of_path : forall P t h, possible (path P t) h -> rounds h = t.
Proof.
  intros P. induction t as [| t IH]; intros h Q; cbn [path] in Q; apply possible_next in Q; destruct Q as (w & A & C).
  - apply possible_sure in C. subst h. reflexivity.
  - apply possible_next in C. destruct C as (d & _ & C). apply possible_sure in C. subst h. cbn. f_equal. apply IH, A.
Qed.

(* The path without its last m rounds has the law of the shorter path. *)
Fixpoint without {V} (m : nat) (h : past V) : past V :=
  match m with O => h | S k => match h with began _ _ => h | followed h _ => without k h end end.
Lemma mean_without : forall P m k X, E (path P (m + k)) (fun h => X (without m h)) = E (path P k) X.
Proof.
  intros P m k X. induction m as [| m IH]; [reflexivity |]. cbn [plus]. rewrite one_more, <- IH.
  apply mean_ext. intro h. apply (E_const _ (one_round P h) (X (without m h))).
Qed.

Section Theorem_1.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variables sigma L : nat -> R.
Variables omega M C1 C2 v_min v_max lowest : R.

(* The data of Algorithm 2. *)
Hypothesis weights : distribution P.
Hypothesis start : starts_inside P.
Hypothesis steps : steps_positive P.
Hypothesis argmin : line_599 P.
(* MM-1, MM-2, A3 to A8, and that f + g is bounded below (its minimum is the best bound). *)
Hypothesis mm_1 : MM_1 P.
Hypothesis mm_2 : MM_2 P.
Hypothesis a3 : A3 P sigma.
Hypothesis a4 : A4 P omega.
Hypothesis a5 : A5 P.
Hypothesis a6_i : A6_i P L.
Hypothesis a6_ii : A6_ii P M.
Hypothesis a7_i : A7_i P B C1 C2.
Hypothesis a7_ii : A7_ii P B v_min v_max.
Hypothesis a8_i : A8_i P.
Hypothesis a8_ii : A8_ii P B.
Hypothesis bounded : forall theta, lowest <= f P theta + g P theta.

(* The constants of Theorem 1 (L 749-753); spread is sigma^2 / n and slopes is L^2 / n. *)
Notation omega_p := (omega_p P omega).
Definition C_bar := C2 + M * C1.
Definition sigma2_n := spread (n P) (mu P) sigma.
Definition L2_n := slopes (n P) (mu P) L.
(* E[barE_t], E[(f+g)(T(Shat_0)) - min (f+g)], and sum_i mu_i^2 E|V_{0,i} - h_i(Shat_0)|^2. *)
Definition mean_error t := E (path P (pred t)) (barE P).
Definition initial_gap := E (initial P) (fun x => f P (map P (fst x)) + g P (map P (fst x)) - lowest).
Definition initial_variates := sum (fun i => mu P i ^ 2 *
  E (initial P) (fun x => norm (snd x i [-] field_of P i (fst x)) ^ 2)) (n P).

Lemma gap_is : initial_gap = E (path P 0) (W P) - lowest.
Proof.
  cbn [path]. rewrite mean_next. unfold initial_gap.
  transitivity (E (initial P) (fun x => f P (map P (fst x)) + g P (map P (fst x)) + - lowest * 1)).
  - apply mean_ext. intro. ring.
  - rewrite (mean_add _ _ (fun x => f P (map P (fst x)) + g P (map P (fst x)))), mean_const. unfold Rminus.
    f_equal. apply mean_ext. intro x. rewrite mean_sure. reflexivity.
Qed.
Lemma variates_are : initial_variates = E (path P 0) (G P).
Proof.
  cbn [path]. rewrite mean_next. unfold initial_variates.
  transitivity (E (initial P) (fun x => sum (fun i => mu P i ^ 2 * norm (snd x i [-] field_of P i (fst x)) ^ 2) (n P))).
  - rewrite mean_sum. apply sum_ext. intro i. symmetry. apply (mean_scal _ _ (mu P i ^ 2)).
  - apply mean_ext. intro x. rewrite mean_sure. reflexivity.
Qed.
Lemma barE_pos : forall h, 0 <= barE P h.
Proof.
  intro h. unfold barE. apply Rmult_le_pos; [apply pow2_ge_0 |]. apply Rlt_le, Rinv_0_lt_compat, pow_lt, steps.
Qed.
Lemma G_pos : forall h, 0 <= G P h.
Proof. intro h. apply sum_pos. intros i _. apply Rmult_le_pos; apply pow2_ge_0. Qed.
Lemma variance_pos : forall h, 0 <= variance P h.
Proof. intro h. apply mean_pos. intro w. apply pow2_ge_0. Qed.
Lemma E_linear : forall t (x y z : past (vec P) -> R) a b c,
  E (path P t) (fun h => a * x h + b * y h + c * z h)
  = a * E (path P t) x + b * E (path P t) y + c * E (path P t) z.
Proof.
  intros. rewrite (mean_add _ _ (fun h => a * x h + b * y h)), (mean_add _ _ (fun h => a * x h)), !mean_scal.
  reflexivity.
Qed.
Notation gamma_1 t := (gamma P (S t)).  (* gamma_{t+1} *)
Notation expected_variance t := (E (path P t) (variance P)).

(* Propositions 2, 3, 4 in the mean over all paths. *)
Lemma mean_2 : forall t, 0 < 1 - 2 * C_bar * gamma_1 t / v_min ->
  E (path P (S t)) (W P) <= E (path P t) (W P)
    - gamma_1 t / 4 * (1 - 2 * C_bar * gamma_1 t / v_min) * mean_error (S t)
    + gamma_1 t * (1 - C_bar * gamma_1 t / v_min) * expected_variance t.
Proof.
  intros t small. rewrite one_more.
  apply Rle_trans with (E (path P t) (fun h => 1 * W P h
    + - (gamma_1 t / 4 * (1 - 2 * C_bar * gamma_1 t / v_min)) * barE P h
    + gamma_1 t * (1 - C_bar * gamma_1 t / v_min) * variance P h)).
  - apply E_le. intros h I. pose proof (rounds_of_path P t h I) as Z.
    pose proof (round_2 P B C1 C2 v_min v_max start steps argmin a7_i a7_ii a8_i a8_ii t h I mm_1 mm_2 M a6_ii) as Q.
    rewrite Z in Q. unfold C_bar, Rdiv in *. eapply Rle_trans; [apply Q; lra | right; field; apply Rgt_not_eq].
    destruct a7_ii. lra.
  - rewrite E_linear. unfold mean_error. cbn [pred]. lra.
Qed.
Lemma mean_3 : forall t,
  expected_variance t <= (1 + omega_p) * v_max * sigma2_n + omega_p * v_max * E (path P t) (G P).
Proof.
  intro t.
  apply Rle_trans with (E (path P t) (fun h => (1 + omega_p) * v_max * sigma2_n * 1 + omega_p * v_max * G P h)).
  - apply E_le. intros h I.
    pose proof (round_3 P B sigma omega C1 C2 v_min v_max weights start argmin a3 a4 a5 a7_i a7_ii a8_ii t h I).
    unfold sigma2_n. lra.
  - rewrite (mean_add _ _ (fun _ => (1 + omega_p) * v_max * sigma2_n * 1)), mean_const, mean_scal. lra.
Qed.
Lemma mean_4 : 0 <= alpha P -> alpha P * (1 + omega_p) <= 1 -> forall b, 0 < b ->
  variates_shrink (fun t => E (path P t) (G P)) mean_error (gamma P) v_min v_max omega_p (alpha P) b sigma2_n L2_n.
Proof.
  intros al0 al1 b b0 t. rewrite one_more.
  apply Rle_trans with (E (path P t) (fun h =>
    (1 + b) * (1 - alpha P + 2 * omega_p / b * (v_max / v_min * L2_n) * gamma_1 t ^ 2) * G P h
    + 2 * (1 + b) / b * L2_n / v_min * gamma_1 t ^ 2 * barE P h
    + (1 + b) * (alpha P + 2 * (1 + omega_p) / b * (v_max / v_min * L2_n) * gamma_1 t ^ 2) * sigma2_n * 1)).
  - apply E_le. intros h I. pose proof (rounds_of_path P t h I) as Z.
    pose proof (round_4 P B sigma L omega C1 C2 v_min v_max weights start steps argmin a3 a4 a5 a7_i a7_ii a8_i a8_ii
      t h I a6_i b b0 al0 al1) as Q. cbv zeta in Q. rewrite Z in Q. unfold L2_n, sigma2_n. lra.
  - rewrite (E_linear t (G P) (barE P) (fun _ => 1)), E_const. unfold mean_error. cbn [pred]. lra.
Qed.
Lemma bounded_below : forall t, lowest <= E (path P t) (W P).
Proof. intro t. rewrite <- (E_const _ (path P t) lowest). apply E_le. intros h _. apply bounded. Qed.
Lemma sigma2_pos : 0 <= sigma2_n.
Proof. apply sum_pos. intros i _. apply Rmult_le_pos; apply pow2_ge_0. Qed.
Lemma L2_pos : 0 <= L2_n.
Proof. apply sum_pos. intros i _. apply Rmult_le_pos; apply pow2_ge_0. Qed.
Lemma C_bar_pos : 0 < C_bar.
Proof.
  destruct a7_i as (c1 & c2 & _), a6_ii as (m & _). pose proof (Rmult_le_pos M C1 m ltac:(lra)). unfold C_bar. lra.
Qed.

(* Part (A), L 755-760. Neither alpha nor A6 (i) is used. *)
Theorem theorem_1_A : omega_p = 0 ->
  (forall t, gamma_1 t < v_min / (2 * C_bar)) ->
  forall T, sum (fun t => gamma P t / 4 * (1 - 2 * C_bar / v_min * gamma P t) * mean_error t) T
  <= initial_gap + v_max * sigma2_n * sum (gamma P) T.
Proof.
  intros o small T. pose proof C_bar_pos as c. destruct a7_ii as (v & _). rewrite gap_is.
  assert (falls : forall t, E (path P (S t)) (W P)
      + gamma_1 t / 4 * (1 - 2 * C_bar / v_min * gamma_1 t) * mean_error (S t)
    <= E (path P t) (W P) + v_max * sigma2_n * gamma_1 t).
  { intro t. pose proof (steps t) as Z. pose proof (small t) as Y.
    assert (X : 2 * C_bar * gamma_1 t / v_min < 1).
    { apply (Rmult_lt_compat_l (2 * C_bar / v_min)) in Y; [| apply Rdiv_lt_0_compat; lra].
      replace (2 * C_bar / v_min * (v_min / (2 * C_bar))) with 1 in Y by (field; lra).
      replace (2 * C_bar * gamma_1 t / v_min) with (2 * C_bar / v_min * gamma_1 t) by (field; lra). exact Y. }
    pose proof (mean_2 t ltac:(lra)) as P2. pose proof (mean_3 t) as P3. rewrite o in P3.
    assert (D : 0 < C_bar * gamma_1 t / v_min) by (repeat apply Rmult_lt_0_compat; try apply Rinv_0_lt_compat; lra).
    assert (0 <= expected_variance t) by (apply mean_pos; intro; apply variance_pos).
    assert (F : gamma_1 t * (1 - C_bar * gamma_1 t / v_min) * expected_variance t <= gamma_1 t * (v_max * sigma2_n)).
    { rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |].
      apply Rle_trans with (1 * expected_variance t); [apply Rmult_le_compat_r; lra | lra]. }
    replace (2 * C_bar / v_min * gamma_1 t) with (2 * C_bar * gamma_1 t / v_min) by (field; lra). lra. }
  pose proof (sum_of_rounds (fun t => E (path P t) (W P))
    (fun t => gamma P t / 4 * (1 - 2 * C_bar / v_min * gamma P t) * mean_error t) (gamma P) _ falls T).
  pose proof (bounded_below T). lra.
Qed.

(* Part (B), eq. (27), L 762-776: constants 64 4 2 are those printed, constants 40 (5/2) (5/4) are sharper. The third
   condition on the steps, which follows from the second, is not needed. *)
Definition bracket e t :=
  1 - 2 * C_bar / v_min * gamma P t - e * (omega_p / alpha P ^ 2) * (v_max / v_min) * L2_n * gamma P t ^ 2.
Theorem theorem_1_B : forall e i l, constants e i l ->
  0 < omega_p -> 0 < alpha P <= 1 / (1 + omega_p) ->
  (forall t, gamma_1 (S t) <= gamma_1 t) -> (forall t, 0 < bracket e (S t)) ->
  forall T, sum (fun t => gamma P t / 4 * bracket e t * mean_error t) T
  <= initial_gap + i * omega_p * v_max / alpha P * gamma P 1 * initial_variates
    + l * v_max * (1 + 5 * omega_p) * sigma2_n * sum (gamma P) T.
Proof.
  intros e i l C o (al0 & al1) decreasing positivity T. pose proof C_bar_pos as c. destruct a7_ii as (v & _).
  assert (al : alpha P * (1 + omega_p) <= 1).
  { apply (Rmult_le_compat_r (1 + omega_p)) in al1; [| lra]. unfold Rdiv in al1.
    rewrite Rmult_1_l, Rinv_l in al1; lra. }
  pose (g t := match t with O => gamma P 1 | S k => gamma_1 k end).
  assert (same_bracket : forall t,
    bracket e (S t) = Theorem1.bracket g C_bar v_min v_max omega_p (alpha P) e L2_n (S t)).
  { intro t. unfold bracket, Theorem1.bracket. cbn [g]. field. split; lra. }
  rewrite gap_is, variates_are.
  pose proof (Theorem1.theorem_1_B e i l (fun t => E (path P t) (W P)) (fun t => E (path P t) (G P))
    (fun t => expected_variance (pred t)) mean_error g C_bar v_min v_max omega_p (alpha P) L2_n sigma2_n lowest C) as Q.
  rewrite (sum_ext_in _ (fun t => g t / 4 * Theorem1.bracket g C_bar v_min v_max omega_p (alpha P) e L2_n t
    * mean_error t)) by (intros [| t] I; [lia | rewrite same_bracket; reflexivity]).
  rewrite (sum_ext_in (gamma P) g) by (intros [| t] I; [lia | reflexivity]).
  eapply Rle_trans; [apply Q; clear Q | right; cbn [g]; ring].
  - pose proof L2_pos. pose proof sigma2_pos. repeat split; lra.
  - exact al.
  - intros [| t]; cbn [g]; split; try apply steps; [lra | apply decreasing].
  - intro t. repeat split; apply mean_pos; intro h; [apply G_pos | apply variance_pos | apply barE_pos].
  - exact bounded_below.
  - intros t S1. change (g (S t)) with (gamma_1 t) in *. apply (mean_2 t). pose proof (steps t).
    apply (Rmult_lt_compat_r (/ v_min)) in S1; [| apply Rinv_0_lt_compat; lra]. rewrite Rinv_r in S1 by lra.
    unfold Rdiv. lra.
  - intro t. apply mean_3.
  - intros b b0. apply (mean_4 ltac:(lra) al b b0).
  - intro t. rewrite <- same_bracket. apply positivity.
Qed.

(* The corollary, L 779-792: a constant step, and barE at a time tau that is uniform on 1, ..., T and independent of the
   path. barE_tau is known after tau - 1 rounds. *)
Definition at_random_time m := next (uniform m) (fun tau => next (path P (S m)) (fun h => sure (tau, h))).
Definition mean_at_random_time (X : past (vec P) -> R) m :=
  E (at_random_time m) (fun x => let (tau, h) := x in X (without (S m - pred tau) h)).
Definition error_at_random_time := mean_at_random_time (barE P).
Lemma random_mean_is : forall X m,
  mean_at_random_time X m = / INR (S m) * sum (fun t => E (path P (pred t)) X) (S m).
Proof.
  intros X m. unfold mean_at_random_time, at_random_time. rewrite mean_next, mean_uniform. f_equal.
  apply sum_ext_in. intros t I. rewrite mean_next, <- (mean_without P (S m - pred t) (pred t)).
  replace (S m - pred t + pred t)%nat with (S m) by lia. apply mean_ext. intro h. apply mean_sure.
Qed.
(* With a constant step a bound on a sum over rounds is one on the mean at a random time. *)
Lemma sum_constant : forall (u : R -> R) step, (forall t, gamma_1 t = step) ->
  forall T, sum (fun t => u (gamma P t)) T = u step * INR T.
Proof.
  intros u step constant T. rewrite <- sum_one, <- sum_scal. apply sum_ext_in. intros [| t] I; [lia |].
  rewrite constant. ring.
Qed.
Lemma mean_of_sum : forall X m gained gain bound, sum gained (S m) <= bound -> 0 < gain ->
  (forall t, gain * E (path P t) X <= gained (S t)) -> mean_at_random_time X m <= bound / (gain * INR (S m)).
Proof.
  intros X m gained gain bound total positive each. pose proof (lt_0_INR (S m) ltac:(lia)) as T0.
  rewrite random_mean_is. set (T := INR (S m)) in *.
  apply Rmult_le_reg_l with (gain * T); [apply Rmult_lt_0_compat; lra |].
  replace (gain * T * (bound / (gain * T))) with bound by (field; lra).
  replace (gain * T * (/ T * sum (fun t => E (path P (pred t)) X) (S m)))
    with (gain * sum (fun t => E (path P (pred t)) X) (S m)) by (field; lra).
  eapply Rle_trans; [| exact total]. rewrite <- sum_scal. apply sum_le. intros [| t] I; [lia | apply each].
Qed.

Theorem corollary_1 : forall e i l, constants e i l -> forall step,
  0 < omega_p -> 0 < alpha P <= 1 / (1 + omega_p) ->
  (forall t, gamma_1 t = step) -> 1 / 2 <= bracket e 1 ->
  forall m, let T := INR (S m) in error_at_random_time m
  <= 8 / (T * step) * initial_gap + 8 * i * omega_p * v_max / (T * alpha P) * initial_variates
    + 8 * l * v_max * (1 + 5 * omega_p) * sigma2_n.
Proof.
  intros e i l C step o al constant half m T. pose proof (steps 0%nat) as Z. rewrite constant in Z.
  assert (K : forall t, bracket e (S t) = bracket e 1) by (intro t; unfold bracket; rewrite !constant; reflexivity).
  pose proof (theorem_1_B e i l C o al ltac:(intro; rewrite !constant; lra) ltac:(intro; rewrite K; lra) (S m)) as Q.
  rewrite (sum_constant (fun x => x) step constant), constant in Q.
  eapply Rle_trans; [apply (mean_of_sum (barE P) m _ (step / 8) _ Q); [lra |] | right].
  - intro t. cbv beta. rewrite K, constant. unfold mean_error. cbn [pred].
    apply Rmult_le_compat_r; [apply mean_pos; intro; apply barE_pos |].
    apply (Rmult_le_compat_l (step / 4)) in half; lra.
  - fold T. field. repeat split; try lra. apply Rgt_not_eq, (lt_0_INR (S m)). lia.
Qed.
End Theorem_1.


Definition together := (theorem_1_A, theorem_1_B, corollary_1).
Print Assumptions together.
