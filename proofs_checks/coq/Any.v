(* Beyond Theorem 1, from Algorithm 2 to the bound, with any map Pi into S that comes no farther from its points: the
   matrix B_t plays no part in the algorithm, A8 (ii) is not assumed, and the constants are better. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondTheorem Means Identities Propositions34 Laws Algorithm Geometry Draws Round FromAlgorithm.
Require Import Inside Singular Variates Seminorm Nearer.
Open Scope R_scope.

Section Any.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variables sigma L : nat -> R.
Variables omega M C1 C2 v_min v_max lowest : R.
(* The data of Algorithm 2. *)
Hypothesis weights : distribution P.
Hypothesis start : starts_inside P.
Hypothesis steps : steps_positive P.
Hypothesis projection : nearer P.
(* MM-1 with the values of Sbar, MM-2, A3 to A7, A8 (i), and that f + g is bounded below. *)
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
Hypothesis bounded : forall theta, lowest <= f P theta + g P theta.
Notation gamma_1 t := (gamma P (S t)).  (* gamma_{t+1} *)
Hypothesis short : forall t, gamma_1 t <= 1.
Hypothesis small : forall t, gamma_1 t <= v_min / (2 * (C2 / 2 + C1 * M)).

Notation omega_p := (omega_p P omega).
Notation sigma2_n := (sigma2_n P sigma).
Notation L2_n := (L2_n P L).
Notation in_B h := (seminorm P B h).  (* |h|_B^2 at Shat_t *)

Notation matrices := (matrices P B C1 C2 v_min v_max a7_i a7_ii).

Section One_round.
Variable t : nat.
Variable h : past (vec P).
Hypothesis reached : possible (path P t) h.
Notation s := (Shat (after P h)).
Notation s' w := (Shat (after P (followed h w))).
Notation Bs := (B s).
Notation step_size := (gamma P (S (rounds h))).
Notation error w := (H P (after P h) w [-] field P s).
Notation in_S := (inside_now P start projection t h reached).

Lemma sym : forall u v, dot (Bs u) v = dot u (Bs v).
Proof. apply (matrices s in_S). Qed.
Lemma pos : forall u, 0 <= dot u (Bs u).
Proof. apply (matrices s in_S). Qed.
Lemma outcome : forall w, W P (followed h w)
  <= W P h - step_size / 2 * in_B h + step_size / 2 * v_max * norm (error w) ^ 2.
Proof.
  intro w. pose proof (steps (rounds h)) as Z. destruct a7_ii as (v & _). pose proof a7_i as (c1 & c2 & _).
  pose proof a6_ii as (m & _). pose proof (Rmult_le_pos C1 M ltac:(lra) m) as C0.
  pose proof (kept_move P B C1 C2 v_min v_max weights mm_1 values mm_2 a7_i a7_ii a8_i projection h s
    (H P (after P h) w) step_size in_S ltac:(pose proof (short (rounds h)); lra) M a6_ii) as Q. cbv zeta in Q.
  assert (drift : 0 <= v_min / (2 * step_size) - (C2 / 2 + C1 * M)).
  { pose proof (small (rounds h)) as D. apply (Rmult_le_compat_l ((C2 / 2 + C1 * M) / step_size)) in D;
      [| apply Rlt_le, Rdiv_lt_0_compat; lra].
    eapply Rle_trans; [apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ D))) | right]. field. lra. }
  apply (Rmult_le_pos _ (norm (s' w [-] s) ^ 2)) in drift; [| apply pow2_ge_0].
  unfold W, seminorm, value in *. cbn [after step Shat] in *. lra.
Qed.

(* own-any-step. *)
Theorem any_step : E (one_round P h) (fun w => W P (followed h w))
  <= W P h - step_size / 2 * in_B h + step_size / 2 * v_max * error_square P h.
Proof.
  apply Rle_trans with (E (one_round P h) (fun w => (W P h - step_size / 2 * in_B h) * 1
    + step_size / 2 * v_max * norm (error w) ^ 2)).
  - apply mean_le. intro w. pose proof (outcome w). lra.
  - rewrite (mean_add _ _ (fun w => _ * 1)), mean_const, mean_scal. unfold error_square. lra.
Qed.
End One_round.

(* In the mean over all paths. *)
Notation mean_W t := (E (path P t) (W P)).
Notation mean_G t := (E (path P t) (G P)).
Notation mean_square t := (E (path P t) (error_square P)).
Notation mean_in_B t := (E (path P (pred t)) (seminorm P B)).
Lemma mean_step : forall t, mean_W (S t)
  <= mean_W t - gamma_1 t / 2 * mean_in_B (S t) + gamma_1 t / 2 * v_max * mean_square t.
Proof.
  intro t. rewrite one_more. cbn [pred]. apply Rle_trans with (E (path P t) (fun h => 1 * W P h
    + - (gamma_1 t / 2) * in_B h + gamma_1 t / 2 * v_max * error_square P h)).
  - apply E_le. intros h I. pose proof (any_step t h I) as Q. rewrite (rounds_of_path P t h I) in Q. lra.
  - rewrite E_linear. lra.
Qed.
Lemma mean_moved : forall t,
  E (path P t) (moved_square P) <= gamma_1 t ^ 2 * (mean_in_B (S t) / v_min + mean_square t).
Proof.
  intro t. apply (moved_in_mean P B C1 C2 v_min v_max a7_i a7_ii). intros h I.
  split; [apply (inside_now P start projection t h I) |].
  pose proof (moved P start projection h sigma omega t weights a3 a4 a5 I) as Q. rewrite (rounds_of_path P t h I) in Q.
  exact Q.
Qed.
Lemma mean_in_B_pos : forall t, 0 <= mean_in_B t.
Proof. intro t. apply mean_pos. intro. apply pow2_ge_0. Qed.

(* own-any-A: no compression, and all take part. Neither alpha nor A6 (i) is used. *)
Theorem any_A : omega_p = 0 -> forall T, sum (fun t => gamma P t / 2 * mean_in_B t) T
  <= initial_gap P lowest + v_max / 2 * sigma2_n * sum (gamma P) T.
Proof.
  intros o T. rewrite gap_is. destruct a7_ii as (v & _).
  assert (falls : forall t, mean_W (S t) + gamma_1 t / 2 * mean_in_B (S t)
    <= mean_W t + v_max / 2 * sigma2_n * gamma_1 t).
  { intro t. pose proof (mean_step t) as A. pose proof (mean_noise P sigma omega weights a3 a4 a5 t) as N.
    pose proof (mean_G_pos P t). pose proof (mean_square_pos P t). pose proof (mean_in_B_pos (S t)).
    pose proof (steps t). pose proof (sigma2_pos P sigma).
    apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
    eapply as_sum_ge; [| eapply own_any_A_1 with (G_t := mean_G t) (N_t_1 := mean_square t) (W_t := mean_W t)
      (W_t_1 := mean_W (S t)) (bar_E_t_1 := mean_in_B (S t)) (gamma_t_1 := gamma_1 t) (omega_p := omega_p)
      (tfrac_sigma_2_n := sigma2_n) (v_max := v_max)]; try assumption; lra. }
  pose proof (sum_of_rounds (fun t => mean_W t) (fun t => gamma P t / 2 * mean_in_B t) (gamma P) _ falls T).
  pose proof (bounded_below P lowest bounded T). lra.
Qed.

(* own-any: 1 + eta = 1 / sqrt (1 - alpha). *)
Notation q := (sqrt (1 - alpha P)).
Notation eta := (/ q - 1).
Notation at_start := ((1 + q) * omega_p * v_max / alpha P).
Notation level := (3 / 2 * (1 + 2 * omega_p) * v_max).
Notation taken t := (2 * (1 + q) ^ 2 * (omega_p / alpha P ^ 2) * (v_max / v_min * L2_n) * gamma P t ^ 2).

Section Compressed.
Hypothesis compressed : 0 < omega_p.
Hypothesis rate : 0 < alpha P <= 1 / (1 + omega_p).

Lemma one_round : forall t before, gamma_1 t <= before -> 0 < before ->  (* gamma_t, or gamma_1 where t = 0 *)
  taken (S t) <= 1 ->
  mean_W (S t) + at_start * gamma_1 t * mean_G (S t) + gamma_1 t / 2 * (1 - taken (S t)) * mean_in_B (S t)
  <= mean_W t + at_start * before * mean_G t + level * gamma_1 t * sigma2_n.
Proof.
  intros t before decreasing positive enough. destruct a7_ii as (v & _).
  destruct (q_is P omega compressed rate) as (_ & _ & E0 & _ & _ & ratio).
  pose proof (mean_step t) as H1. pose proof (mean_noise P sigma omega weights a3 a4 a5 t) as H2.
  pose proof (fun above larger => variates_at_most P sigma L omega weights a3 a4 a5 compressed rate a6_i
    (inside_always P start projection) t above _ larger (mean_moved t)) as H3.
  pose proof (room P omega compressed rate) as R.
  pose proof (mean_G_pos P t). pose proof (mean_G_pos P (S t)). pose proof (mean_square_pos P t).
  pose proof (mean_in_B_pos (S t)). pose proof (sigma2_pos P sigma). pose proof (L2_pos P L) as L0.
  pose proof (steps t) as Z.
  replace at_start with (omega_p * v_max * ((1 + q) / alpha P)) by (field; lra).
  assert (shape : taken (S t) = 2 * omega_p * ((1 + q) / alpha P) ^ 2 * (v_max / v_min) * L2_n * gamma_1 t ^ 2)
    by (field; lra).
  rewrite shape in enough |- *. clear shape. rewrite ratio in enough |- *. set (b := eta) in *. clearbody b.
  clear ratio.
  (* With L^2 / n, or a number above it: the certificate has it positive. *)
  pose (c := 2 * omega_p * ((1 + b) / b) ^ 2 * (v_max / v_min) * gamma_1 t ^ 2).
  assert (c0 : 0 < c).
  { pose proof (Rdiv_lt_0_compat (1 + b) b ltac:(lra) E0).
    pose proof (Rdiv_lt_0_compat v_max v_min ltac:(lra) (proj1 v)).
    unfold c. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat |] |];
      try apply pow_lt; lra. }
  assert (shown : forall x, 0 < x -> L2_n <= x -> c * x <= 1 ->
    0 <= mean_W t + omega_p * v_max * ((1 + b) / b) * before * mean_G t + level * gamma_1 t * sigma2_n - mean_W (S t)
      - omega_p * v_max * ((1 + b) / b) * gamma_1 t * mean_G (S t)
      - gamma_1 t / 2 * (1 - c * x) * mean_in_B (S t)).
  { intros x x0 above enough'.
    specialize (H3 x above).
    eapply as_sum_ge; [| eapply own_any_1 with (G_t := mean_G t) (G_t_1 := mean_G (S t)) (N_t_1 := mean_square t)
      (W_t := mean_W t) (W_t_1 := mean_W (S t)) (bar_E_t_1 := mean_in_B (S t)) (beta_1 := b) (gamma_t := before)
      (gamma_t_1 := gamma_1 t) (omega_p := omega_p) (tfrac_L_2_n := x) (tfrac_sigma_2_n := sigma2_n)
      (v_max := v_max) (v_min := v_min)]; try assumption; try lra.
    - unfold c. field. repeat split; lra.
    - eapply as_sum_ge; [| apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ H3)))]. field. split; lra.
    - eapply as_sum_ge; [| apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ enough')))]. unfold c. field. split; lra. }
  assert (same_c : c * L2_n = 2 * omega_p * ((1 + b) / b) ^ 2 * (v_max / v_min) * L2_n * gamma_1 t ^ 2)
    by (unfold c; ring).
  rewrite <- same_c in enough |- *. clear same_c. clearbody c. destruct L0 as [L0 | L0].
  - pose proof (shown L2_n L0 (Rle_refl _) enough). lra.
  - apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
    apply limit_zero with (b := gamma_1 t / 2 * mean_in_B (S t)). intros r r0 r1. rewrite <- L0.
    pose proof (Rdiv_lt_0_compat r c r0 c0) as x0.
    pose proof (shown (r / c) x0 ltac:(lra) ltac:(apply Rle_trans with r; [right; field |]; lra)) as S0.
    replace (c * (r / c)) with r in S0 by (field; lra). lra.
Qed.

(* The theorem. v_max / v_min * L2_n is the K of the page. *)
Theorem any : (forall t, gamma_1 (S t) <= gamma_1 t) -> (forall t, taken (S t) <= 1) ->
  forall T, sum (fun t => gamma P t / 2 * (1 - taken t) * mean_in_B t) T
  <= initial_gap P lowest + at_start * gamma P 1 * initial_variates P + level * sigma2_n * sum (gamma P) T.
Proof.
  intros decreasing enough T. rewrite gap_is, variates_are. destruct a7_ii as (v & _).
  assert (w0 : 0 <= at_start).
  { pose proof (sqrt_pos (1 - alpha P)). unfold Rdiv. repeat apply Rmult_le_pos; try lra.
    apply Rlt_le, Rinv_0_lt_compat, rate. }
  pose proof (sum_with_variates (gamma P) (fun t => mean_W t) (fun t => mean_G t)
    (fun t => gamma P t / 2 * (1 - taken t) * mean_in_B t) (fun x => x) at_start (level * sigma2_n) lowest) as Q.
  eapply Rle_trans; [apply Q; try assumption | right; cbv beta; change (fun t => gamma P t) with (gamma P); ring].
  - intros t before down positive. pose proof (one_round t before down positive (enough t)). lra.
  - intros. lra.
  - apply (mean_G_pos P).
  - apply (bounded_below P lowest bounded).
Qed.

(* own-any-mean: a constant step, and |h|_B^2 at a time that is uniform on 0, ..., T - 1 and independent of the path. *)
Theorem any_mean : forall step, (forall t, gamma_1 t = step) -> step / 4 <= step / 2 * (1 - taken 1) ->
  forall m, let T := INR (S m) in mean_at_random_time P (seminorm P B) m
  <= 4 / (T * step) * (initial_gap P lowest + at_start * step * initial_variates P + level * sigma2_n * (T * step)).
Proof.
  intros step constant half m T. pose proof (steps 0%nat) as Z. rewrite constant in Z.
  assert (T0 : 0 < T) by (apply (lt_0_INR (S m)); lia).
  assert (each : forall t, taken (S t) <= 1 / 2).
  { intro t. rewrite constant in *. apply Rmult_le_reg_l with step; [exact Z |]. lra. }
  pose proof (any ltac:(intro; rewrite !constant; lra) ltac:(intro t; specialize (each t); lra) (S m)) as Q.
  rewrite (sum_constant P (fun x => x) step constant), constant in Q.
  eapply Rle_trans; [apply (mean_of_sum P (seminorm P B) m _ (step / 4) _ Q); [lra |] | right].
  - intro t. specialize (each t). cbv beta. rewrite constant in *. cbn [pred].
    apply Rmult_le_compat_r; [apply (mean_in_B_pos (S t)) |]. apply (Rmult_le_compat_l step) in each; lra.
  - fold T. field. destruct rate. repeat split; lra.
Qed.
End Compressed.
End Any.

Definition together := (any_step, any_A, any, any_mean).
Print Assumptions together.
