(* Beyond Theorem 1, from Algorithm 2 to a linear rate under PL (LinearPL.v), where no projection is active, as in
   Free.v: the floor of noise is of order gamma. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondMessages Means Identities Propositions34 Laws Algorithm Geometry Draws Round FromAlgorithm.
Require Import Inside Instance Singular Variates Projected Any Seminorm Linear LinearPL AnyPL Free.
Import Algorithm.  (* one_round is the law of it *)
Open Scope R_scope.

Section FreePL.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variables sigma L : nat -> R.
Variables omega M C1 C2 v_min v_max lowest m step : R.
Hypothesis weights : distribution P.
Hypothesis start : starts_inside P.
Hypothesis steps : steps_positive P.
Hypothesis kept : keeps P.
Hypothesis inactive : lands_inside P.
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
Hypothesis bounded : forall theta, lowest <= f P theta + g P theta.
Hypothesis pulls : PL P B lowest m.
Notation omega_p := (omega_p P omega).
Notation sigma2_n := (sigma2_n P sigma).
Notation L2_n := (L2_n P L).
Hypothesis constant : forall t, gamma P (S t) = step.
Hypothesis compressed : 0 < omega_p.
Hypothesis remembered : 0 < alpha P <= 1 / (1 + omega_p).
Hypothesis moving : 0 < L2_n.
Notation C_half := (C_half M C1 C2).
Notation q := (sqrt (1 - alpha P)).
Notation y := (y P L omega step).
Definition left := step * (1 - C_half / v_min * step * (1 + 2 * y)).
Definition at_start := 2 * (1 + q) * omega_p / alpha P * C_half * step ^ 2.
Definition level := ((1 + omega_p) * (1 + 2 * y) + 2 * omega_p * ((1 + q) / q)) * (C_half * step ^ 2).
Definition rate := Rmax (1 - 2 * m * left) (1 - (1 - q) * (1 / 2 - y)).
Definition Psi h := W P h - lowest + at_start * G P h.
Notation mean_W t := (E (path P t) (W P)).
Notation mean_G t := (E (path P t) (G P)).
Notation mean_square t := (E (path P t) (error_square P)).
Notation mean_field t := (E (path P t) (seminorm P B)).

Lemma mean_Psi : forall t, E (path P t) Psi = mean_W t - lowest + at_start * mean_G t.
Proof. exact (Psi_in_mean P lowest at_start). Qed.
Lemma at_start_positive : 0 <= at_start.
Proof.
  pose proof (C_half_pos P B M C1 C2 a6_ii a7_i). pose proof (sqrt_pos (1 - alpha P)).
  pose proof (Rdiv_lt_0_compat _ _ compressed (proj1 remembered)).
  replace at_start with (2 * (1 + q) * (omega_p / alpha P) * (C_half * step ^ 2)) by (unfold at_start, Rdiv; ring).
  apply Rmult_le_pos; apply Rmult_le_pos; try apply pow2_ge_0; lra.
Qed.

Theorem free_pl_round : 0 <= left -> forall t,
  E (path P (S t)) Psi <= rate * E (path P t) Psi + level * sigma2_n.
Proof.
  intros enough t. rewrite !mean_Psi. destruct a7_ii as (v & _), pulls as (m0 & _).
  pose proof (C_half_pos P B M C1 C2 a6_ii a7_i) as c0.
  pose proof (steps t) as step0. rewrite constant in step0.
  pose proof (mean_step P B sigma omega M C1 C2 v_min v_max weights start kept inactive mm_1 mm_2 a3 a4 a5 a6_ii a7_i
    a7_ii a8_i t) as H1.
  pose proof (mean_noise P sigma omega weights a3 a4 a5 t) as H2.
  destruct (q_in P omega compressed remembered) as (b & b0 & qb & eb & al).
  pose proof (variates_at_most P sigma L omega weights a3 a4 a5 compressed remembered a6_i
    (free_stays P start kept inactive) t _ _ (Rle_refl _)
    (mean_moved P B sigma omega C1 C2 v_min v_max weights start kept inactive a3 a4 a5 a7_i a7_ii t)) as H3.
  rewrite eb in H3.
  pose proof (PL_in_mean P B lowest m t pulls (free_inside P start kept inactive t)) as H4.
  pose proof (mean_G_pos P t) as G0. pose proof (mean_G_pos P (S t)) as G1.
  pose proof (mean_square_pos P t) as N0. pose proof (sigma2_pos P sigma) as S2.
  pose proof (mean_in_B_pos P B (S t)) as E0.
  assert (gap : 0 <= mean_W t - lowest) by (pose proof (bounded_below P lowest bounded t); lra).
  apply Rle_trans with ((1 - 2 * m * left) * (mean_W t - lowest) + (1 - (1 - q) * (1 / 2 - y)) * (at_start * mean_G t)
    + level * sigma2_n).
  2: { apply Rplus_le_compat_r, slower_of_two; [exact gap |].
       apply Rmult_le_pos; [apply at_start_positive | exact G0]. }
  rewrite constant in H1, H3. cbn [pred] in H1, H3, E0.
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_pl_free_1 with (G_t := mean_G t) (G_t_1 := mean_G (S t)) (N_t_1 := mean_square t)
    (W_t_1 := mean_W (S t) - lowest) (W_t_min_W := mean_W t - lowest) (bar_C := C_half) (bar_E_t_1 := mean_field t)
    (beta_1 := b) (gamma_t_1 := step) (left := left) (m := m) (omega_p := omega_p) (tfrac_L_2_n := L2_n)
    (tfrac_sigma_2_n := sigma2_n) (v_min := v_min)]; try assumption; try lra.
  - unfold at_start, level, LinearPL.y. rewrite qb, al. pose proof (Rmult_lt_0_compat b (b + 2)). field.
    repeat split; lra.
  - eapply Rle_trans; [apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ H3))) | right]. field.
    repeat split; lra.
  - unfold left, LinearPL.y. rewrite qb. field. repeat split; lra.
Qed.

(* own-pl-free. *)
Theorem free_pl : 0 <= left -> forall T,
  E (path P T) Psi <= rate ^ T * E (path P 0) Psi + level * sigma2_n * sum (fun t => rate ^ pred t) T.
Proof.
  intro enough. apply (every_round (fun t => E (path P t) Psi)); [| exact (free_pl_round enough)].
  apply Rle_trans with (1 - (1 - q) * (1 / 2 - y)); [| apply Rmax_r].
  exact (kept_positive P omega compressed remembered y (y_positive P L omega step compressed remembered moving)).
Qed.
End FreePL.

(* Beyond what Free.v has of its line: PL with m = 1, B(s) = 1, and the condition on the step. *)
Theorem free_pl_hypotheses_hold : PL quiet B_of 0 1 /\ 0 < L2_n quiet (fun _ => 1) /\
  0 <= left quiet (fun _ => 1) (/ 4) 1 1 1 1 (/ 100).
Proof.
  split; [apply pl_hypotheses_hold |]. split; [unfold L2_n, slopes; cbn; lra |].
  assert (Q : sqrt (1 - alpha quiet) <= 7 / 8).
  { rewrite <- (sqrt_Rsqr (7 / 8)) by lra. apply sqrt_le_1_alt. unfold Rsqr. cbn. lra. }
  assert (far : (1 / 8) ^ 2 <= (1 - sqrt (1 - alpha quiet)) ^ 2) by (apply pow_incr; lra).
  apply Rinv_le_contravar in far; [| lra]. assert (o : omega_p quiet (/ 4) = / 4) by (unfold omega_p; cbn; field).
  unfold left, Projected.C_half, LinearPL.y, Rdiv. rewrite o. unfold L2_n, slopes. cbn [sum n mu quiet example]. lra.
Qed.

Definition together := (free_pl_round, free_pl, free_pl_hypotheses_hold).
Print Assumptions together.
