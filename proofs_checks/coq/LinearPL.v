(* Beyond Theorem 1, from Algorithm 2 to a linear rate: what Projected.v assumes, a constant step, and
   |h(s)|_{B(s)}^2 >= 2 m (W(T(s)) - min W) on S, the condition of Polyak and Lojasiewicz. Of L^2/n, a bound in A6 (i),
   it is asked that it is positive. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondMessages Means Identities Propositions34 Laws Algorithm Geometry Draws Round FromAlgorithm.
Require Import Inside Instance ProjectedStep Variates Projected Linear.
Open Scope R_scope.

(* min W is `lowest`: the best bound below. *)
Definition PL (P : problem) (B : vec P -> vec P -> vec P) lowest m := 0 < m /\ forall s, calS P s ->
  2 * m * (f P (map P s) + g P (map P s) - lowest) <= norm_in (B s) (field P s) ^ 2.

Lemma Psi_in_mean : forall P lowest c t, E (path P t) (fun h => W P h - lowest + c * G P h)
  = E (path P t) (W P) - lowest + c * E (path P t) (G P).
Proof.
  intros P lowest c t. transitivity (E (path P t) (fun h => W P h + - lowest * 1 + c * G P h)).
  - apply mean_ext. intro h. ring.
  - rewrite !mean_add, !mean_scal, mean_one. ring.
Qed.

Section Growth.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variables sigma L : nat -> R.
Variables omega M C1 C2 v_min v_max lowest m step : R.
Hypothesis weights : distribution P.
Hypothesis start : starts_inside P.
Hypothesis steps : steps_positive P.
Hypothesis argmin : line_599 P.
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
Hypothesis a8_ii : A8_ii P B.
Hypothesis bounded : forall theta, lowest <= f P theta + g P theta.
Hypothesis pulls : PL P B lowest m.
Notation omega_p := (omega_p P omega).
Notation sigma2_n := (sigma2_n P sigma).
Notation L2_n := (L2_n P L).
Hypothesis constant : forall t, gamma P (S t) = step.
Hypothesis short : step <= 1 / 2.
Hypothesis compressed : 0 < omega_p.
Hypothesis remembered : 0 < alpha P <= 1 / (1 + omega_p).
Hypothesis moving : 0 < L2_n.

(* C_bar = C2 / 2 + C1 M, and c = C_bar / v_min. *)
Notation C_half := (C_half M C1 C2).
Notation c := (C_half / v_min).
Notation q := (sqrt (1 - alpha P)).
Notation eta := (/ q - 1).
Definition y := omega_p * L2_n * step ^ 2 / (1 - q) ^ 2.
Definition left := step * (1 - c * step) - (1 + 2 * c) * (v_max / v_min) * y * step ^ 2.
Definition at_start := 2 * (1 + q) * (1 / 2 + c) * omega_p / alpha P * v_max * step ^ 2.
Definition level := ((1 + omega_p) * (1 + 2 * (y * v_max / v_min)) + 2 * omega_p * ((1 + q) / q))
  * ((1 / 2 + c) * v_max * step ^ 2).
Definition rate := Rmax (1 - 2 * m * left) (1 - (1 - q) * (1 / 2 - y * v_max / v_min)).
Definition Psi h := W P h - lowest + at_start * G P h.
Notation mean_W t := (E (path P t) (W P)).
Notation mean_G t := (E (path P t) (G P)).

Lemma short_steps : forall t, gamma P (S t) <= 1 / 2.
Proof. intro t. rewrite constant. exact short. Qed.
Lemma mean_PL : forall t, 2 * m * (mean_W t - lowest) <= mean_error P (S t).
Proof.
  intro t. destruct pulls as (_ & pl).
  apply Rle_trans with (E (path P t) (fun h => 2 * m * W P h + - (2 * m * lowest) * 1)).
  - right. rewrite mean_add, !mean_scal, mean_one. ring.
  - apply E_le. intros h I.
    pose proof (inside_s P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h I) as In.
    rewrite (error_is_field P B C1 C2 v_min v_max weights start steps argmin values a7_i a7_ii a8_i a8_ii short_steps
      t h I), (a8_ii t h I). specialize (pl _ In). unfold W. lra.
Qed.
Lemma q_in : exists b, 0 < b /\ q = / (1 + b) /\ eta = b /\ alpha P = 1 - / (1 + b) ^ 2.
Proof.
  destruct (q_is P omega compressed remembered) as (Q & _ & E0 & _ & al & _). exists eta.
  split; [exact E0 |]. split; [| split; [reflexivity | exact al]]. replace (1 + (/ q - 1)) with (/ q) by ring.
  rewrite Rinv_inv. reflexivity.
Qed.
Lemma q_below : 0 < 1 - q.
Proof.
  destruct q_in as (b & b0 & qb & _). rewrite qb. assert (/ (1 + b) < / 1) by (apply Rinv_lt_contravar; lra). lra.
Qed.
Lemma y_positive : 0 <= y.
Proof.
  unfold y. apply Rmult_le_pos; [| apply Rlt_le, Rinv_0_lt_compat, pow_lt; exact q_below].
  apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply pow2_ge_0].
Qed.
Lemma kept_positive : forall z, 0 <= z -> 0 <= 1 - (1 - q) * (1 / 2 - z).
Proof.
  intros z z0. pose proof (sqrt_pos (1 - alpha P)). apply (Rmult_le_compat_l (1 - q)) in z0; [lra |].
  apply Rlt_le, q_below.
Qed.
Lemma mean_Psi : forall t, E (path P t) Psi = mean_W t - lowest + at_start * mean_G t.
Proof. exact (Psi_in_mean P lowest at_start). Qed.

Lemma at_start_positive : 0 <= at_start.
Proof.
  destruct a7_ii as (v & _). pose proof (C_half_pos P B M C1 C2 a6_ii a7_i) as c0.
  pose proof (Rdiv_lt_0_compat _ _ c0 (proj1 v)). pose proof (Rdiv_lt_0_compat _ _ compressed (proj1 remembered)).
  pose proof (sqrt_pos (1 - alpha P)). assert (0 <= (1 + q) * (1 / 2 + c)) by (apply Rmult_le_pos; lra).
  assert (0 <= omega_p / alpha P * v_max) by (apply Rmult_le_pos; lra).
  replace at_start with (2 * ((1 + q) * (1 / 2 + c)) * (omega_p / alpha P * v_max) * step ^ 2)
    by (unfold at_start, Rdiv; ring).
  apply Rmult_le_pos; [apply Rmult_le_pos; [lra | assumption] | apply pow2_ge_0].
Qed.

Theorem pl_round : 0 <= left -> forall t,
  E (path P (S t)) Psi <= rate * E (path P t) Psi + level * sigma2_n.
Proof.
  intros enough t. rewrite !mean_Psi. destruct a7_ii as (v & _), pulls as (m0 & _).
  pose proof (C_half_pos P B M C1 C2 a6_ii a7_i) as c0.
  pose proof (steps t) as step0. rewrite constant in step0.
  pose proof (mean_step P B sigma omega M C1 C2 v_min v_max weights start steps argmin mm_1 values mm_2 a3 a4 a5 a6_ii
    a7_i a7_ii a8_i a8_ii short_steps t) as H1.
  pose proof (mean_noise P sigma omega weights a3 a4 a5 t) as H2.
  destruct q_in as (b & b0 & qb & eb & al).
  pose proof (variates_at_most P sigma L omega weights a3 a4 a5 compressed remembered a6_i
    (inside_always P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii) t _ _ (Rle_refl _)
    (mean_moved P B sigma omega C1 C2 v_min v_max weights start steps argmin values a3 a4 a5 a7_i a7_ii a8_i a8_ii
      short_steps t)) as H3. rewrite eb in H3.
  pose proof (mean_PL t) as H4. pose proof (mean_G_pos P t) as G0. pose proof (mean_G_pos P (S t)) as G1.
  pose proof (mean_square_pos P t) as N0. pose proof (mean_error_pos P steps (S t)) as E1.
  pose proof (sigma2_pos P sigma) as S2.
  assert (gap : 0 <= mean_W t - lowest).
  { pose proof (bounded_below P lowest bounded t). lra. }
  apply Rle_trans with ((1 - 2 * m * left) * (mean_W t - lowest)
    + (1 - (1 - q) * (1 / 2 - y * v_max / v_min)) * (at_start * mean_G t) + level * sigma2_n).
  2: { apply Rplus_le_compat_r, slower_of_two; [exact gap |].
       apply Rmult_le_pos; [apply at_start_positive | exact G0]. }
  rewrite constant in H1, H3.
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_pl_projected_1 with (G_t := mean_G t) (G_t_1 := mean_G (S t))
    (N_t_1 := E (path P t) (error_square P)) (W_t_1 := mean_W (S t) - lowest) (W_t_min_W := mean_W t - lowest)
    (bar_C := C_half) (bar_E_t_1 := mean_error P (S t)) (beta_1 := b) (gamma_t_1 := step) (left := left) (m := m)
    (omega_p := omega_p) (tfrac_L_2_n := L2_n) (tfrac_sigma_2_n := sigma2_n) (v_max := v_max) (v_min := v_min)];
    try assumption; try lra.
  - unfold at_start, level, y. rewrite qb, al. pose proof (Rmult_lt_0_compat b (b + 2)). field. repeat split; lra.
  - unfold k in H1. lra.
  - eapply Rle_trans; [apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ H3))) | right]. field.
    repeat split; lra.
  - unfold left, y. rewrite qb. field. repeat split; lra.
Qed.

(* own-pl-projected. *)
Theorem pl_projected : 0 <= left -> forall T,
  E (path P T) Psi <= rate ^ T * E (path P 0) Psi + level * sigma2_n * sum (fun t => rate ^ pred t) T.
Proof.
  intro enough. apply (every_round (fun t => E (path P t) Psi)); [| exact (pl_round enough)].
  apply Rle_trans with (1 - (1 - q) * (1 / 2 - y * v_max / v_min)); [| apply Rmax_r].
  destruct a7_ii as (v & _). apply kept_positive. pose proof y_positive.
  apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply Rlt_le, Rinv_0_lt_compat; lra].
Qed.
End Growth.

(* Beyond what Instance.v has of its line: PL with m = 1, B(s) = 1, and the condition on the step. *)
Lemma y_small : y example (fun _ => 1) 1 (/ 100) <= 1 / 100.
Proof.
  assert (Q : sqrt (1 - alpha example) <= 7 / 8).
  { rewrite <- (sqrt_Rsqr (7 / 8)) by lra. apply sqrt_le_1_alt. unfold Rsqr. cbn. lra. }
  assert (far : (1 / 8) ^ 2 <= (1 - sqrt (1 - alpha example)) ^ 2) by (apply pow_incr; lra).
  apply Rinv_le_contravar in far; [| lra]. assert (o : omega_p example 1 = 3) by (unfold omega_p; cbn; field).
  unfold y, Rdiv. rewrite o. unfold L2_n, slopes. cbn [sum n mu example]. lra.
Qed.
Theorem pl_hypotheses_hold : PL example B_of 0 1 /\ (forall t, gamma example (S t) = / 100) /\ / 100 <= 1 / 2 /\
  0 < L2_n example (fun _ => 1) /\ 0 <= left example (fun _ => 1) 1 1 1 1 1 1 (/ 100).
Proof.
  split.
  - split; [lra |]. intros s _. rewrite (norm_in_square line (B_of s)).
    + unfold field. rewrite mean_line. unfold minus, B_of. cbn. lra.
    + intro u. apply Rle_0_sqr.
  - split; [reflexivity |]. split; [lra |]. split; [unfold L2_n, slopes; cbn; lra |].
    pose proof y_small. unfold left, C_half. lra.
Qed.

Definition together := (pl_round, pl_projected, pl_hypotheses_hold).
Print Assumptions together.
