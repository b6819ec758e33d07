(* Beyond Theorem 1, from Algorithm 2 to the bound, where no projection is active: the noise of T rounds is of order
   sum gamma_t^2, and v_max enters no constant. A8 (ii) and the values of Sbar are not assumed. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondTheorem Means Identities Propositions34 Laws Algorithm Geometry Draws Round FromAlgorithm.
Require Import Inside Instance Singular Variates Projected Any Seminorm.
Import Algorithm.  (* one_round is the law of it *)
Import ListNotations.
Open Scope R_scope.

Section Free.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variables sigma L : nat -> R.
Variables omega M C1 C2 v_min v_max lowest : R.
(* The data of Algorithm 2, and that no projection is active. *)
Hypothesis weights : distribution P.
Hypothesis start : starts_inside P.
Hypothesis steps : steps_positive P.
Hypothesis kept : keeps P.
Hypothesis inactive : lands_inside P.
(* MM-1, MM-2, A3 to A7, A8 (i), and that f + g is bounded below. *)
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
Notation gamma_1 t := (gamma P (S t)).  (* gamma_{t+1} *)

Notation omega_p := (omega_p P omega).
Notation sigma2_n := (sigma2_n P sigma).
Notation L2_n := (L2_n P L).
Notation C_half := (C_half M C1 C2).
Notation matrices := (matrices P B C1 C2 v_min v_max a7_i a7_ii).
Notation inside_now := (free_inside P start kept inactive).

Section One_round.
Variable t : nat.
Variable h : past (vec P).
Hypothesis reached : possible (path P t) h.
Notation s := (Shat (after P h)).
Notation s' w := (Shat (after P (followed h w))).
Notation Bs := (B s).
Notation step_size := (gamma_1 t).
Notation error w := (H P (after P h) w [-] field P s).

Lemma outcome : forall w, possible (one_round P h) w -> W P (followed h w) <= W P h
  - step_size * (1 - C_half / v_min * step_size) * seminorm P B h + C_half * step_size ^ 2 * norm (error w) ^ 2
  - dot (error w) (step_size [*] Bs (field P s) [-] (2 * C_half * step_size ^ 2) [*] field P s).
Proof.
  intros w I. pose proof (C_half_pos P B M C1 C2 a6_ii a7_i) as c. destruct a7_ii as (v & _).
  pose proof (inside_now t h reached) as In. destruct (free_next P kept inactive t h w reached I) as (In' & move).
  destruct (matrices s In) as (sym & _).
  pose proof (descends_A7 P B 0 C1 C2 M v_max mm_1 mm_2 a6_ii a7_i a8_i matrices (Rle_refl 0) s (s' w) In In') as Q.
  rewrite <- sym, (dot_sym _ (Bs _)), (move _), norm_square, (same_square _ _ _ move) in Q.
  pose proof (field_below P B C1 C2 v_min v_max a7_i a7_ii h In) as low. unfold field_square in low.
  apply (Rmult_le_compat_l (C_half * step_size ^ 2)) in low; [| apply Rmult_le_pos; [lra | apply pow2_ge_0]].
  assert (is_B : seminorm P B h = dot (field P s) (Bs (field P s)))
    by apply (norm_in_square P Bs (fun u => proj1 (proj2 (matrices s In) u))).
  rewrite norm_square in low |- *. unfold W, value, Projected.C_half in *.
  set (k := C2 / 2 + C1 * M) in *. clearbody k. set (xi := H P (after P h) w) in *. clearbody xi. expand.
  rewrite (dot_sym _ (field P s) xi). rewrite !dot_scal, !dot_scal_r in Q.
  rewrite is_B in low |- *. unfold Rdiv in *. lra.
Qed.

(* own-free-step. *)
Theorem free_step : E (one_round P h) (fun w => W P (followed h w))
  <= W P h - step_size * (1 - C_half / v_min * step_size) * seminorm P B h + C_half * step_size ^ 2 * error_square P h.
Proof.
  pose (y := step_size [*] Bs (field P s) [-] (2 * C_half * step_size ^ 2) [*] field P s).
  apply Rle_trans with (E (one_round P h) (fun w =>
    (W P h - step_size * (1 - C_half / v_min * step_size) * seminorm P B h) * 1
    + C_half * step_size ^ 2 * norm (error w) ^ 2 + -1 * dot (error w) y)).
  - apply E_le. intros w I. pose proof (outcome w I). unfold y. lra.
  - rewrite (mean_add _ _ (fun w => _ * 1 + _)), (mean_add _ _ (fun w => _ * 1)), mean_const, !mean_scal,
      (error_mean P sigma omega weights a3 a4 a5 t h reached). unfold error_square. lra.
Qed.
End One_round.

(* In the mean over all paths. *)
Notation mean_W t := (E (path P t) (W P)).
Notation mean_G t := (E (path P t) (G P)).
Notation mean_square t := (E (path P t) (error_square P)).
Notation mean_in_B t := (E (path P (pred t)) (seminorm P B)).
Lemma mean_step : forall t, mean_W (S t)
  <= mean_W t - gamma_1 t * (1 - C_half / v_min * gamma_1 t) * mean_in_B (S t) + C_half * gamma_1 t ^ 2 * mean_square t.
Proof.
  intro t. rewrite one_more. cbn [pred]. apply Rle_trans with (E (path P t) (fun h => 1 * W P h
    + - (gamma_1 t * (1 - C_half / v_min * gamma_1 t)) * seminorm P B h
    + C_half * gamma_1 t ^ 2 * error_square P h)).
  - apply E_le. intros h I. pose proof (free_step t h I). lra.
  - rewrite E_linear. lra.
Qed.
Lemma mean_moved : forall t,
  E (path P t) (moved_square P) <= gamma_1 t ^ 2 * (mean_in_B (S t) / v_min + mean_square t).
Proof.
  intro t. apply (moved_in_mean P B C1 C2 v_min v_max a7_i a7_ii). intros h I. split; [apply (inside_now t h I) |].
  apply (free_moved P kept inactive sigma omega t h weights a3 a4 a5 I).
Qed.

(* own-free-A: no compression, and all take part. Neither alpha nor A6 (i) is used. *)
Theorem free_A : omega_p = 0 -> forall T,
  sum (fun t => gamma P t * (1 - C_half / v_min * gamma P t) * mean_in_B t) T
  <= initial_gap P lowest + C_half * sigma2_n * sum (fun t => gamma P t ^ 2) T.
Proof.
  intros o T. rewrite gap_is. pose proof (C_half_pos P B M C1 C2 a6_ii a7_i) as c. destruct a7_ii as (v & _).
  assert (falls : forall t, mean_W (S t) + gamma_1 t * (1 - C_half / v_min * gamma_1 t) * mean_in_B (S t)
    <= mean_W t + C_half * sigma2_n * gamma_1 t ^ 2).
  { intro t. pose proof (mean_step t) as A. pose proof (mean_noise P sigma omega weights a3 a4 a5 t) as N.
    pose proof (mean_G_pos P t). pose proof (mean_square_pos P t). pose proof (mean_in_B_pos P B (S t)).
    pose proof (steps t). pose proof (sigma2_pos P sigma).
    apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
    eapply as_sum_ge; [| eapply own_free_A_1 with (G_t := mean_G t) (N_t_1 := mean_square t) (W_t := mean_W t)
      (W_t_1 := mean_W (S t)) (bar_C := C_half) (bar_E_t_1 := mean_in_B (S t)) (gamma_t_1 := gamma_1 t)
      (omega_p := omega_p) (tfrac_sigma_2_n := sigma2_n) (v_min := v_min)]; try assumption; lra. }
  pose proof (sum_of_rounds (fun t => mean_W t) (fun t => gamma P t * (1 - C_half / v_min * gamma P t) * mean_in_B t)
    (fun t => gamma P t ^ 2) _ falls T). pose proof (bounded_below P lowest bounded T). lra.
Qed.

(* own-free: 1 + eta = 1 / sqrt (1 - alpha). *)
Notation q := (sqrt (1 - alpha P)).
Notation eta := (/ q - 1).
Notation at_start := (2 * (1 + q) * omega_p * C_half / alpha P).
Notation level := (3 * (1 + 2 * omega_p) * C_half).
Notation gain t := (gamma P t * (1 - 2 * C_half / v_min * gamma P t)).

Section Compressed.
Hypothesis compressed : 0 < omega_p.
Hypothesis rate : 0 < alpha P <= 1 / (1 + omega_p).

Lemma each_round : forall t before, gamma_1 t <= before -> 0 < before ->  (* gamma_t, or gamma_1 where t = 0 *)
  2 * (1 + q) ^ 2 * (omega_p / alpha P ^ 2) * L2_n * gamma_1 t ^ 2 <= 1 ->
  mean_W (S t) + at_start * gamma_1 t ^ 2 * mean_G (S t) + gain (S t) * mean_in_B (S t)
  <= mean_W t + at_start * before ^ 2 * mean_G t + level * gamma_1 t ^ 2 * sigma2_n.
Proof.
  intros t before decreasing positive small. destruct a7_ii as (v & _).
  pose proof (C_half_pos P B M C1 C2 a6_ii a7_i) as c.
  destruct (q_is P omega compressed rate) as (_ & _ & E0 & _ & _ & ratio).
  pose proof (mean_step t) as H1. pose proof (mean_noise P sigma omega weights a3 a4 a5 t) as H2.
  pose proof (fun above larger => variates_at_most P sigma L omega weights a3 a4 a5 compressed rate a6_i
    (free_stays P start kept inactive) t above _ larger (mean_moved t)) as H3.
  pose proof (room P omega compressed rate) as R.
  pose proof (mean_G_pos P t). pose proof (mean_G_pos P (S t)). pose proof (mean_square_pos P t).
  pose proof (mean_in_B_pos P B (S t)). pose proof (sigma2_pos P sigma). pose proof (steps t) as Z.
  replace at_start with (2 * omega_p * C_half * ((1 + q) / alpha P)) by (field; lra).
  replace (2 * (1 + q) ^ 2 * (omega_p / alpha P ^ 2)) with (2 * omega_p * ((1 + q) / alpha P) ^ 2) in small
    by (field; lra).
  rewrite ratio in small |- *. set (b := eta) in *. clearbody b. clear ratio.
  (* The largest L^2 / n that the condition on the step allows. *)
  pose (most := b ^ 2 / (2 * omega_p * (1 + b) ^ 2 * gamma_1 t ^ 2)).
  assert (Den : 0 < 2 * omega_p * (1 + b) ^ 2 * gamma_1 t ^ 2)
    by (repeat apply Rmult_lt_0_compat; try apply pow_lt; lra).
  assert (most_pos : 0 < most) by (apply Rdiv_lt_0_compat; [apply pow_lt |]; lra).
  assert (L2_n <= most).
  { unfold most. apply Rmult_le_reg_r with (2 * omega_p * (1 + b) ^ 2 * gamma_1 t ^ 2); [exact Den |].
    unfold Rdiv. rewrite (Rmult_assoc _ (/ _)), Rinv_l, Rmult_1_r by lra.
    apply (Rmult_le_compat_l (b ^ 2)) in small; [| apply pow2_ge_0].
    eapply Rle_trans; [right | eapply Rle_trans; [exact small | right; ring]]. field. lra. }
  specialize (H3 most ltac:(assumption)).
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_free_1 with (G_t := mean_G t) (G_t_1 := mean_G (S t)) (N_t_1 := mean_square t)
    (W_t := mean_W t) (W_t_1 := mean_W (S t)) (bar_C := C_half) (bar_E_t_1 := mean_in_B (S t)) (beta_1 := b)
    (gamma_t := before) (gamma_t_1 := gamma_1 t) (omega_p := omega_p) (tfrac_L_2_n := most)
    (tfrac_sigma_2_n := sigma2_n) (v_min := v_min)]; try assumption; try lra.
  - field. lra.
  - eapply Rle_trans; [apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ H3))) | right]. field. lra.
  - right. unfold most. field. repeat split; lra.
Qed.

(* The theorem; L2_n = 0, agents whose fields do not move, is allowed. *)
Theorem free : (forall t, gamma_1 (S t) <= gamma_1 t) ->
  (forall t, 2 * (1 + q) ^ 2 * (omega_p / alpha P ^ 2) * L2_n * gamma_1 t ^ 2 <= 1) ->
  forall T, sum (fun t => gain t * mean_in_B t) T
  <= initial_gap P lowest + at_start * gamma P 1 ^ 2 * initial_variates P
    + level * sigma2_n * sum (fun t => gamma P t ^ 2) T.
Proof.
  intros decreasing small T. rewrite gap_is, variates_are.
  pose proof (C_half_pos P B M C1 C2 a6_ii a7_i) as c.
  assert (w0 : 0 <= at_start).
  { pose proof (sqrt_pos (1 - alpha P)). unfold Rdiv. repeat apply Rmult_le_pos; try lra.
    apply Rlt_le, Rinv_0_lt_compat, rate. }
  apply (sum_with_variates (gamma P) (fun t => mean_W t) (fun t => mean_G t) (fun t => gain t * mean_in_B t)
    (fun x => x ^ 2) at_start (level * sigma2_n)); try assumption.
  - intros t before down positive. pose proof (each_round t before down positive (small t)). lra.
  - intros. apply pow2_ge_0.
  - apply (mean_G_pos P).
  - apply (bounded_below P lowest bounded).
Qed.

(* own-free-mean: a constant step, and |h|_B^2 at a time uniform on 0, ..., T - 1 and independent of the path. *)
Theorem free_mean : forall step, (forall t, gamma_1 t = step) ->
  step / 2 <= step * (1 - 2 * C_half / v_min * step) ->
  2 * (1 + q) ^ 2 * (omega_p / alpha P ^ 2) * L2_n * step ^ 2 <= 1 ->
  forall m, let T := INR (S m) in mean_at_random_time P (seminorm P B) m
  <= 2 / (T * step) * (initial_gap P lowest + at_start * step ^ 2 * initial_variates P
    + level * sigma2_n * (T * step ^ 2)).
Proof.
  intros step constant half small m T. pose proof (steps 0%nat) as Z. rewrite constant in Z.
  assert (T0 : 0 < T) by (apply (lt_0_INR (S m)); lia).
  pose proof (free ltac:(intro; rewrite !constant; lra) ltac:(intro; rewrite constant; exact small) (S m)) as Q.
  rewrite (sum_constant P (fun x => x ^ 2) step constant), constant in Q.
  eapply Rle_trans; [apply (mean_of_sum P (seminorm P B) m _ (step / 2) _ Q); [lra |] | right].
  - intro t. cbv beta. rewrite constant. cbn [pred].
    apply Rmult_le_compat_r; [apply (mean_in_B_pos P B (S t)) | exact half].
  - fold T. field. destruct a7_ii, rate. repeat split; try lra.
Qed.
End Compressed.
End Free.

(* An instance: the line of Instance.v where all take part, a compressor sends half or 3/2 of the message, and oracles
   add +1/6 or -1/6. No outcome leaves S, as Shat_t and each h_i(Shat_t) - V_{t,i} stay in [-1, 1]. *)
Definition quiet : problem := {|
  Space := line;
  calS := calS example;
  Theta := R;
  f := f example;  g := g example;  psi := psi example;  phi := phi example;  map := map example;
  n := 2;  mu := mu example;
  sample := R;  pi := pi example;  Sbar := Sbar example;
  initial := initial example;
  p := 1;
  selection := sure true;
  oracles := fun _ i => either (own_mean i - / 6) (own_mean i + / 6);
  compressor := either (fun s => / 2 * s) (fun s => 3 / 2 * s);
  alpha := 2 / 3;
  gamma := gamma example;
  B_used := B_used example;
  Pi := Pi example
|}.
Definition near (h : past R) := -1 <= Shat (after quiet h) <= 1 /\
  forall i, agent quiet i -> -1 <= own_mean i - Shat (after quiet h) - V_agent (after quiet h) i <= 1.
Definition drawn (i : nat) (d : draw R) := active d = true /\
  (oracle d = own_mean i - / 6 \/ oracle d = own_mean i + / 6) /\
  ((forall s, compress d s = / 2 * s) \/ (forall s, compress d s = 3 / 2 * s)).
Lemma draws : forall h w i, agent quiet i -> possible (one_round quiet h) w -> drawn i (w i).
Proof.
  intros h w i A Q. apply (possible_of_one _ _ _ _ _ _ A) in Q.
  apply possible_next in Q. destruct Q as (u & U & Q). apply possible_sure in U. subst u.
  apply possible_next in Q. destruct Q as (a & O & Q). apply possible_either in O.
  apply possible_next in Q. destruct Q as (c & C & Q). apply possible_either in C.
  apply possible_sure in Q. rewrite Q. split; [reflexivity |]. split; [exact O |].
  destruct C as [-> | ->]; [left | right]; reflexivity.
Qed.
Lemma next_near : forall h w, near h -> (forall i, agent quiet i -> drawn i (w i)) ->
  -1 <= Shat (after quiet h) + / 100 * H quiet (after quiet h) w <= 1 /\ near (followed h w).
Proof.
  intros h w (I & N) D.
  assert (A1 : agent quiet 1) by (split; cbn; lia). assert (A2 : agent quiet 2) by (split; cbn; lia).
  pose proof (N _ A1) as N1. pose proof (N _ A2) as N2. destruct (D _ A1) as (U1 & O1 & Q1), (D _ A2) as (U2 & O2 & Q2).
  pose proof (variates_conserved quiet h 1) as V. cbn in V.
  set (s := Shat (after quiet h)) in *. set (v1 := V_agent (after quiet h) 1%nat) in *.
  set (v2 := V_agent (after quiet h) 2%nat) in *.
  pose (m1 := compress (w 1%nat) (oracle (w 1%nat) + -1 * s + -1 * v1)).
  pose (m2 := compress (w 2%nat) (oracle (w 2%nat) + -1 * s + -1 * v2)).
  assert (X : H quiet (after quiet h) w = / 2 * (v1 + v2) + / 2 * (m1 + m2)).
  { unfold H, over_active, message, Delta, minus. cbn. rewrite U1, U2. fold s v1 v2. fold m1 m2. lra. }
  cbn in N1, N2, O1, O2.
  assert (Y1 : -1 <= s + / 100 * (/ 2 * (v1 + v2) + / 2 * (m1 + m2)) <= 1 /\
    -1 <= 1 - (s + / 100 * (/ 2 * (v1 + v2) + / 2 * (m1 + m2))) - (v1 + 2 / 3 * m1) <= 1 /\
    -1 <= -1 - (s + / 100 * (/ 2 * (v1 + v2) + / 2 * (m1 + m2))) - (v2 + 2 / 3 * m2) <= 1).
  { unfold m1, m2. destruct O1 as [-> | ->], O2 as [-> | ->], Q1 as [-> | ->], Q2 as [-> | ->]; lra. }
  destruct Y1 as (Y & Y1 & Y2). split; [rewrite X; exact Y |].
  assert (S' : Shat (after quiet (followed h w)) = s + / 100 * (/ 2 * (v1 + v2) + / 2 * (m1 + m2))).
  { rewrite <- X in Y |- *. pose proof (clamped (s + / 100 * H quiet (after quiet h) w)) as C. cbv zeta in C.
    change (Shat (after quiet (followed h w))) with (Rmax (-1) (Rmin 1 (s + / 100 * H quiet (after quiet h) w))). lra. }
  assert (V1 : V_agent (after quiet (followed h w)) 1%nat = v1 + 2 / 3 * m1).
  { cbn [after step V_agent]. unfold message, Delta, minus. cbn. rewrite U1. fold s v1. fold m1. field. }
  assert (V2 : V_agent (after quiet (followed h w)) 2%nat = v2 + 2 / 3 * m2).
  { cbn [after step V_agent]. unfold message, Delta, minus. cbn. rewrite U2. fold s v2. fold m2. field. }
  split; [rewrite S'; exact Y |]. intros [| [| [| i]]] (i1 & i2); cbn in i1, i2; try lia; rewrite S'.
  - rewrite V1. exact Y1.
  - rewrite V2. exact Y2.
Qed.
Lemma always_near : forall t h, possible (path quiet t) h -> near h.
Proof.
  induction t as [| t IH]; intros h Q; cbn [path] in Q; apply possible_next in Q; destruct Q as (w & A & D).
  - apply possible_sure in A. apply possible_sure in D. subst h w. split; [cbn; lra |].
    intros [| [| [| i]]] (i1 & i2); cbn in i1, i2; try lia; cbn; lra.
  - apply possible_next in D. destruct D as (d & I & D). apply possible_sure in D. subst h.
    apply next_near; [exact (IH w A) |]. intros i a. exact (draws w d i a I).
Qed.

Theorem free_hypotheses_hold : let P := quiet in
  distribution P /\ starts_inside P /\ steps_positive P /\ keeps P /\ lands_inside P /\
  MM_1 P /\ MM_2 P /\ A3 P (fun _ => / 6) /\ A4 P (/ 4) /\ A5 P /\ A6_i P (fun _ => 1) /\ A6_ii P 1 /\
  A7_i P B_of 1 1 /\ A7_ii P B_of 1 1 /\ A8_i P /\ (forall theta, 0 <= f P theta + g P theta) /\
  0 < omega_p P (/ 4) /\ 0 < alpha P <= 1 / (1 + omega_p P (/ 4)) /\
  (forall t, gamma P (S t) = / 100) /\ / 100 / 2 <= / 100 * (1 - 2 * Projected.C_half 1 1 1 / 1 * / 100) /\
  2 * (1 + sqrt (1 - alpha P)) ^ 2 * (omega_p P (/ 4) / alpha P ^ 2) * L2_n P (fun _ => 1) * (/ 100) ^ 2 <= 1.
Proof.
  cbv zeta. destruct hypotheses_hold as (weights & start & steps & _ & mm_1 & mm_2 & _ & _ & _ & a6_i & a6_ii & a7_i
    & a7_ii & a8_i & _ & bounded & _).
  assert (sq : forall u : vec line, norm u ^ 2 = u * u) by (intro; apply norm_square).
  assert (o : omega_p quiet (/ 4) = / 4) by (unfold omega_p; cbn; field).
  split; [exact weights |]. split; [exact start |]. split; [exact steps |].
  split.
  { intros h x I. pose proof (clamped x) as C. cbv zeta in C. cbn in I |- *.
    assert (Q : Rmax (-1) (Rmin 1 x) = x) by lra. rewrite Q. split; [exact I | intro; reflexivity]. }
  split.
  { intros t h w I J. apply next_near; [exact (always_near t h I) |]. intros i a. exact (draws h w i a J). }
  split; [exact mm_1 |]. split; [exact mm_2 |].
  split.
  { intros t h i _ _. cbv zeta. change (mean_oracle_of quiet) with (mean_oracle_of example). rewrite mean_of_line.
    split; [lra |]. split.
    - intro y. cbn. field.
    - cbn [oracles quiet]. rewrite mean_either, !sq. unfold minus. cbn. right. field. }
  split.
  { split; [lra |]. intro s. split.
    - intro y. cbn. field.
    - cbn [compressor quiet]. rewrite mean_either, !sq. unfold minus. cbn. right. field. }
  split; [split; cbn; [lra | ring] |].
  split; [exact a6_i |]. split; [exact a6_ii |]. split; [exact a7_i |]. split; [exact a7_ii |].
  split; [exact a8_i |]. split; [exact bounded |]. rewrite o.
  split; [lra |]. split; [cbn; lra |]. split; [reflexivity |]. split; [unfold Projected.C_half; lra |].
  assert (q : 0 <= sqrt (1 - alpha quiet) <= 1).
  { split; [apply sqrt_pos |]. rewrite <- sqrt_1 at 2. apply sqrt_le_1_alt. cbn. lra. }
  assert (Q : (1 + sqrt (1 - alpha quiet)) ^ 2 <= 4) by nra.
  generalize dependent ((1 + sqrt (1 - alpha quiet)) ^ 2). intros x X. unfold L2_n, slopes. cbn. lra.
Qed.

Definition together := (free_step, free_A, free, free_mean, free_hypotheses_hold).
Print Assumptions together.
