(* Beyond Theorem 1, from Algorithm 2 to a linear rate under PL (LinearPL.v), with the maps of Any.v: A8 (ii) does not
   enter. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondTheorem BeyondMessages Means Identities Proposition2 Propositions34 Laws Algorithm.
Require Import Geometry Draws Round FromAlgorithm Inside Instance Singular Variates Seminorm Nearer Linear LinearPL Any.
Import Algorithm.  (* one_round is the law of it *)
Open Scope R_scope.

Lemma PL_in_mean : forall P B lowest m t, PL P B lowest m ->
  (forall h, possible (path P t) h -> calS P (Shat (after P h))) ->
  2 * m * (E (path P t) (W P) - lowest) <= E (path P t) (seminorm P B).
Proof.
  intros P B lowest m t (_ & pl) inside.
  apply Rle_trans with (E (path P t) (fun h => 2 * m * W P h + - (2 * m * lowest) * 1)).
  - right. rewrite mean_add, !mean_scal, mean_one. ring.
  - apply E_le. intros h I. specialize (pl _ (inside h I)). unfold W, seminorm. lra.
Qed.

Section AnyPL.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variables sigma L : nat -> R.
Variables omega M C1 C2 v_min v_max step : R.
Hypothesis weights : distribution P.
Hypothesis start : starts_inside P.
Hypothesis steps : steps_positive P.
Hypothesis projection : nearer P.
Hypothesis mm_1 : MM_1 P.
Hypothesis values : MM_1_values P.
Hypothesis mm_2 : MM_2 P.
Hypothesis a3 : A3 P sigma.
Hypothesis a4 : A4 P omega.
Hypothesis a5 : A5 P.
Hypothesis a6_i : A6_i P L.
Hypothesis a6_ii : A6_ii P M.
Hypothesis a7_i : A7_i P B C1 C2.
Hypothesis a7_ii : A7_ii P B v_min v_max.
Hypothesis a8_i : A8_i P.
Hypothesis constant : forall t, gamma P (S t) = step.
Hypothesis short : step <= 1.
Hypothesis small : step <= v_min / (2 * (C2 / 2 + C1 * M)).

(* In the mean over all paths. *)
Variables lowest m : R.
Hypothesis bounded : forall theta, lowest <= f P theta + g P theta.
Hypothesis pulls : PL P B lowest m.
Notation omega_p := (omega_p P omega).
Notation sigma2_n := (sigma2_n P sigma).
Notation L2_n := (L2_n P L).
Hypothesis compressed : 0 < omega_p.
Hypothesis remembered : 0 < alpha P <= 1 / (1 + omega_p).
Hypothesis moving : 0 < L2_n.
Notation q := (sqrt (1 - alpha P)).
Notation y := (y P L omega step).
Definition left := step / 2 * (1 - 2 * y * v_max / v_min).
Definition at_start := (1 + q) * omega_p / alpha P * v_max * step.
Definition level := ((1 + omega_p) * (1 + 2 * y) + 2 * omega_p * ((1 + q) / q)) * (step / 2 * v_max).
Definition rate := Rmax (1 - 2 * m * left) (1 - (1 - q) * (1 / 2 - y)).
Definition Psi h := W P h - lowest + at_start * G P h.
Notation mean_W t := (E (path P t) (W P)).
Notation mean_G t := (E (path P t) (G P)).
Notation mean_square t := (E (path P t) (error_square P)).
Notation mean_field t := (E (path P t) (seminorm P B)).

Lemma positive_step : 0 < step.
Proof. rewrite <- (constant 0%nat). apply steps. Qed.
Lemma one_step : forall t,
  mean_W (S t) <= mean_W t - step / 2 * mean_field t + step / 2 * v_max * mean_square t.
Proof.
  intro t. pose proof (Any.mean_step P B M C1 C2 v_min v_max weights start steps projection mm_1 values mm_2 a6_ii
    a7_i a7_ii a8_i ltac:(intro; rewrite constant; exact short) ltac:(intro; rewrite constant; exact small) t) as Q.
  rewrite constant in Q. exact Q.
Qed.
Lemma mean_PL : forall t, 2 * m * (mean_W t - lowest) <= mean_field t.
Proof. intro t. apply (PL_in_mean P B lowest m t pulls), (inside_now P start projection). Qed.
Lemma mean_Psi : forall t, E (path P t) Psi = mean_W t - lowest + at_start * mean_G t.
Proof. exact (Psi_in_mean P lowest at_start). Qed.
Lemma at_start_positive : 0 <= at_start.
Proof.
  destruct a7_ii as (v & _). pose proof positive_step. pose proof (sqrt_pos (1 - alpha P)).
  pose proof (Rdiv_lt_0_compat _ _ compressed (proj1 remembered)).
  replace at_start with ((1 + q) * (omega_p / alpha P) * (v_max * step)) by (unfold at_start, Rdiv; ring).
  apply Rmult_le_pos; [apply Rmult_le_pos | apply Rmult_le_pos]; lra.
Qed.

Theorem any_pl_round : 0 <= left -> forall t,
  E (path P (S t)) Psi <= rate * E (path P t) Psi + level * sigma2_n.
Proof.
  intros enough t. rewrite !mean_Psi. destruct a7_ii as (v & _), pulls as (m0 & _). pose proof positive_step as step0.
  pose proof (one_step t) as H1. pose proof (mean_noise P sigma omega weights a3 a4 a5 t) as H2.
  destruct (q_in P omega compressed remembered) as (b & b0 & qb & eb & al).
  pose proof (variates_at_most P sigma L omega weights a3 a4 a5 compressed remembered a6_i
    (Nearer.inside_always P start projection) t _ _ (Rle_refl _)
    (Any.mean_moved P B sigma omega C1 C2 v_min v_max weights start projection a3 a4 a5 a7_i a7_ii t)) as H3.
  rewrite eb, constant in H3. cbn [pred] in H3.
  pose proof (mean_PL t) as H4. pose proof (mean_G_pos P t) as G0. pose proof (mean_G_pos P (S t)) as G1.
  pose proof (mean_square_pos P t) as N0. pose proof (sigma2_pos P sigma) as S2.
  assert (E0 : 0 <= mean_field t) by (apply mean_pos; intro; apply pow2_ge_0).
  assert (gap : 0 <= mean_W t - lowest) by (pose proof (bounded_below P lowest bounded t); lra).
  apply Rle_trans with ((1 - 2 * m * left) * (mean_W t - lowest) + (1 - (1 - q) * (1 / 2 - y)) * (at_start * mean_G t)
    + level * sigma2_n).
  2: { apply Rplus_le_compat_r, slower_of_two; [exact gap |].
       apply Rmult_le_pos; [apply at_start_positive | exact G0]. }
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_pl_1 with (G_t := mean_G t) (G_t_1 := mean_G (S t)) (N_t_1 := mean_square t)
    (W_t_1 := mean_W (S t) - lowest) (W_t_min_W := mean_W t - lowest) (bar_E_t_1 := mean_field t) (beta_1 := b)
    (gamma_t_1 := step) (left := left) (m := m) (omega_p := omega_p) (tfrac_L_2_n := L2_n)
    (tfrac_sigma_2_n := sigma2_n) (v_max := v_max) (v_min := v_min)]; try assumption; try lra.
  - unfold at_start, level, LinearPL.y. rewrite qb, al. pose proof (Rmult_lt_0_compat b (b + 2)). field.
    repeat split; lra.
  - eapply Rle_trans; [apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ H3))) | right]. field.
    repeat split; lra.
  - unfold left, LinearPL.y. rewrite qb. field. repeat split; lra.
Qed.

(* own-pl. *)
Theorem any_pl : 0 <= left -> forall T,
  E (path P T) Psi <= rate ^ T * E (path P 0) Psi + level * sigma2_n * sum (fun t => rate ^ pred t) T.
Proof.
  intro enough. apply (every_round (fun t => E (path P t) Psi)); [| exact (any_pl_round enough)].
  apply Rle_trans with (1 - (1 - q) * (1 / 2 - y)); [| apply Rmax_r].
  exact (kept_positive P omega compressed remembered y (y_positive P L omega step compressed remembered moving)).
Qed.
End AnyPL.

(* Beyond what Instance.v, Any.v and LinearPL.v have of the line: the conditions on the step; C_bar = 3 / 2. *)
Theorem any_hypotheses_hold : / 100 <= 1 / (2 * (1 / 2 + 1 * 1)) /\ 0 <= left example (fun _ => 1) 1 1 1 (/ 100).
Proof. split; [lra |]. pose proof y_small. unfold left. lra. Qed.

Definition together := (any_pl_round, any_pl, any_hypotheses_hold).
Print Assumptions together.
