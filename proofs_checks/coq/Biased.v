(* EF21-MM, beyond Theorem 1, from the algorithm to the bounds over T rounds. One round is in BiasedStep.v; full
   expectations are those of FromAlgorithm.v, and nothing else is assumed in between. Oracles are exact, or noisy as in
   A3. Neither A4 nor A8 (ii) is used, and agents draw independently only because Algorithm.v says so. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondMessages Means Identities Laws Algorithm Geometry FromAlgorithm Inside Instance.
Require Import Singular Nearer BiasedStep.
Open Scope R_scope.

Section Biased.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variable L : nat -> R.
Variables a M C1 C2 v_min v_max lowest : R.
(* The data of the algorithm. *)
Hypothesis weights : distribution P.
Hypothesis start : starts_inside P.
Hypothesis steps : steps_positive P.
Hypothesis projection : nearer P.
(* MM-1 with the values of Sbar, MM-2, contractions for A4, A5 to A8 (i), and that f + g is bounded below. *)
Hypothesis mm_1 : MM_1 P.
Hypothesis values : MM_1_values P.
Hypothesis mm_2 : MM_2 P.
Hypothesis contracts : contraction P a.
Hypothesis a5 : A5 P.
Hypothesis a6_i : A6_i P L.
Hypothesis a6_ii : A6_ii P M.
Hypothesis a7_i : A7_i P B C1 C2.
Hypothesis a7_ii : A7_ii P B v_min v_max.
Hypothesis a8_i : A8_i P.
Hypothesis bounded : forall theta, lowest <= f P theta + g P theta.
Notation gamma_1 t := (gamma P (S t)).  (* gamma_{t+1} *)
Hypothesis short : forall t, gamma_1 t <= 1.

Notation C_half := (C2 / 2 + C1 * M).
Notation L2 := (weighted P (fun i => L i ^ 2)).
Notation at_point h := (Shat (ef21 P h)).
(* E[W_t], E[G_t], E|h(Shat_{t-1})|^2 in the norm of B_{t-1}, and sum_i mu_i E|V_{0,i} - h_i(Shat_0)|^2. *)
Definition mean_W t := E (path P t) (fun h => value P (at_point h)).
Definition mean_G t := E (path P t) (G_ef21 P).
Definition mean_field t := E (path P (pred t)) (fun h => norm_in (B (at_point h)) (field P (at_point h)) ^ 2).
Definition start_variates :=
  weighted P (fun i => E (initial P) (fun x => norm (snd x i [-] field_of P i (fst x)) ^ 2)).
(* The condition on a step, r = 1 without PL; and PL. *)
Definition admits q r step :=
  0 <= 1 - 2 * C_half / v_min * step - (q / (r - q)) ^ 2 * (v_max / v_min) * L2 * step ^ 2.
Definition PL m := forall s, calS P s -> 2 * m * (value P s - lowest) <= norm_in (B s) (field P s) ^ 2.
Notation mean_kept t := (E (path P t) (kept_error P)).
Notation mean_move t := (E (path P t) (moved_square P)).

Lemma C_half_pos : 0 < C_half.
Proof. destruct a7_i as (c1 & c2 & _), a6_ii as (m & _). pose proof (Rmult_le_pos C1 M ltac:(lra) m). lra. Qed.
Lemma gap_at_start : initial_gap P lowest = mean_W 0 - lowest.
Proof. rewrite gap_is. unfold mean_W. cbn [path]. rewrite !mean_next. reflexivity. Qed.
Lemma variates_at_start : start_variates = mean_G 0.
Proof.
  unfold mean_G. cbn [path]. rewrite mean_next. unfold start_variates, weighted.
  transitivity (E (initial P) (fun x => sum (fun i => mu P i * norm (snd x i [-] field_of P i (fst x)) ^ 2) (n P))).
  - rewrite mean_sum. apply sum_ext. intro i. symmetry. apply (mean_scal _ _ (mu P i)).
  - apply mean_ext. intro x. rewrite mean_sure. reflexivity.
Qed.

(* In the mean over all paths. *)
Lemma mean_step : forall t, mean_W (S t) <= mean_W t - gamma_1 t / 2 * mean_field (S t)
  - (v_min / (2 * gamma_1 t) - C_half) * mean_move t + gamma_1 t / 2 * v_max * mean_kept t.
Proof.
  intro t. pose proof (steps t) as Z. destruct a7_ii as (v & _). unfold mean_W at 1. rewrite one_more.
  apply Rle_trans with (E (path P t) (fun h => 1 * value P (at_point h)
    + - (gamma_1 t / 2) * norm_in (B (at_point h)) (field P (at_point h)) ^ 2
    + (- (v_min / (2 * gamma_1 t) - C_half) * moved_square P h + gamma_1 t / 2 * v_max * kept_error P h))).
  - apply E_le. intros h I. pose proof (rounds_of_path P t h I) as R.
    assert (direction_error P h <= kept_error P h) as J by (apply jensen; exact weights).
    apply (Rmult_le_compat_l (gamma_1 t / 2 * v_max)) in J; [| apply Rmult_le_pos; lra].
    apply Rle_trans with (1 * value P (at_point h)
      + - (gamma_1 t / 2) * norm_in (B (at_point h)) (field P (at_point h)) ^ 2
      + (- (v_min / (2 * gamma_1 t) - C_half) * moved_square P h + gamma_1 t / 2 * v_max * direction_error P h));
      [| lra].
    unfold moved_square, direction_error. rewrite <- (mean_const _ (under (one_round P h)) (1 * _ + _)),
      <- !mean_scal, <- !mean_add. apply mean_le. intro w.
    pose proof (kept_move P B C1 C2 v_min v_max weights mm_1 values mm_2 a7_i a7_ii a8_i projection h (at_point h)
      (V_server (ef21 P (followed h w))) (gamma_1 t) (inside_ef21 P start projection t h I)
      ltac:(pose proof (short t); lra) M a6_ii) as Q. cbv zeta in Q. cbn [ef21 ef21_step Shat V_server] in *. rewrite R. lra.
  - rewrite (mean_add _ _ (fun h => 1 * _ + _)), !(mean_add _ _ (fun h => _ * _)), !mean_scal.
    unfold mean_W, mean_field. cbn [pred]. lra.
Qed.
Lemma mean_follows : forall b, 0 < b -> forall t,
  mean_G (S t) <= (1 + b) * mean_kept t + (1 + 1 / b) * L2 * mean_move t.
Proof.
  intros b b0 t. unfold mean_G. rewrite one_more, <- !mean_scal, <- mean_add. apply E_le. intros h I.
  exact (follows P weights h t I start projection L a6_i b b0).
Qed.
Lemma mean_exact : exact_oracles P -> forall t, mean_kept t <= (1 - p P * a) * mean_G t + 0.
Proof.
  intros exact_all t. rewrite Rplus_0_r. unfold mean_G. rewrite <- mean_scal. apply E_le. intros h I.
  exact (kept_error_exact P weights a5 h a contracts t I exact_all).
Qed.
Notation nu sigma eta := (p P * ((1 + eta) * (1 - a) + 1 + 1 / eta) * weighted P (fun i => sigma i ^ 2)).
Lemma mean_noisy : forall sigma, noisy_oracles P sigma -> forall eta, 0 < eta -> forall t,
  mean_kept t <= (1 + eta) * (1 - p P * a) * mean_G t + nu sigma eta.
Proof.
  intros sigma noisy eta e0 t. rewrite <- (mean_const _ (under (path P t)) (nu _ _)). unfold mean_G.
  rewrite <- mean_scal, <- mean_add. apply E_le. intros h I. rewrite Rmult_1_r.
  exact (kept_error_noisy P weights a5 h a contracts t I sigma eta noisy e0).
Qed.
Lemma mean_PL : forall m, PL m -> forall t, 2 * m * (mean_W t - lowest) <= mean_field (S t).
Proof.
  intros m pl t. replace (2 * m * (mean_W t - lowest)) with (2 * m * mean_W t + - (2 * m * lowest)) by ring.
  unfold mean_W, mean_field. cbn [pred]. rewrite <- mean_scal, <- (mean_const _ (under (path P t)) (- _)), <- mean_add.
  apply E_le. intros h I. pose proof (pl _ (inside_ef21 P start projection t h I)). lra.
Qed.
Lemma mean_G_pos : forall t, 0 <= mean_G t.
Proof. intro t. apply mean_pos. intro. apply weighted_pos; [exact weights |]. intro. apply pow2_ge_0. Qed.
Lemma mean_kept_pos : forall t, 0 <= mean_kept t.
Proof.
  intro t. apply mean_pos. intro. apply mean_pos. intro. apply weighted_pos; [exact weights |]. intro. apply pow2_ge_0.
Qed.
Lemma mean_move_pos : forall t, 0 <= mean_move t.
Proof. intro t. apply mean_pos. intro. apply mean_pos. intro. apply pow2_ge_0. Qed.
Lemma mean_field_pos : forall t, 0 <= mean_field t.
Proof. intro t. apply mean_pos. intro. apply pow2_ge_0. Qed.
Lemma L2_pos : 0 <= L2.
Proof. apply weighted_pos; [exact weights |]. intro. apply pow2_ge_0. Qed.

(* One round, beta = r / q. Where q = 0 no weight is left on G. *)
Section Round.
Variables q nu : R.
Hypothesis q0 : 0 <= q.
Hypothesis nu0 : 0 <= nu.
Hypothesis received : forall t, mean_kept t <= q ^ 2 * mean_G t + nu.
Notation weight r := (v_max * q ^ 2 / (2 * r * (r - q))).
Notation level r := (v_max * r / (2 * (r - q))).

Lemma nothing_lost : q = 0 -> forall r t, admits q r (gamma_1 t) ->
  mean_W (S t) <= mean_W t - gamma_1 t / 2 * mean_field (S t) + gamma_1 t / 2 * v_max * nu.
Proof.
  intros z r t ok. pose proof (mean_step t) as Q. pose proof (received t) as N. pose proof (steps t) as Z.
  destruct a7_ii as (v & _). unfold admits in ok. rewrite z in *. unfold Rdiv in ok at 2.
  assert (A : 0 <= v_min / (2 * gamma_1 t) - C_half).
  { replace (v_min / (2 * gamma_1 t) - C_half) with (v_min / (2 * gamma_1 t) * (1 - 2 * C_half / v_min * gamma_1 t))
      by (field; lra). apply Rmult_le_pos; [apply Rlt_le, Rdiv_lt_0_compat |]; lra. }
  pose proof (Rmult_le_pos _ _ A (mean_move_pos t)).
  apply (Rmult_le_compat_l (gamma_1 t / 2 * v_max)) in N; [| apply Rmult_le_pos; lra]. lra.
Qed.

Lemma rate_round : q < 1 -> forall t before, gamma_1 t <= before -> admits q 1 (gamma_1 t) ->
  mean_W (S t) + weight 1 * gamma_1 t * mean_G (S t) + gamma_1 t / 2 * mean_field (S t)
  <= mean_W t + weight 1 * before * mean_G t + level 1 * nu * gamma_1 t.
Proof.
  intros q1 t before down ok. pose proof (steps t) as Z. destruct a7_ii as (v & _).
  destruct (Rle_lt_or_eq_dec 0 q q0) as [q_pos | z].
  2: { pose proof (nothing_lost (eq_sym z) 1 t ok). rewrite <- z in *.
    replace (v_max * 0 ^ 2 / (2 * 1 * (1 - 0))) with 0 by field. replace (v_max * 1 / (2 * (1 - 0))) with (v_max / 2)
      by field. lra. }
  pose (b := / q - 1). assert (b0 : 0 < b).
  { unfold b. apply Rlt_Rminus. rewrite <- Rinv_1 at 1. apply Rinv_lt_contravar; lra. }
  assert (bq : q = / (1 + b)) by (unfold b; field; lra).
  pose proof (mean_step t) as H1. replace (v_min / (2 * gamma_1 t)) with (1 / 2 * v_min * / gamma_1 t) in H1
    by (field; lra).
  pose proof (received t) as H2. pose proof (mean_follows b b0 t) as H3.
  replace (1 + 1 / b) with (/ b * (1 + b)) in H3 by (field; lra).
  unfold admits in ok. clearbody b. rewrite bq in *. rewrite pow_inv in H2.
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_biased_1 with (E_Delta_s_2 := mean_move t) (G_t := mean_G t) (G_t_1 := mean_G (S t))
    (N_t_1 := mean_kept t) (W_t := mean_W t) (W_t_1 := mean_W (S t)) (bar_C := C_half) (bar_E_t_1 := mean_field (S t))
    (beta_1 := b) (gamma_t := before) (gamma_t_1 := gamma_1 t) (nu := nu) (tilde_L_2 := L2) (v_max := v_max)
    (v_min := v_min)];
    try apply mean_G_pos; try apply mean_kept_pos; try apply mean_move_pos; try apply mean_field_pos; try apply L2_pos;
    try apply C_half_pos; try lra.
  - field. lra.
  - eapply Rle_trans; [exact ok | right]. field. lra.
Qed.

Lemma linear_round : forall m t, PL m -> forall r, r = sqrt (1 - gamma_1 t * m) -> q < r -> admits q r (gamma_1 t) ->
  mean_W (S t) - lowest + weight r * gamma_1 t * mean_G (S t)
  <= (1 - gamma_1 t * m) * (mean_W t - lowest + weight r * gamma_1 t * mean_G t) + level r * nu * gamma_1 t.
Proof.
  intros m t pl r root more ok. pose proof (steps t) as Z. destruct a7_ii as (v & _).
  pose proof (mean_PL m pl t) as H4.
  assert (r2 : 1 - gamma_1 t * m = r ^ 2).
  { rewrite root in *. destruct (Rle_or_lt 0 (1 - gamma_1 t * m)) as [A | A]; [symmetry; apply pow2_sqrt, A |].
    rewrite (sqrt_neg_0 _) in more; lra. }
  assert (mr : m = (1 - r ^ 2) / gamma_1 t) by (rewrite <- r2; field; lra).
  destruct (Rle_lt_or_eq_dec 0 q q0) as [q_pos | z].
  2: { pose proof (nothing_lost (eq_sym z) r t ok). rewrite <- z in *.
    replace (v_max * 0 ^ 2 / (2 * r * (r - 0))) with 0 by (field; lra).
    replace (v_max * r / (2 * (r - 0))) with (v_max / 2) by (field; lra).
    apply (Rmult_le_compat_l (gamma_1 t / 2)) in H4; lra. }
  rewrite r2. pose (b := r / q - 1). assert (b0 : 0 < b).
  { unfold b. apply Rlt_Rminus. apply Rmult_lt_reg_r with q; [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (bq : r = q * (1 + b)) by (unfold b; field; lra).
  pose proof (mean_step t) as H1. replace (v_min / (2 * gamma_1 t)) with (1 / 2 * v_min * / gamma_1 t) in H1
    by (field; lra).
  pose proof (received t) as H2. pose proof (mean_follows b b0 t) as H3.
  replace (1 + 1 / b) with (/ b * (1 + b)) in H3 by (field; lra).
  unfold admits in ok. clearbody b. clear root r2. subst r. rewrite mr in H4.
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_biased_linear_1 with (E_Delta_s_2 := mean_move t) (G_t := mean_G t)
    (G_t_1 := mean_G (S t)) (N_t_1 := mean_kept t) (W_t := mean_W t - lowest) (W_t_1 := mean_W (S t) - lowest)
    (bar_C := C_half) (bar_E_t_1 := mean_field (S t)) (beta_1 := b) (gamma_t_1 := gamma_1 t) (nu := nu) (q := q)
    (tilde_L_2 := L2) (v_max := v_max) (v_min := v_min)];
    try apply mean_G_pos; try apply mean_kept_pos; try apply mean_move_pos; try apply mean_field_pos; try apply L2_pos;
    try apply C_half_pos; try lra.
  - field. lra.
  - eapply Rle_trans; [exact ok | right]. field. lra.
Qed.

Lemma rate : q < 1 -> (forall t, gamma_1 (S t) <= gamma_1 t) -> (forall t, admits q 1 (gamma_1 t)) -> forall T,
  sum (fun t => gamma P t / 2 * mean_field t) T
  <= initial_gap P lowest + weight 1 * gamma P 1 * start_variates + level 1 * nu * sum (gamma P) T.
Proof.
  intros q1 decreasing ok T. rewrite gap_at_start, variates_at_start.
  destruct a7_ii as (v & _).
  pose proof (sum_with_variates (gamma P) (fun t => mean_W t) (fun t => mean_G t)
    (fun t => gamma P t / 2 * mean_field t) (fun x => x) (weight 1) (level 1 * nu) lowest) as Q.
  eapply Rle_trans; [apply Q; try assumption | right; cbv beta; change (fun t => gamma P t) with (gamma P); ring].
  - intros t before down _. pose proof (rate_round q1 t before down (ok t)). lra.
  - intros. lra.
  - apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply pow2_ge_0] | apply Rlt_le, Rinv_0_lt_compat; lra].
  - apply mean_G_pos.
  - intro t. unfold mean_W. rewrite <- (E_const _ (path P t) lowest). apply E_le. intros h _. apply bounded.
Qed.
Lemma linear_rate : forall m step, (forall t, gamma_1 t = step) -> PL m -> forall r, r = sqrt (1 - step * m) -> q < r ->
  admits q r step -> forall T, mean_W T - lowest
  <= (1 - step * m) ^ T * (initial_gap P lowest + weight r * step * start_variates)
    + level r * nu * step * sum (fun k => (1 - step * m) ^ pred k) T.
Proof.
  intros m step constant pl r root more ok T. rewrite gap_at_start, variates_at_start.
  destruct a7_ii as (v & _). pose proof (steps 0%nat) as Z. rewrite constant in Z.
  assert (r2 : 0 <= 1 - step * m).
  { destruct (Rle_or_lt 0 (1 - step * m)) as [A | A]; [exact A |]. rewrite sqrt_neg_0 in root; lra. }
  assert (w0 : 0 <= weight r * step * mean_G T).
  { apply Rmult_le_pos; [apply Rmult_le_pos; [| lra] | apply mean_G_pos]. apply Rmult_le_pos.
    - apply Rmult_le_pos; [lra | apply pow2_ge_0].
    - apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; lra. }
  enough (Q : mean_W T - lowest + weight r * step * mean_G T
    <= (1 - step * m) ^ T * (mean_W 0 - lowest + weight r * step * mean_G 0)
      + level r * nu * step * sum (fun k => (1 - step * m) ^ pred k) T) by lra.
  clear w0. apply (every_round (fun t => mean_W t - lowest + weight r * step * mean_G t) _ (level r * nu * step));
    [exact r2 |]. intro t. pose proof (linear_round m t pl r) as Q. rewrite constant in Q. specialize (Q root more ok).
  lra.
Qed.
End Round.

(* own-biased: q^2 = 1 - p a with exact oracles, and for every eta > 0 with q < 1
   q^2 = (1 + eta) (1 - p a) with noisy ones. *)
Notation q := (sqrt (1 - p P * a)).
Notation q_noisy eta := (sqrt ((1 + eta) * (1 - p P * a))).
Lemma q_is : q ^ 2 = 1 - p P * a /\ q < 1.
Proof.
  destruct contracts as (a01 & _), a5 as (p01 & _).
  assert (A : 0 < p P * a <= 1 * 1) by (split; [apply Rmult_lt_0_compat | apply Rmult_le_compat]; lra).
  split; [apply pow2_sqrt; lra |]. rewrite <- sqrt_1 at 2. apply sqrt_lt_1; lra.
Qed.
Lemma q_noisy_is : forall eta, 0 < eta -> q_noisy eta ^ 2 = (1 + eta) * (1 - p P * a).
Proof.
  intros eta e0. destruct q_is as (Q & _). apply pow2_sqrt, Rmult_le_pos; [lra |]. rewrite <- Q. apply pow2_ge_0.
Qed.
Lemma received_exact : exact_oracles P -> forall t, mean_kept t <= q ^ 2 * mean_G t + 0.
Proof. intro exact_all. rewrite (proj1 q_is). exact (mean_exact exact_all). Qed.
Lemma received_noisy : forall sigma, noisy_oracles P sigma -> forall eta, 0 < eta -> forall t,
  mean_kept t <= q_noisy eta ^ 2 * mean_G t + nu sigma eta.
Proof. intros sigma noisy eta e0. rewrite q_noisy_is by exact e0. exact (mean_noisy sigma noisy eta e0). Qed.
Lemma nu_pos : forall sigma eta, 0 < eta -> 0 <= nu sigma eta.
Proof.
  intros sigma eta e0. destruct contracts as (a01 & _), a5 as (p01 & _).
  apply Rmult_le_pos; [| apply weighted_pos; [exact weights | intro; apply pow2_ge_0]].
  pose proof (Rdiv_lt_0_compat 1 eta). apply Rmult_le_pos; [lra |].
  assert (0 <= (1 + eta) * (1 - a)) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem biased : exact_oracles P ->
  (forall t, gamma_1 (S t) <= gamma_1 t) -> (forall t, admits q 1 (gamma_1 t)) ->
  forall T, sum (fun t => gamma P t / 2 * mean_field t) T
  <= initial_gap P lowest + v_max * q ^ 2 / (2 * (1 - q)) * gamma P 1 * start_variates.
Proof.
  intros exact_all decreasing ok T. destruct q_is as (_ & q1).
  pose proof (rate q 0 (sqrt_pos _) (Rle_refl 0) (received_exact exact_all) q1 decreasing ok T) as Q.
  eapply Rle_trans; [exact Q | right; field; lra].
Qed.
Theorem biased_noise : forall sigma, noisy_oracles P sigma -> forall eta, 0 < eta -> q_noisy eta < 1 ->
  (forall t, gamma_1 (S t) <= gamma_1 t) -> (forall t, admits (q_noisy eta) 1 (gamma_1 t)) ->
  forall T, sum (fun t => gamma P t / 2 * mean_field t) T
  <= initial_gap P lowest + v_max * q_noisy eta ^ 2 / (2 * (1 - q_noisy eta)) * gamma P 1 * start_variates
    + v_max / (2 * (1 - q_noisy eta)) * nu sigma eta * sum (gamma P) T.
Proof.
  intros sigma noisy eta e0 q1 decreasing ok T.
  pose proof (rate (q_noisy eta) (nu sigma eta) (sqrt_pos _) (nu_pos sigma eta e0) (received_noisy sigma noisy eta e0)
    q1 decreasing ok T) as Q.
  eapply Rle_trans; [exact Q | right; field; lra].
Qed.

(* own-biased-linear: a constant step and PL. *)
Notation r step m := (sqrt (1 - step * m)).
Theorem biased_linear : exact_oracles P -> forall m step, (forall t, gamma_1 t = step) -> PL m -> q < r step m ->
  admits q (r step m) step -> forall T, mean_W T - lowest <= (1 - step * m) ^ T
    * (initial_gap P lowest + v_max * q ^ 2 / (2 * r step m * (r step m - q)) * step * start_variates).
Proof.
  intros exact_all m step constant pl more ok T.
  pose proof (linear_rate q 0 (sqrt_pos _) (Rle_refl 0) (received_exact exact_all) m step constant pl _ eq_refl more ok
    T). lra.
Qed.
Theorem biased_linear_noise : forall sigma, noisy_oracles P sigma -> forall eta, 0 < eta ->
  forall m step, 0 < m -> (forall t, gamma_1 t = step) -> PL m -> q_noisy eta < r step m ->
  admits (q_noisy eta) (r step m) step -> forall T, mean_W T - lowest <= (1 - step * m) ^ T
    * (initial_gap P lowest + v_max * q_noisy eta ^ 2 / (2 * r step m * (r step m - q_noisy eta)) * step
      * start_variates) + r step m * v_max / (2 * (r step m - q_noisy eta)) * nu sigma eta / m.
Proof.
  intros sigma noisy eta e0 m step m0 constant pl more ok T.
  pose proof (linear_rate (q_noisy eta) (nu sigma eta) (sqrt_pos _) (nu_pos sigma eta e0)
    (received_noisy sigma noisy eta e0) m step constant pl _ eq_refl more ok T) as Q.
  eapply Rle_trans; [exact Q |]. apply Rplus_le_compat_l.
  pose proof (steps 0%nat) as Z. rewrite constant in Z. destruct a7_ii as (v & _).
  pose proof (sqrt_pos ((1 + eta) * (1 - p P * a))).
  assert (G : step * m * sum (fun k => (1 - step * m) ^ pred k) T = 1 - (1 - step * m) ^ T).
  { clear. induction T as [| T IH]; [cbn; ring |]. cbn [sum]. rewrite Rmult_plus_distr_l, IH.
    cbn [pow pred]. ring. }
  assert (low : 0 <= (1 - step * m) ^ T).
  { apply pow_le. destruct (Rle_or_lt 0 (1 - step * m)) as [A | A]; [exact A |].
    rewrite (sqrt_neg_0 (1 - step * m)) in more; lra. }
  replace (_ / (2 * _) * nu sigma eta / m) with (v_max * r step m / (2 * (r step m - q_noisy eta)) * nu sigma eta
    * (1 / m)) by (field; lra).
  rewrite (Rmult_assoc (_ * nu sigma eta)). apply Rmult_le_compat_l.
  - apply Rmult_le_pos; [| apply nu_pos, e0]. apply Rmult_le_pos; [apply Rmult_le_pos; lra |].
    apply Rlt_le, Rinv_0_lt_compat. lra.
  - apply Rmult_le_reg_l with m; [exact m0 |]. replace (m * (1 / m)) with 1 by (field; lra). lra.
Qed.
End Biased.

(* These hypotheses do not contradict each other: the agents of Instance.v, who send half of what they should. *)
Definition halving (o : nat -> law R) : problem := {|
  Space := line; calS := calS example; Theta := Theta example; f := f example; g := g example; psi := psi example;
  phi := phi example; map := map example; n := n example; mu := mu example; sample := sample example; pi := pi example;
  Sbar := Sbar example; initial := initial example; p := p example; selection := selection example;
  oracles := fun _ => o; compressor := sure (fun s => s / 2); alpha := alpha example; gamma := gamma example;
  B_used := B_used example; Pi := Pi example
|}.
Definition exactly (i : nat) : law R := sure (own_mean i).
Definition noisily (i : nat) : law R := either (own_mean i - 1) (own_mean i + 1).

Theorem biased_hypotheses_hold : forall o, let P := halving o in
  distribution P /\ starts_inside P /\ steps_positive P /\ nearer P /\ MM_1 P /\ MM_1_values P /\ MM_2 P /\
  contraction P (3 / 4) /\ A5 P /\ A6_i P (fun _ => 1) /\ A6_ii P 1 /\ A7_i P B_of 1 1 /\ A7_ii P B_of 1 1 /\
  A8_i P /\ (forall theta, 0 <= f P theta + g P theta) /\ (forall t, gamma P (S t) <= 1) /\
  (forall t, gamma P (S t) = 1 / 100) /\ PL P B_of 0 1.
Proof.
  destruct hypotheses_hold as (mus & start & steps & _ & mm_1 & mm_2 & _ & _ & a5 & a6_i & a6_ii & a7_i & a7_ii & a8_i &
    _ & low & _ & _ & _ & _ & values & _). intros o P.
  split; [exact mus |]. split; [exact start |]. split; [exact steps |]. split; [exact nearer_on_line |].
  split; [exact mm_1 |]. split; [exact values |]. split; [exact mm_2 |]. split.
  { split; [lra |]. intro x. cbn [compressor P halving]. rewrite mean_sure, !norm_square. unfold minus. cbn. right.
    field. }
  split; [exact a5 |]. split; [exact a6_i |]. split; [exact a6_ii |]. split; [exact a7_i |]. split; [exact a7_ii |].
  split; [exact a8_i |]. split; [exact low |]. split; [intro; cbn; lra |]. split; [intro; cbn; lra |].
  intros s _. unfold norm_in, B_of. rewrite pow2_sqrt by apply Rle_0_sqr. unfold field, value.
  change (mean_oracle P (map P s)) with (mean_oracle example s). rewrite mean_line. unfold minus. cbn. right. field.
Qed.
Lemma admitted : forall o q r, 0 <= q <= 5 / 6 -> 99 / 100 <= r ->
  admits (halving o) (fun _ => 1) 1 1 1 1 1 q r (1 / 100).
Proof.
  intros o q r Q R'. assert (S : 0 <= q / (r - q) <= 6).
  { split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra] |].
    apply Rmult_le_reg_r with (r - q); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (S2 : (q / (r - q)) ^ 2 <= 6 ^ 2) by (apply pow_incr; exact S).
  unfold admits, weighted. cbn [halving n mu example sum] in *. lra.
Qed.
Theorem biased_premises_hold :
  let q := sqrt (1 - / 2 * (3 / 4)) in let q_noisy := sqrt ((1 + 1 / 10) * (1 - / 2 * (3 / 4))) in
  let r := sqrt (1 - 1 / 100 * 1) in
  exact_oracles (halving exactly) /\ noisy_oracles (halving noisily) (fun _ => 1) /\ q < r /\ q_noisy < r < 1 /\
  (forall o x y, (x = q \/ x = q_noisy) -> (y = 1 \/ y = r) ->
    admits (halving o) (fun _ => 1) 1 1 1 1 1 x y (1 / 100)).
Proof.
  intros q q_noisy r.
  assert (below : forall x y, 0 <= y -> x <= y * y -> sqrt x <= y).
  { intros x y Y X. rewrite <- (sqrt_square y Y). apply sqrt_le_1_alt, X. }
  assert (Q : 0 <= q <= 5 / 6) by (split; [apply sqrt_pos | apply below; lra]).
  assert (Q' : 0 <= q_noisy <= 5 / 6) by (split; [apply sqrt_pos | apply below; lra]).
  assert (R' : 99 / 100 <= r) by (rewrite <- (sqrt_square (99 / 100)) by lra; apply sqrt_le_1_alt; lra).
  assert (R1 : r < 1) by (rewrite <- sqrt_1; apply sqrt_lt_1; lra).
  split; [| split].
  - intros t h i z _ _ O. apply possible_sure in O. subst z. intro y.
    change (mean_oracle_of _ i _) with (mean_oracle_of example i (Shat (ef21 (halving exactly) h))).
    rewrite mean_of_line. reflexivity.
  - intros t h i _ _ m. assert (M : m = own_mean i) by apply mean_of_line. rewrite M. split; [lra |]. split.
    + intro y. cbn. field.
    + cbn [oracles halving]. unfold noisily. rewrite mean_either, !norm_square. unfold minus. cbn. right. field.
  - split; [lra |]. split; [lra |]. intros o x y X Y.
    apply admitted; [destruct X as [-> | ->] | destruct Y as [-> | ->]]; lra.
Qed.

Definition together := (biased, biased_noise, biased_linear, biased_linear_noise,
  biased_hypotheses_hold, biased_premises_hold).
Print Assumptions together.
