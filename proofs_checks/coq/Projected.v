(* Beyond Theorem 1, from Algorithm 2 to the bound: with the projection of the paper and steps of at most 1/2 the noise
   of T rounds is of order sum gamma_t^2, where Theorem 1 has sum gamma_t. One round is in ProjectedStep.v; full
   expectations are those of FromAlgorithm.v, and nothing else is assumed in between. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondTheorem Means Identities Propositions34 Laws Algorithm Geometry Draws Round FromAlgorithm.
Require Import Inside ProjectedStep Variates.
Open Scope R_scope.

Section Projected.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variables sigma L : nat -> R.
Variables omega M C1 C2 v_min v_max lowest : R.
(* The data of Algorithm 2. *)
Hypothesis weights : distribution P.
Hypothesis start : starts_inside P.
Hypothesis steps : steps_positive P.
Hypothesis argmin : line_599 P.
(* MM-1 with the values of Sbar, MM-2, A3 to A8, and that f + g is bounded below. *)
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
Notation gamma_1 t := (gamma P (S t)).  (* gamma_{t+1} *)
Hypothesis short : forall t, gamma_1 t <= 1 / 2.

Notation omega_p := (omega_p P omega).
Notation sigma2_n := (sigma2_n P sigma).
Notation L2_n := (L2_n P L).
Notation mean_error := (mean_error P).
Definition C_half := C2 / 2 + C1 * M.
Definition k := 1 / 2 + C_half / v_min.

Lemma C_half_pos : 0 < C_half.
Proof.
  destruct a7_i as (c1 & c2 & _), a6_ii as (m & _). pose proof (Rmult_le_pos C1 M ltac:(lra) m). unfold C_half. lra.
Qed.

Section One_round.
Variable t : nat.
Variable h : past (vec P).
Hypothesis reached : possible (path P t) h.
Notation s := (Shat (after P h)).
Notation s' w := (Shat (after P (followed h w))).
Notation Bs := (B s).
Notation step_size := (gamma P (S (rounds h))).
Notation error w := (H P (after P h) w [-] field P s).
Notation ds w := (s' w [-] s).
Notation sym := (symmetric_B P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached).
Notation pos := (positive_B P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached).
Notation low := (lower_B P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached).
Notation upp := (upper_B P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached).
Notation in_S := (inside_s P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached).
Notation next_in_S := (next_in P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached).
Notation hB := (dot (field P s) (Bs (field P s))).

(* A point that is sent to itself: no step of at most 1 from Shat_t along h leaves S. *)
Lemma stays : calS P (s [+] step_size [*] field P s).
Proof.
  destruct values as (invariant & _). pose proof (steps (rounds h)). pose proof (short (rounds h)).
  apply (invariant ((1 - step_size) [*] s [+] step_size [*] mean_oracle P (map P s))).
  - intro y. unfold field. expand. ring.
  - apply a8_i; [lra | exact in_S | apply (oracle_inside P values a8_i weights)].
Qed.
Lemma null : forall u y : vec P, dot u u <= 0 -> dot u y = 0.
Proof.
  assert (half : forall u y : vec P, dot u u <= 0 -> 0 <= dot u y).
  { intros u y U. apply limit_zero with (b := dot y y / 2). intros l L0 L1.
    pose proof (dot_pos P (u [+] l [*] y)) as Q. repeat rewrite ?dot_add, ?dot_scal, ?dot_add_r, ?dot_scal_r in Q.
    rewrite (dot_sym _ y u) in Q. apply Rmult_le_reg_l with (2 * l); [lra |]. lra. }
  intros u y U. pose proof (half u y U). pose proof (half u ((-1) [*] y) U) as Q. rewrite dot_scal_r in Q. lra.
Qed.
Lemma error_is_field : barE P h = norm_in (B_used P h) (field P s) ^ 2.
Proof.
  pose proof (steps (rounds h)) as Z. destruct a7_ii as (v & _).
  rewrite (barE_is P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached), (a8_ii _ _ reached),
    (norm_in_square P Bs pos).
  destruct (argmin Bs (s [+] step_size [*] field P s)) as (_ & N).
  { apply (definite P B C1 C2 v_min v_max a7_i a7_ii), in_S. }
  specialize (N _ stays). apply (norm_in_le P Bs pos) in N.
  set (to := s [+] step_size [*] field P s) in *. set (bar := Pi P Bs to) in *.
  assert (zero_move : dot (to [-] to) (Bs (to [-] to)) = 0).
  { rewrite <- sym. rewrite (null (Bs (to [-] to)) (to [-] to)); [reflexivity |]. right.
    rewrite sym. unfold minus at 1. rewrite dot_add, dot_scal. ring. }
  pose proof (low (bar [-] to)) as D.
  assert (same_to : forall y, dot (bar [-] to) y = 0).
  { intro y. apply null. apply Rmult_le_reg_l with v_min; lra. }
  assert (Q : same (bar [-] s) (step_size [*] field P s)).
  { intro y. pose proof (same_to y) as R. unfold to in R. unfold minus in *.
    rewrite ?dot_add, ?dot_scal, ?dot_add, ?dot_scal in *. lra. }
  rewrite (same_in P Bs sym _ _ Q), <- sym, dot_scal_r, sym, dot_scal. field. lra.
Qed.

(* own-moved-B. *)
Lemma variance_upper : variance P h <= v_max * error_square P h.
Proof.
  rewrite (variance_is P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached). unfold error_square.
  rewrite <- (mean_scal _ _ v_max). apply mean_le. intro w. rewrite norm_square. apply upp.
Qed.
Theorem moved_in_norm : E (one_round P h) (fun w => norm (ds w) ^ 2)
  <= step_size ^ 2 / v_min * (norm_in (B_used P h) (field P s) ^ 2 + v_max * error_square P h).
Proof.
  pose proof (steps (rounds h)) as Z. destruct a7_ii as (v & _). rewrite (a8_ii _ _ reached), (norm_in_square P Bs pos).
  pose proof (variance_upper) as U.
  pose proof (variance_is P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached) as V.
  assert (N : forall w, dot (ds w) (Bs (ds w))
    <= step_size ^ 2 * (hB * 1 + 2 * dot (error w) (Bs (field P s)) + dot (error w) (Bs (error w)))).
  { intro w. pose (move := ds w). pose (xi := error w). fold move xi.
    pose proof (nearest_to P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_i a8_ii t h reached w s in_S) as Q.
    rewrite (same_form P Bs sym _ (move [-] (step_size [*] field P s [+] step_size [*] xi)) _ (zero [-] move)),
      B_minus in Q by (exact sym || (intro y; unfold move, xi, field; expand; ring)).
    pose proof (pos (move [-] (step_size [*] field P s [+] step_size [*] xi))) as R. rewrite B_minus in R by exact sym.
    rewrite <- (sym _ zero), dot_zero_r in Q. rewrite <- (sym _ (_ [+] _)) in R. unfold minus in Q, R.
    repeat rewrite ?dot_add, ?dot_scal, ?dot_add_r, ?dot_scal_r, ?sym in Q.
    repeat rewrite ?dot_add, ?dot_scal, ?dot_add_r, ?dot_scal_r, ?sym in R.
    rewrite (swap P Bs sym (field P s) move), (swap P Bs sym xi move), (swap P Bs sym (field P s) xi) in *. lra. }
  assert (A : E (one_round P h) (fun w => dot (ds w) (Bs (ds w)))
    <= step_size ^ 2 * hB + step_size ^ 2 * variance P h).
  { rewrite V. eapply Rle_trans; [apply mean_le, N |]. right.
    rewrite (mean_scal _ _ (step_size ^ 2)), (mean_add _ _ (fun w => hB * 1 + 2 * dot (error w) (Bs (field P s)))),
      (mean_add _ _ (fun w => hB * 1)), mean_const, (mean_scal _ _ 2),
      (error_mean P sigma omega weights a3 a4 a5 t h reached). ring. }
  assert (D : v_min * E (one_round P h) (fun w => norm (ds w) ^ 2)
    <= E (one_round P h) (fun w => dot (ds w) (Bs (ds w)))).
  { rewrite <- (mean_scal _ _ v_min). apply mean_le. intro w. rewrite norm_square. apply low. }
  assert (S0 : forall u : (nat -> draw (vec P)) -> vec P, 0 <= E (one_round P h) (fun w => dot (u w) (Bs (u w))))
    by (intro u; apply mean_pos; intro; apply pos).
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_moved_B_1 with (B_t_1_2_h := root P Bs sym pos (plain P Bs sym pos (field P s)))
    (E_left_B_t_1_2_Delta_s_right_2 := E (one_round P h) (fun w => dot (ds w) (Bs (ds w))))
    (E_left_B_t_1_2_xi_right_2 := E (one_round P h) (fun w => dot (error w) (Bs (error w))))
    (E_left_Delta_s_right_2 := E (one_round P h) (fun w => norm (ds w) ^ 2))
    (E_left_xi_right_2 := error_square P h) (gamma := step_size) (v_max := v_max) (v_min := v_min)];
    rewrite ?dot_root; cbn [fst plain]; try apply S0; try (apply mean_pos; intro; apply pow2_ge_0); try lra.
  rewrite V in A. lra.
Qed.
End One_round.

(* In the mean over all paths. *)
Notation mean_W t := (E (path P t) (W P)).
Notation mean_G t := (E (path P t) (G P)).
Notation mean_square t := (E (path P t) (error_square P)).
Lemma mean_step : forall t, mean_W (S t) <= mean_W t - gamma_1 t * (1 - C_half / v_min * gamma_1 t) * mean_error (S t)
  + k * v_max * gamma_1 t ^ 2 * mean_square t.
Proof.
  intro t. destruct a7_ii as (v & _). pose proof C_half_pos as c. rewrite one_more.
  assert (K : 0 < k) by (unfold k; pose proof (Rdiv_lt_0_compat _ _ c (proj1 v)); lra).
  apply Rle_trans with (E (path P t) (fun h => 1 * W P h
    + - (gamma_1 t * (1 - C_half / v_min * gamma_1 t)) * barE P h + k * v_max * gamma_1 t ^ 2 * error_square P h)).
  - apply E_le. intros h I. pose proof (rounds_of_path P t h I) as Z.
    pose proof (projected_step P B sigma omega C1 C2 v_min v_max weights start steps argmin mm_1 values mm_2 a3 a4 a5
      a7_i a7_ii a8_i a8_ii t h I ltac:(apply short) M a6_ii) as Q. cbv zeta in Q.
    change (E (one_round P h) (fun w => norm_in (B_used P h) (H P (after P h) w [-] field P (Shat (after P h))) ^ 2))
      with (variance P h) in Q.
    rewrite <- (error_is_field t h I), Z in Q. fold C_half in Q.
    pose proof (variance_upper t h I) as U.
    apply (Rmult_le_compat_l (gamma_1 t ^ 2 * k)) in U;
      [| apply Rmult_le_pos; [apply pow2_ge_0 | lra]].
    unfold k in *. lra.
  - rewrite E_linear. unfold FromAlgorithm.mean_error. cbn [pred]. lra.
Qed.
Lemma inside_always : stays_inside P.
Proof.
  intros t h I. split.
  - apply (inside_s P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h I).
  - intros w _. apply (next_in P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h I).
Qed.
Lemma mean_moved : forall t, E (path P t) (moved_square P)
  <= gamma_1 t ^ 2 / v_min * (mean_error (S t) + v_max * mean_square t).
Proof.
  intro t. apply Rle_trans with (E (path P t) (fun h => gamma_1 t ^ 2 / v_min * barE P h
    + gamma_1 t ^ 2 / v_min * v_max * error_square P h)).
  - apply E_le. intros h I. pose proof (moved_in_norm t h I) as R.
    rewrite <- (error_is_field t h I), (rounds_of_path P t h I) in R. unfold moved_square. lra.
  - rewrite (mean_add _ _ (fun h => _ * barE P h)), !mean_scal. unfold FromAlgorithm.mean_error. cbn [pred]. lra.
Qed.
Lemma mean_error_pos : forall t, 0 <= mean_error t.
Proof. intro t. apply mean_pos. intro. apply (barE_pos P steps). Qed.

(* own-projected-A: no compression, and all take part. Neither alpha nor A6 (i) is used. *)
Theorem projected_A : omega_p = 0 -> forall T,
  sum (fun t => gamma P t * (1 - C_half / v_min * gamma P t) * mean_error t) T
  <= initial_gap P lowest + k * v_max * sigma2_n * sum (fun t => gamma P t ^ 2) T.
Proof.
  intros o T. rewrite gap_is. pose proof C_half_pos as c. destruct a7_ii as (v & _). pose proof L2_pos P L.
  assert (falls : forall t, mean_W (S t) + gamma_1 t * (1 - C_half / v_min * gamma_1 t) * mean_error (S t)
    <= mean_W t + k * v_max * sigma2_n * gamma_1 t ^ 2).
  { intro t. pose proof (mean_step t) as A. pose proof (mean_noise P sigma omega weights a3 a4 a5 t) as N.
    pose proof (mean_G_pos P t). pose proof (mean_square_pos P t). pose proof (mean_error_pos (S t)).
    pose proof (steps t). pose proof (sigma2_pos P sigma).
    apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
    eapply as_sum_ge; [| eapply own_projected_A_1 with (G_t := mean_G t) (N_t_1 := mean_square t) (W_t := mean_W t)
      (W_t_1 := mean_W (S t)) (bar_C := C_half) (bar_E_t_1 := mean_error (S t)) (gamma_t_1 := gamma_1 t)
      (omega_p := omega_p) (tfrac_sigma_2_n := sigma2_n) (v_max := v_max) (v_min := v_min)];
      unfold k in *; try assumption; lra. }
  pose proof (sum_of_rounds (fun t => mean_W t) (fun t => gamma P t * (1 - C_half / v_min * gamma P t) * mean_error t)
    (fun t => gamma P t ^ 2) _ falls T). pose proof (bounded_below P lowest bounded T). lra.
Qed.

(* own-projected: 1 + eta = 1 / sqrt (1 - alpha). *)
Notation q := (sqrt (1 - alpha P)).
Notation at_start := (2 * (1 + q) * k * omega_p * v_max / alpha P).
Notation level := (3 * (1 + 2 * omega_p) * k * v_max).
Notation gain t := (gamma P t * (1 - (1 / 2 + 2 * C_half / v_min) * gamma P t)).

Section Compressed.
Hypothesis compressed : 0 < omega_p.
Hypothesis rate : 0 < alpha P <= 1 / (1 + omega_p).
Notation eta := (/ q - 1).

Lemma one_round : forall t before, gamma_1 t <= before -> 0 < before ->  (* gamma_t, or gamma_1 where t = 0 *)
  2 * (1 + q) ^ 2 * (omega_p / alpha P ^ 2) * (v_max / v_min * L2_n) * gamma_1 t ^ 2 <= 1 ->
  mean_W (S t) + at_start * gamma_1 t ^ 2 * mean_G (S t) + gain (S t) * mean_error (S t)
  <= mean_W t + at_start * before ^ 2 * mean_G t + level * gamma_1 t ^ 2 * sigma2_n.
Proof.
  intros t before decreasing positive small. destruct a7_ii as (v & _). pose proof C_half_pos as c.
  destruct (q_is P omega compressed rate) as (_ & _ & E0 & _ & _ & ratio).
  pose proof (mean_step t) as H1. pose proof (mean_noise P sigma omega weights a3 a4 a5 t) as H2.
  pose proof (fun above larger => variates_at_most P sigma L omega weights a3 a4 a5 compressed rate a6_i inside_always
    t above _ larger (mean_moved t)) as H3.
  pose proof (room P omega compressed rate) as R.
  pose proof (mean_G_pos P t). pose proof (mean_G_pos P (S t)). pose proof (mean_square_pos P t).
  pose proof (mean_error_pos (S t)). pose proof (sigma2_pos P sigma). pose proof (steps t) as Z.
  replace at_start with (2 * k * omega_p * v_max * ((1 + q) / alpha P)) by (field; lra).
  replace (2 * (1 + q) ^ 2 * (omega_p / alpha P ^ 2)) with (2 * omega_p * ((1 + q) / alpha P) ^ 2) in small
    by (field; lra).
  rewrite ratio in small |- *. set (b := eta) in *. clearbody b. clear ratio.
  (* The largest L^2 / n that the condition on the step allows. *)
  pose (most := v_min * b ^ 2 / (2 * omega_p * v_max * (1 + b) ^ 2 * gamma_1 t ^ 2)).
  assert (Den : 0 < 2 * omega_p * v_max * (1 + b) ^ 2 * gamma_1 t ^ 2)
    by (repeat apply Rmult_lt_0_compat; try apply pow_lt; lra).
  assert (most_pos : 0 < most) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [| apply pow_lt] |]; lra).
  assert (L2_n <= most).
  { unfold most. apply Rmult_le_reg_r with (2 * omega_p * v_max * (1 + b) ^ 2 * gamma_1 t ^ 2); [exact Den |].
    unfold Rdiv. rewrite (Rmult_assoc _ (/ _)), Rinv_l, Rmult_1_r by lra.
    apply (Rmult_le_compat_l (v_min * b ^ 2)) in small; [| apply Rmult_le_pos; [| apply pow2_ge_0]; lra].
    eapply Rle_trans; [right | eapply Rle_trans; [exact small | right; ring]]. field. lra. }
  specialize (H3 most ltac:(assumption)).
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_projected_1 with (G_t := mean_G t) (G_t_1 := mean_G (S t))
    (N_t_1 := mean_square t) (W_t := mean_W t) (W_t_1 := mean_W (S t)) (bar_C := C_half)
    (bar_E_t_1 := mean_error (S t)) (beta_1 := b) (gamma_t := before) (gamma_t_1 := gamma_1 t)
    (omega_p := omega_p) (tfrac_L_2_n := most) (tfrac_sigma_2_n := sigma2_n) (v_max := v_max) (v_min := v_min)];
    try assumption; try lra.
  - unfold k. field. lra.
  - unfold k in H1. lra.
  - eapply Rle_trans; [apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ H3))) | right]. field. lra.
  - right. unfold most. field. repeat split; lra.
Qed.

(* The theorem. v_max / v_min * L2_n is the K of the page; L2_n = 0, agents whose fields do not move, is allowed. *)
Theorem projected : (forall t, gamma_1 (S t) <= gamma_1 t) ->
  (forall t, 2 * (1 + q) ^ 2 * (omega_p / alpha P ^ 2) * (v_max / v_min * L2_n) * gamma_1 t ^ 2 <= 1) ->
  forall T, sum (fun t => gain t * mean_error t) T
  <= initial_gap P lowest + at_start * gamma P 1 ^ 2 * initial_variates P
    + level * sigma2_n * sum (fun t => gamma P t ^ 2) T.
Proof.
  intros decreasing small T. rewrite gap_is, variates_are.
  destruct a7_ii as (v & _). pose proof C_half_pos as c. destruct (q_is P omega compressed rate) as (q0 & _).
  assert (w0 : 0 <= at_start).
  { assert (0 < C_half / v_min) by (apply Rdiv_lt_0_compat; lra).
    unfold k, Rdiv at 1. repeat apply Rmult_le_pos; try (apply Rlt_le, Rinv_0_lt_compat); lra. }
  apply (sum_with_variates (gamma P) (fun t => mean_W t) (fun t => mean_G t) (fun t => gain t * mean_error t)
    (fun x => x ^ 2) at_start (level * sigma2_n)); try assumption.
  - intros t before down positive. pose proof (one_round t before down positive (small t)). lra.
  - intros. apply pow2_ge_0.
  - apply (mean_G_pos P).
  - apply (bounded_below P lowest bounded).
Qed.

(* own-projected-mean: a constant step, and barE at a time tau that is uniform on 1, ..., T and independent of the
   path. *)
Theorem projected_mean : forall step, (forall t, gamma_1 t = step) ->
  step / 2 <= step * (1 - (1 / 2 + 2 * C_half / v_min) * step) ->
  2 * (1 + q) ^ 2 * (omega_p / alpha P ^ 2) * (v_max / v_min * L2_n) * step ^ 2 <= 1 ->
  forall m, let T := INR (S m) in error_at_random_time P m
  <= 2 / (T * step) * (initial_gap P lowest + at_start * step ^ 2 * initial_variates P
    + level * sigma2_n * (T * step ^ 2)).
Proof.
  intros step constant half small m T. pose proof (steps 0%nat) as Z. rewrite constant in Z.
  assert (T0 : 0 < T) by (apply (lt_0_INR (S m)); lia).
  pose proof (projected ltac:(intro; rewrite !constant; lra) ltac:(intro; rewrite constant; exact small) (S m)) as Q.
  rewrite (sum_constant P (fun x => x ^ 2) step constant), constant in Q.
  eapply Rle_trans; [apply (mean_of_sum P (barE P) m _ (step / 2) _ Q); [lra |] | right].
  - intro t. cbv beta. rewrite constant. apply Rmult_le_compat_r; [apply (mean_error_pos (S t)) | exact half].
  - fold T. field. destruct a7_ii, rate. repeat split; try lra.
Qed.
End Compressed.
End Projected.

Definition together := (error_is_field, moved_in_norm, projected_A, projected, projected_mean).
Print Assumptions together.
