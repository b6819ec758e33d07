(* Theorem 1 (B), eq. (27), for T rounds, from Propositions 2 to 4, by induction; also with sharper constants.

   W t, G t, N t, Ebar t are full expectations, and the propositions are assumed of these: FromAlgorithm.v proves them
   of Algorithm 2. That the signs and ranges are those of the theorem is assumed, too. beta is chosen here. *)
From Coq Require Import Reals Lra Lia.
Require Import Prelude AppendixDTheorem Means.
Open Scope R_scope.

(* The constants of the bracket, of the initial error of the control variates, and of the noise. *)
Inductive constants : R -> R -> R -> Prop :=
  | printed : constants 64 4 2
  | sharper : constants 40 (5 / 2) (5 / 4).

Section Rounds.
Variables W G N Ebar gamma : nat -> R.
Variables C_bar v_min v_max omega alpha beta_1 sigma2n lowest : R.  (* beta_1 = beta - 1 *)
Hypothesis signs : 0 < C_bar /\ 0 < v_min /\ 0 < v_max /\ 0 < omega /\ 0 < alpha /\ 0 < beta_1 /\ 0 <= sigma2n.
Hypothesis steps : forall t, 0 < gamma t /\ gamma (S t) <= gamma t.  (* gamma 0 stands for gamma_1 *)
Hypothesis errors : forall t, 0 <= G t /\ 0 <= N t /\ 0 <= Ebar t.
Hypothesis bounded : forall t, lowest <= W t.
Hypothesis proposition_2 : forall t, 2 * C_bar * gamma (S t) < v_min ->
  W (S t) <= W t - gamma (S t) / 4 * (1 - 2 * C_bar * gamma (S t) / v_min) * Ebar (S t)
    + gamma (S t) * (1 - C_bar * gamma (S t) / v_min) * N (S t).
Hypothesis proposition_3 : forall t, N (S t) <= (1 + omega) * v_max * sigma2n + omega * v_max * G t.
Definition variates_shrink L2n := forall t,
  G (S t) <= (1 + beta_1) * (1 - alpha + 2 * omega / beta_1 * (v_max / v_min * L2n) * gamma (S t) ^ 2) * G t
    + 2 * (1 + beta_1) / beta_1 * L2n / v_min * gamma (S t) ^ 2 * Ebar (S t)
    + (1 + beta_1) * (alpha + 2 * (1 + omega) / beta_1 * (v_max / v_min * L2n) * gamma (S t) ^ 2) * sigma2n.
Hypothesis beta_bounded : beta_1 <= 1.
Hypothesis beta_contracts : (1 + beta_1) * (1 - alpha) <= 1 - alpha / 2.
Hypothesis beta_ratio : (1 + beta_1) / beta_1 <= 2 / alpha.
Definition bracket e L2n t :=
  1 - 2 * C_bar / v_min * gamma t - e * omega / alpha ^ 2 * (v_max / v_min * L2n) * gamma t ^ 2.

Lemma step_small : forall e L2n t, 0 < e -> 0 < L2n -> 0 <= bracket e L2n (S t) -> 2 * C_bar * gamma (S t) < v_min.
Proof.
  intros e L2n t S0 S7 P. destruct signs as (S1 & S2 & S3 & S4 & S5 & S6 & S8).
  unfold bracket in P. destruct (steps (S t)) as [Q _].
  assert (0 < e * omega / alpha ^ 2 * (v_max / v_min * L2n) * gamma (S t) ^ 2).
  { repeat apply Rmult_lt_0_compat; try apply Rinv_0_lt_compat; try apply pow_lt; lra. }
  apply (Rmult_le_compat_l v_min) in P; [| lra].
  assert (v_min * (2 * C_bar / v_min * gamma (S t)) = 2 * C_bar * gamma (S t)) by (field; lra). nra.
Qed.

Lemma one_round : forall e i l, constants e i l -> forall L2n, 0 < L2n -> variates_shrink L2n ->
  forall t, 0 <= bracket e L2n (S t) ->
  W (S t) + i * omega * v_max / alpha * gamma (S t) * G (S t) + gamma (S t) / 4 * bracket e L2n (S t) * Ebar (S t)
  <= W t + i * omega * v_max / alpha * gamma t * G t + l * (1 + 5 * omega) * v_max * sigma2n * gamma (S t).
Proof.
  intros e i l Q L2n S7 proposition_4 t P. destruct signs as (S1 & S2 & S3 & S4 & S5 & S6 & S8).
  assert (D : 2 * C_bar * gamma (S t) < v_min) by (destruct Q; apply (step_small _ L2n) in P; lra).
  destruct (steps t), (steps (S t)), (errors t) as (? & ? & ?), (errors (S t)) as (? & ? & ?).
  pose proof (proposition_2 t D) as P2. pose proof (proposition_3 t) as P3. pose proof (proposition_4 t) as P4.
  unfold bracket in *. apply Rminus_le. apply Ropp_le_cancel. rewrite Ropp_0. destruct Q.
  - eapply as_sum_ge; [| eapply thm1_B_1 with (G_t := G t) (G_t_1 := G (S t)) (N_t_1 := N (S t)) (W_t := W t)
      (W_t_1 := W (S t)) (bar_C := C_bar) (bar_E_t_1 := Ebar (S t)) (beta_1 := beta_1) (gamma_t := gamma t)
      (gamma_t_1 := gamma (S t)) (tfrac_L_2_n := L2n) (tfrac_sigma_2_n := sigma2n) (v_max := v_max) (v_min := v_min)
      (alpha := alpha) (omega_p := omega)]; try assumption; lra.
  - eapply as_sum_ge; [| eapply own_thm1_B_sharper_1 with (G_t := G t) (G_t_1 := G (S t)) (N_t_1 := N (S t)) (W_t := W t)
      (W_t_1 := W (S t)) (bar_C := C_bar) (bar_E_t_1 := Ebar (S t)) (beta_1 := beta_1) (gamma_t := gamma t)
      (gamma_t_1 := gamma (S t)) (tfrac_L_2_n := L2n) (tfrac_sigma_2_n := sigma2n) (v_max := v_max) (v_min := v_min)
      (alpha := alpha) (omega_p := omega)]; try assumption; lra.
Qed.

Lemma all_rounds : forall e i l, constants e i l -> forall L2n, 0 < L2n -> variates_shrink L2n ->
  (forall t, 0 <= bracket e L2n (S t)) -> forall T,
  sum (fun t => gamma t / 4 * bracket e L2n t * Ebar t) T
  <= W 0 - lowest + i * omega * v_max / alpha * gamma 0 * G 0
     + l * (1 + 5 * omega) * v_max * sigma2n * sum gamma T.
Proof.
  intros e i l C L2n S7 P4 P T. destruct signs as (S1 & S2 & S3 & S4 & S5 & S6 & S8).
  assert (Q : sum (fun t => gamma t / 4 * bracket e L2n t * Ebar t) T + W T
      + i * omega * v_max / alpha * gamma T * G T
    <= W 0%nat + i * omega * v_max / alpha * gamma 0%nat * G 0%nat
       + l * (1 + 5 * omega) * v_max * sigma2n * sum gamma T).
  { induction T as [| T IH]; cbn [sum]; [lra |]. pose proof (one_round e i l C L2n S7 P4 T (P T)). lra. }
  pose proof (bounded T). destruct (steps T) as [Z _]. destruct (errors T) as [F _].
  assert (0 <= i * omega * v_max / alpha * gamma T * G T) by (destruct C; nonnegative). lra.
Qed.

(* The same with L >= 0, by a limit: agents whose fields do not move are not excluded. *)
Lemma steps_below : forall t, gamma (S t) <= gamma 1%nat.
Proof. induction t as [| t IH]; [lra |]. destruct (steps (S t)). lra. Qed.
Lemma all_rounds_flat : forall e i l, constants e i l -> forall L2n, 0 <= L2n -> variates_shrink L2n ->
  (forall t, 0 < bracket e L2n (S t)) -> forall T,
  sum (fun t => gamma t / 4 * bracket e L2n t * Ebar t) T
  <= W 0 - lowest + i * omega * v_max / alpha * gamma 0 * G 0
     + l * (1 + 5 * omega) * v_max * sigma2n * sum gamma T.
Proof.
  intros e i l C L2n S7 P4 P T. destruct signs as (S1 & S2 & S3 & S4 & S5 & S6 & S8).
  assert (S0 : 0 < e) by (destruct C; lra). pose proof (P 0%nat) as P1. destruct (steps 1%nat) as (Z & _).
  pose (k := e * omega / alpha ^ 2 * (v_max / v_min)).
  assert (K : 0 < k) by (unfold k, Rdiv; repeat apply Rmult_lt_0_compat; try apply Rinv_0_lt_compat, pow_lt; try apply
    Rinv_0_lt_compat; lra).
  assert (KZ : 0 < k * gamma 1%nat ^ 2) by (apply Rmult_lt_0_compat; [exact K | apply pow_lt; exact Z]).
  pose (room := bracket e L2n 1 / (k * gamma 1%nat ^ 2)).
  assert (R : 0 < room) by (apply Rdiv_lt_0_compat; assumption).
  assert (RK : k * room * gamma 1%nat ^ 2 = bracket e L2n 1) by (unfold room; field; split; lra).
  assert (B : forall d t, bracket e (L2n + d) t = bracket e L2n t - k * d * gamma t ^ 2).
  { intros d t. unfold bracket, k. field. split; lra. }
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  apply limit_zero with (b := sum (fun t => gamma t / 4 * (k * room * gamma t ^ 2) * Ebar t) T). intros x X0 X1.
  pose proof (Rmult_lt_0_compat _ _ X0 R) as XR.
  assert (A : variates_shrink (L2n + x * room)).
  { intro t. destruct (steps (S t)), (errors t) as (? & _ & _), (errors (S t)) as (_ & _ & ?).
    eapply Rle_trans; [apply P4 |]. apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
    apply as_sum_ge with ((1 + beta_1) * (2 * omega / beta_1 * (v_max / v_min * (x * room)) * gamma (S t) ^ 2) * G t
      + 2 * (1 + beta_1) / beta_1 * (x * room) / v_min * gamma (S t) ^ 2 * Ebar (S t)
      + (1 + beta_1) * (2 * (1 + omega) / beta_1 * (v_max / v_min * (x * room)) * gamma (S t) ^ 2) * sigma2n).
    - field. split; lra.
    - nonnegative. }
  assert (A' : forall t, 0 <= bracket e (L2n + x * room) (S t)).
  { intro t. rewrite B. destruct (steps (S t)) as (Zt & _). pose proof (steps_below t) as Y.
    apply Rle_trans with (bracket e L2n 1 - k * room * gamma 1%nat ^ 2); [lra |].
    assert (Y2 : gamma (S t) ^ 2 <= gamma 1%nat ^ 2) by (apply pow_incr; lra).
    assert (M : bracket e L2n 1 <= bracket e L2n (S t)).
    { unfold bracket. apply Rplus_le_compat; [apply Rplus_le_compat_l |]; apply Ropp_le_contravar.
      - apply Rmult_le_compat_l; [nonnegative | exact Y].
      - apply Rmult_le_compat_l; [| exact Y2]. nonnegative. }
    assert (k * (x * room) * gamma (S t) ^ 2 <= k * room * gamma 1%nat ^ 2).
    { apply Rmult_le_compat; [| nonnegative | | exact Y2]; [nonnegative |].
      apply Rmult_le_compat_l; [lra |]. rewrite <- (Rmult_1_l room) at 2. apply Rmult_le_compat_r; lra. }
    lra. }
  pose proof (all_rounds e i l C (L2n + x * room) ltac:(lra) A A' T) as Q.
  rewrite (sum_ext _ (fun t => 1 * (gamma t / 4 * bracket e L2n t * Ebar t)
    + - x * (gamma t / 4 * (k * room * gamma t ^ 2) * Ebar t))) in Q by (intro t; rewrite B; ring).
  rewrite sum_linear in Q. lra.
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

Theorem theorem_1_B : forall (e i l : R) (W G N Ebar gamma : nat -> R)
  (C_bar v_min v_max omega alpha L2n sigma2n lowest : R),
  constants e i l ->
  0 < C_bar /\ 0 < v_min /\ 0 < v_max /\ 0 < omega /\ 0 < alpha /\ 0 <= L2n /\ 0 <= sigma2n ->
  alpha * (1 + omega) <= 1 ->
  (forall t, 0 < gamma t /\ gamma (S t) <= gamma t) ->
  (forall t, 0 <= G t /\ 0 <= N t /\ 0 <= Ebar t) ->
  (forall t, lowest <= W t) ->
  (forall t, 2 * C_bar * gamma (S t) < v_min ->
    W (S t) <= W t - gamma (S t) / 4 * (1 - 2 * C_bar * gamma (S t) / v_min) * Ebar (S t)
      + gamma (S t) * (1 - C_bar * gamma (S t) / v_min) * N (S t)) ->
  (forall t, N (S t) <= (1 + omega) * v_max * sigma2n + omega * v_max * G t) ->
  (forall b, 0 < b -> variates_shrink G Ebar gamma v_min v_max omega alpha b sigma2n L2n) ->
  (forall t, 0 < bracket gamma C_bar v_min v_max omega alpha e L2n (S t)) ->
  forall T, sum (fun t => gamma t / 4 * bracket gamma C_bar v_min v_max omega alpha e L2n t * Ebar t) T
  <= W 0%nat - lowest + i * omega * v_max / alpha * gamma 0%nat * G 0%nat
     + l * (1 + 5 * omega) * v_max * sigma2n * sum gamma T.
Proof.
  intros e i l W G N Ebar gamma C_bar v_min v_max omega alpha L2n sigma2n lowest C (S1 & S2 & S3 & S4 & S5 & S6 & S7) A.
  intros. destruct (beta_choice alpha) as (b & B1 & B2 & B3 & B4); [nra |].
  apply all_rounds_flat with (N := N) (beta_1 := b); try tauto; auto.
Qed.

Print Assumptions theorem_1_B.
