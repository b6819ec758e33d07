(* Theorem 1 (B), eq. (27), for T rounds, from Propositions 2 to 4, by induction.

   W t, G t, N t, Ebar t are full expectations: that the propositions, which are given F_t, hold for these is the
     tower
   property, and is assumed, as is that the signs and ranges are those of the theorem. beta is chosen here. *)
From Coq Require Import Reals Lra Lia.
Require Import Prelude AppendixDTheorem Means.
Open Scope R_scope.

Section Rounds.
Variables W G N Ebar gamma : nat -> R.
Variables C_bar v_min v_max omega alpha beta_1 L2n sigma2n lowest : R.  (* beta_1 = beta - 1 *)
Hypothesis signs : 0 < C_bar /\ 0 < v_min /\ 0 < v_max /\ 0 < omega /\ 0 < alpha /\ 0 < beta_1 /\ 0 < L2n /\ 0 <=
  sigma2n.
Hypothesis steps : forall t, 0 < gamma t /\ gamma (S t) <= gamma t.  (* gamma 0 stands for gamma_1 *)
Hypothesis errors : forall t, 0 <= G t /\ 0 <= N t /\ 0 <= Ebar t.
Hypothesis bounded : forall t, lowest <= W t.
Hypothesis proposition_2 : forall t, 2 * C_bar * gamma (S t) <= v_min ->
  W (S t) <= W t - gamma (S t) / 4 * (1 - 2 * C_bar * gamma (S t) / v_min) * Ebar (S t)
    + gamma (S t) * (1 - C_bar * gamma (S t) / v_min) * N (S t).
Hypothesis proposition_3 : forall t, N (S t) <= (1 + omega) * v_max * sigma2n + omega * v_max * G t.
Hypothesis proposition_4 : forall t,
  G (S t) <= (1 + beta_1) * (1 - alpha + 2 * omega / beta_1 * (v_max / v_min * L2n) * gamma (S t) ^ 2) * G t
    + 2 * (1 + beta_1) / beta_1 * L2n / v_min * gamma (S t) ^ 2 * Ebar (S t)
    + (1 + beta_1) * (alpha + 2 * (1 + omega) / beta_1 * (v_max / v_min * L2n) * gamma (S t) ^ 2) * sigma2n.
Hypothesis beta_bounded : beta_1 <= 1.
Hypothesis beta_contracts : (1 + beta_1) * (1 - alpha) <= 1 - alpha / 2.
Hypothesis beta_ratio : (1 + beta_1) / beta_1 <= 2 / alpha.
Definition bracket t := 1 - 2 * C_bar / v_min * gamma t - 64 * omega / alpha ^ 2 * (v_max / v_min * L2n) * gamma t ^
  2.
Hypothesis positivity : forall t, 0 <= bracket (S t).

Lemma step_small : forall t, 2 * C_bar * gamma (S t) <= v_min.
Proof.
  intro t. destruct signs as (S1 & S2 & S3 & S4 & S5 & S6 & S7 & S8).
  pose proof (positivity t) as P. unfold bracket in P. destruct (steps (S t)) as [Q _].
  assert (0 <= 64 * omega / alpha ^ 2 * (v_max / v_min * L2n) * gamma (S t) ^ 2) by nonnegative.
  apply (Rmult_le_compat_l v_min) in P; [| lra].
  assert (v_min * (2 * C_bar / v_min * gamma (S t)) = 2 * C_bar * gamma (S t)) by (field; lra). nra.
Qed.

Lemma one_round : forall t,
  W (S t) + 4 * omega * v_max / alpha * gamma (S t) * G (S t) + gamma (S t) / 4 * bracket (S t) * Ebar (S t)
  <= W t + 4 * omega * v_max / alpha * gamma t * G t + 2 * (1 + 5 * omega) * v_max * sigma2n * gamma (S t).
Proof.
  intro t. destruct signs as (S1 & S2 & S3 & S4 & S5 & S6 & S7 & S8). pose proof (step_small t) as D.
  destruct (steps t), (steps (S t)), (errors t) as (? & ? & ?), (errors (S t)) as (? & ? & ?).
  pose proof (proposition_2 t D) as P2. pose proof (proposition_3 t) as P3. pose proof (proposition_4 t) as P4.
  pose proof (positivity t) as P. unfold bracket in *.
  apply Rminus_le. apply Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply thm1_B_1 with (G_t := G t) (G_t_1 := G (S t)) (N_t_1 := N (S t)) (W_t := W t)
    (W_t_1 := W (S t)) (bar_C := C_bar) (bar_E_t_1 := Ebar (S t)) (beta_1 := beta_1) (gamma_t := gamma t)
    (gamma_t_1 := gamma (S t)) (tfrac_L_2_n := L2n) (tfrac_sigma_2_n := sigma2n) (v_max := v_max) (v_min := v_min)
    (alpha := alpha) (omega_p := omega)]; try assumption; lra.
Qed.

Lemma all_rounds : forall T,
  sum (fun t => gamma t / 4 * bracket t * Ebar t) T
  <= W 0 - lowest + 4 * omega * v_max / alpha * gamma 0 * G 0
     + 2 * (1 + 5 * omega) * v_max * sigma2n * sum gamma T.
Proof.
  intro T. destruct signs as (S1 & S2 & S3 & S4 & S5 & S6 & S7 & S8).
  assert (Q : sum (fun t => gamma t / 4 * bracket t * Ebar t) T + W T + 4 * omega * v_max / alpha * gamma T * G T
    <= W 0%nat + 4 * omega * v_max / alpha * gamma 0%nat * G 0%nat
       + 2 * (1 + 5 * omega) * v_max * sigma2n * sum gamma T).
  { induction T as [| T IH]; cbn [sum]; [lra |]. pose proof (one_round T). lra. }
  pose proof (bounded T). destruct (steps T) as [P _]. destruct (errors T) as [F _].
  assert (0 <= 4 * omega * v_max / alpha * gamma T * G T) by nonnegative. lra.
Qed.
End Rounds.

(* The choice of beta (L 1641-1645): 2, or what makes the contraction an equality. *)
Lemma beta_choice : forall alpha, 0 < alpha < 1 -> exists b,
  0 < b /\ b <= 1 /\ (1 + b) * (1 - alpha) <= 1 - alpha / 2 /\ (1 + b) / b <= 2 / alpha.
Proof.
  intros alpha [A B]. destruct (Rle_or_lt (2 / 3) alpha) as [C | C].
  - exists 1. repeat split; try lra. apply Rmult_le_reg_r with alpha; [exact A |].
    replace (2 / alpha * alpha) with 2 by (field; lra). lra.
  - exists (alpha / (2 * (1 - alpha))). repeat split.
    + apply Rdiv_lt_0_compat; lra.
    + apply Rmult_le_reg_r with (2 * (1 - alpha)); [lra |].
      replace (alpha / (2 * (1 - alpha)) * (2 * (1 - alpha))) with alpha by (field; lra). lra.
    + right. field. lra.
    + apply Rle_trans with (2 / alpha - 1); [right; field; lra | lra].
Qed.

Theorem theorem_1_B :
  forall (W G N Ebar gamma : nat -> R) (C_bar v_min v_max omega alpha L2n sigma2n lowest : R),
  0 < C_bar /\ 0 < v_min /\ 0 < v_max /\ 0 < omega /\ 0 < alpha /\ 0 < L2n /\ 0 <= sigma2n ->
  alpha * (1 + omega) <= 1 ->
  (forall t, 0 < gamma t /\ gamma (S t) <= gamma t) ->
  (forall t, 0 <= G t /\ 0 <= N t /\ 0 <= Ebar t) ->
  (forall t, lowest <= W t) ->
  (forall t, 2 * C_bar * gamma (S t) <= v_min ->
    W (S t) <= W t - gamma (S t) / 4 * (1 - 2 * C_bar * gamma (S t) / v_min) * Ebar (S t)
      + gamma (S t) * (1 - C_bar * gamma (S t) / v_min) * N (S t)) ->
  (forall t, N (S t) <= (1 + omega) * v_max * sigma2n + omega * v_max * G t) ->
  (forall t b, 0 < b ->
    G (S t) <= (1 + b) * (1 - alpha + 2 * omega / b * (v_max / v_min * L2n) * gamma (S t) ^ 2) * G t
      + 2 * (1 + b) / b * L2n / v_min * gamma (S t) ^ 2 * Ebar (S t)
      + (1 + b) * (alpha + 2 * (1 + omega) / b * (v_max / v_min * L2n) * gamma (S t) ^ 2) * sigma2n) ->
  (forall t, 0 <= bracket gamma C_bar v_min v_max omega alpha L2n (S t)) ->
  forall T, sum (fun t => gamma t / 4 * bracket gamma C_bar v_min v_max omega alpha L2n t * Ebar t) T
  <= W 0%nat - lowest + 4 * omega * v_max / alpha * gamma 0%nat * G 0%nat
     + 2 * (1 + 5 * omega) * v_max * sigma2n * sum gamma T.
Proof.
  intros W G N Ebar gamma C_bar v_min v_max omega alpha L2n sigma2n lowest (S1 & S2 & S3 & S4 & S5 & S6 & S7) A.
  intros. destruct (beta_choice alpha) as (b & B1 & B2 & B3 & B4); [nra |].
  apply all_rounds with (N := N) (beta_1 := b); try tauto; auto.
Qed.

Print Assumptions theorem_1_B.
