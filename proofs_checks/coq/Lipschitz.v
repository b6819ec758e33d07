(* Beyond Theorem 1, from Algorithm 2 to the bound, without A7: phi o T is L_T-Lipschitz, the mean oracle ell-Lipschitz
   in phi(T(s)), and S has interior points. Neither A6 (ii) nor A8 (ii) is assumed: Pi is any map into S that comes no
   farther from its points. With Phi_t = W_t + a |h(Shat_t)|^2, a = 1 / (8 L_T ell^2), noise is of first order. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondTheorem Means Identities Propositions34 Laws Algorithm Geometry Draws Round FromAlgorithm.
Require Import Inside Singular Gap Variates Nearer.
Open Scope R_scope.

Section Lipschitz.
Variable P : problem.
Variables sigma L : nat -> R.
Variables omega L_T ell lowest : R.
(* The data of Algorithm 2. *)
Hypothesis weights : distribution P.
Hypothesis start : starts_inside P.
Hypothesis steps : steps_positive P.
Hypothesis projection : nearer P.
(* MM-1 with the values of Sbar, MM-2, A3 to A6 (i), what is asked of phi o T, and that f + g is bounded below. *)
Hypothesis mm_1 : MM_1 P.
Hypothesis values : MM_1_values P.
Hypothesis mm_2 : MM_2 P.
Hypothesis a3 : A3 P sigma.
Hypothesis a4 : A4 P omega.
Hypothesis a5 : A5 P.
Hypothesis a6_i : A6_i P L.
Hypothesis a8_i : A8_i P.
Hypothesis interior : has_interior P.
Hypothesis image_slopes : image_lipschitz P L_T.
Hypothesis oracle_slopes : oracle_lipschitz P ell.
Hypothesis bounded : forall theta, lowest <= f P theta + g P theta.
Notation gamma_1 t := (gamma P (S t)).  (* gamma_{t+1} *)
Hypothesis short : forall t, gamma_1 t <= 1 / 2.

Notation omega_p := (omega_p P omega).
Notation sigma2_n := (sigma2_n P sigma).
Notation L2_n := (L2_n P L).
Definition a := 1 / (8 * L_T * ell ^ 2).
Definition Phi h := W P h + a * field_square P h.

Lemma a_pos : 0 < a.
Proof.
  destruct image_slopes as (l & _), oracle_slopes as (e & _). unfold a. apply Rdiv_lt_0_compat; [lra |].
  apply Rmult_lt_0_compat; [lra | apply pow_lt, e].
Qed.

Section One_round.
Variable t : nat.
Variable h : past (vec P).
Hypothesis reached : possible (path P t) h.
Notation s := (Shat (after P h)).
Notation s' w := (Shat (after P (followed h w))).
Notation step_size := (gamma P (S (rounds h))).
Notation error w := (H P (after P h) w [-] field P s).
Notation ds w := (s' w [-] s).

Notation in_S := (inside_now P start projection t h reached).

Lemma outcome : forall w, Phi (followed h w)
  <= Phi h - a * step_size * field_square P h + (L_T + 2 * a) * step_size * norm (error w) ^ 2.
Proof.
  intro w. pose proof (steps (rounds h)) as Z. pose proof (short (rounds h)) as Z'.
  destruct image_slopes as (l & _), oracle_slopes as (e & ell_is).
  pose (dphi := image P (s' w) [-] image P s). pose (delta := oracle_at P (s' w) [-] oracle_at P s).
  pose (move := ds w). pose (xi := error w). pose (x := field P s).
  assert (U : 2 + (/ step_size - 2) = / step_size) by ring.
  assert (U0 : 0 <= / step_size - 2).
  { apply Rmult_le_reg_l with step_size; [exact Z |].
    replace (step_size * (/ step_size - 2)) with (1 - 2 * step_size) by (field; lra). lra. }
  assert (near : dot (move [-] step_size [*] x) (move [-] step_size [*] x) <= step_size ^ 2 * dot xi xi).
  { apply (kept_near P projection h weights values a8_i in_S). lra. }
  assert (after_h : field_square P (followed h w) = dot (x [-] move [+] delta) (x [-] move [+] delta)).
  { unfold field_square. rewrite norm_square. apply same_square. intro y.
    unfold x, move, delta, oracle_at, field. expand. ring. }
  assert (coco : 0 <= dot dphi move - dot dphi dphi * / L_T).
  { apply (cocoercive P L_T mm_2 a8_i (proj1 values) image_slopes interior s (s' w) in_S (next_in P projection h w)). }
  assert (lip : dot delta delta <= ell ^ 2 * dot dphi dphi).
  { rewrite <- !norm_square, <- Rpow_mult_distr. apply pow_incr.
    split; [apply norm_pos | apply (ell_is s (s' w) in_S (next_in P projection h w))]. }
  unfold Phi. rewrite after_h, norm_square. unfold field_square. rewrite norm_square. fold xi x.
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_lip_step_1 with (Delta_phi := dphi) (Delta_s := move) (F_x := zero)
    (delta := delta) (h := x) (xi := xi) (L_T := L_T) (V_w := dot dphi dphi * / (2 * L_T)) (V_x := 0)
    (V_y := dot dphi dphi * / (2 * L_T)) (V_z := 0) (ell := ell) (f := f P (map P s)) (f' := f P (map P (s' w)))
    (g := g P (map P s)) (g' := g P (map P (s' w))) (psi := psi P (map P s)) (psi' := psi P (map P (s' w))) (s := s)
    (u := / step_size - 2)]; try assumption; rewrite ?U, ?Rinv_inv, ?dot_zero.
  - unfold W, a. expand. rewrite (dot_sym _ move x), (dot_sym _ delta x), (dot_sym _ delta move). field. split; lra.
  - pose proof (mm_1 (map P s) (map P (s' w))) as Q.
    change (phi P (map P (s' w)) [-] phi P (map P s)) with dphi in Q.
    assert (D : dot dphi x = dot (mean_oracle P (map P s)) dphi - dot dphi s).
    { unfold x, field. unfold minus at 1. rewrite dot_add_r, dot_scal_r, (dot_sym _ dphi (mean_oracle _ _)). ring. }
    rewrite D. lra.
  - pose proof (mm_2 (s' w) (next_in P projection h w) (map P s)) as Q.
    assert (D : dot dphi move + dot dphi s = dot (s' w) (phi P (map P (s' w))) - dot (s' w) (phi P (map P s))).
    { unfold dphi, move, image. expand. rewrite !(dot_sym _ (phi P _) (s' w)). ring. }
    lra.
  - right. field. lra.
  - right. field. lra.
  - right. ring.
  - eapply Rle_trans; [exact coco | right; field; lra].
  - lra.
  - apply (Rmult_le_compat_l (/ step_size ^ 2)) in near; [| apply Rlt_le, Rinv_0_lt_compat, pow_lt; lra].
    replace (/ step_size ^ 2 * (step_size ^ 2 * dot xi xi)) with (dot xi xi) in near by (field; lra).
    revert near. expand. rewrite (dot_sym _ x move). intro near.
    eapply as_sum_ge; [| apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ near)))]. field. lra.
Qed.

(* own-lip-step. *)
Theorem lip_step : E (one_round P h) (fun w => Phi (followed h w))
  <= Phi h - a * step_size * field_square P h + (L_T + 2 * a) * step_size * error_square P h.
Proof.
  apply Rle_trans with (E (one_round P h) (fun w => (Phi h - a * step_size * field_square P h) * 1
    + (L_T + 2 * a) * step_size * norm (error w) ^ 2)).
  - apply mean_le. intro w. pose proof (outcome w). lra.
  - rewrite (mean_add _ _ (fun w => _ * 1)), mean_const, mean_scal. unfold error_square. lra.
Qed.
End One_round.

(* In the mean over all paths. *)
Notation mean_Phi t := (E (path P t) Phi).
Notation mean_G t := (E (path P t) (G P)).
Notation mean_square t := (E (path P t) (error_square P)).
Notation mean_field t := (E (path P (pred t)) (field_square P)).
Lemma mean_step : forall t, mean_Phi (S t)
  <= mean_Phi t - a * gamma_1 t * mean_field (S t) + (L_T + 2 * a) * gamma_1 t * mean_square t.
Proof.
  intro t. rewrite one_more. cbn [pred]. apply Rle_trans with (E (path P t) (fun h => 1 * Phi h
    + - (a * gamma_1 t) * field_square P h + (L_T + 2 * a) * gamma_1 t * error_square P h)).
  - apply E_le. intros h I. pose proof (lip_step t h I) as Q. rewrite (rounds_of_path P t h I) in Q. lra.
  - rewrite E_linear. lra.
Qed.
Lemma mean_moved : forall t, E (path P t) (moved_square P) <= gamma_1 t ^ 2 * (mean_field (S t) + mean_square t).
Proof.
  intro t. cbn [pred]. apply Rle_trans with (E (path P t) (fun h => gamma_1 t ^ 2 * field_square P h
    + gamma_1 t ^ 2 * error_square P h)).
  - apply E_le. intros h I. pose proof (moved P start projection h sigma omega t weights a3 a4 a5 I) as Q.
    rewrite (rounds_of_path P t h I) in Q. lra.
  - rewrite (mean_add _ _ (fun h => _ * field_square P h)), !mean_scal. lra.
Qed.
Lemma mean_field_pos : forall t, 0 <= mean_field t.
Proof. intro t. apply mean_pos. intro. apply pow2_ge_0. Qed.
Lemma Phi_below : forall t, lowest <= mean_Phi t.
Proof.
  intro t. eapply Rle_trans; [apply (bounded_below P lowest bounded t) |]. apply mean_le. intro h. unfold Phi.
  pose proof a_pos as a0. pose proof (Rmult_le_pos a _ ltac:(lra) (pow2_ge_0 (norm (field P (Shat (after P h)))))).
  unfold field_square. lra.
Qed.
Lemma Phi_at_0 : mean_Phi 0%nat = initial_gap P lowest + a * initial_field P + lowest.
Proof. rewrite gap_is, field_is. unfold Phi. rewrite (mean_add _ _ (W P)), mean_scal. ring. Qed.
Notation start_gap := (initial_gap P lowest + a * initial_field P).

(* own-lip-A: no compression, and all take part. Neither alpha nor A6 (i) is used. *)
Theorem lip_A : omega_p = 0 -> forall T, sum (fun t => a * gamma P t * mean_field t) T
  <= start_gap + (L_T + 2 * a) * sigma2_n * sum (gamma P) T.
Proof.
  intros o T. destruct image_slopes as (l & _), oracle_slopes as (e & _).
  assert (falls : forall t, mean_Phi (S t) + a * gamma_1 t * mean_field (S t)
    <= mean_Phi t + (L_T + 2 * a) * sigma2_n * gamma_1 t).
  { intro t. pose proof (mean_step t) as A. pose proof (mean_noise P sigma omega weights a3 a4 a5 t) as N.
    pose proof (mean_G_pos P t). pose proof (mean_square_pos P t). pose proof (mean_field_pos (S t)).
    pose proof (steps t). pose proof (sigma2_pos P sigma).
    apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
    eapply as_sum_ge; [| eapply own_lip_A_1 with (G_t := mean_G t) (L_T := L_T) (N_t_1 := mean_square t)
      (W_t := mean_Phi t) (W_t_1 := mean_Phi (S t)) (bar_E_t_1 := mean_field (S t)) (ell := ell)
      (gamma_t_1 := gamma_1 t) (omega_p := omega_p) (tfrac_sigma_2_n := sigma2_n)]; try assumption; try lra.
    - unfold a. field. split; lra.
    - eapply as_sum_ge; [| apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ A)))]. unfold a. field. split; lra. }
  pose proof (sum_of_rounds (fun t => mean_Phi t) (fun t => a * gamma P t * mean_field t) (gamma P) _ falls T) as Q.
  cbv beta in Q. rewrite Phi_at_0 in Q. pose proof (Phi_below T). lra.
Qed.

(* own-lip: 1 + eta = 1 / sqrt (1 - alpha). *)
Notation q := (sqrt (1 - alpha P)).
Notation eta := (/ q - 1).
Notation at_start := (3 / 2 * (1 + q) * omega_p * (L_T + 2 * a) / alpha P).
Notation level := (9 / 4 * (1 + 2 * omega_p) * (L_T + 2 * a)).
Notation taken t := (3 * (1 + 4 * L_T ^ 2 * ell ^ 2) * (1 + q) ^ 2 * (omega_p / alpha P ^ 2) * L2_n * gamma P t ^ 2).

Section Compressed.
Hypothesis compressed : 0 < omega_p.
Hypothesis rate : 0 < alpha P <= 1 / (1 + omega_p).

Lemma one_round : forall t before, gamma_1 t <= before -> 0 < before ->  (* gamma_t, or gamma_1 where t = 0 *)
  taken (S t) <= 1 ->
  mean_Phi (S t) + at_start * gamma_1 t * mean_G (S t) + a * gamma_1 t * (1 - taken (S t)) * mean_field (S t)
  <= mean_Phi t + at_start * before * mean_G t + level * gamma_1 t * sigma2_n.
Proof.
  intros t before decreasing positive small. destruct image_slopes as (l & _), oracle_slopes as (e & _).
  pose proof a_pos as a0. destruct (q_is P omega compressed rate) as (_ & _ & E0 & _ & _ & ratio).
  pose proof (mean_step t) as H1. pose proof (mean_noise P sigma omega weights a3 a4 a5 t) as H2.
  pose proof (fun above larger => variates_at_most P sigma L omega weights a3 a4 a5 compressed rate a6_i
    (inside_always P start projection) t above _ larger (mean_moved t)) as H3.
  pose proof (room P omega compressed rate) as R.
  pose proof (mean_G_pos P t). pose proof (mean_G_pos P (S t)). pose proof (mean_square_pos P t).
  pose proof (mean_field_pos (S t)). pose proof (sigma2_pos P sigma). pose proof (L2_pos P L) as L0.
  pose proof (steps t) as Z.
  replace at_start with (3 / 2 * omega_p * (L_T + 2 * a) * ((1 + q) / alpha P)) by (field; lra).
  assert (shape : taken (S t) = 3 * (1 + 4 * L_T ^ 2 * ell ^ 2) * omega_p * ((1 + q) / alpha P) ^ 2 * L2_n
    * gamma_1 t ^ 2) by (field; lra).
  rewrite shape in small |- *. clear shape. rewrite ratio in small |- *. set (b := eta) in *. clearbody b.
  clear ratio.
  (* With L^2 / n, or a number above it: the certificate has it positive. *)
  pose (c := 3 * (1 + 4 * L_T ^ 2 * ell ^ 2) * omega_p * ((1 + b) / b) ^ 2 * gamma_1 t ^ 2).
  assert (c0 : 0 < c).
  { pose proof (Rmult_le_pos _ _ (pow2_ge_0 L_T) (pow2_ge_0 ell)).
    pose proof (Rdiv_lt_0_compat (1 + b) b ltac:(lra) E0).
    unfold c. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat |] |];
      try apply pow_lt; lra. }
  assert (shown : forall x, 0 < x -> L2_n <= x -> c * x <= 1 ->
    0 <= mean_Phi t + 3 / 2 * omega_p * (L_T + 2 * a) * ((1 + b) / b) * before * mean_G t
      + level * gamma_1 t * sigma2_n - mean_Phi (S t)
      - 3 / 2 * omega_p * (L_T + 2 * a) * ((1 + b) / b) * gamma_1 t * mean_G (S t)
      - a * gamma_1 t * (1 - c * x) * mean_field (S t)).
  { intros x x0 above small'.
    specialize (H3 x above).
    eapply as_sum_ge; [| eapply own_lip_1 with (G_t := mean_G t) (G_t_1 := mean_G (S t)) (L_T := L_T)
      (N_t_1 := mean_square t) (W_t := mean_Phi t) (W_t_1 := mean_Phi (S t)) (bar_E_t_1 := mean_field (S t))
      (beta_1 := b) (ell := ell) (gamma_t := before) (gamma_t_1 := gamma_1 t) (omega_p := omega_p)
      (tfrac_L_2_n := x) (tfrac_sigma_2_n := sigma2_n)]; try assumption; try lra.
    - unfold c, a. field. repeat split; lra.
    - eapply as_sum_ge; [| apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ H1)))]. unfold a. field. split; lra.
    - eapply as_sum_ge; [| apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ H3)))]. field. lra.
    - eapply as_sum_ge; [| apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ small')))]. unfold c. field. lra. }
  assert (same_c : c * L2_n = 3 * (1 + 4 * L_T ^ 2 * ell ^ 2) * omega_p * ((1 + b) / b) ^ 2 * L2_n * gamma_1 t ^ 2)
    by (unfold c; ring).
  rewrite <- same_c in small |- *. clear same_c. clearbody c. destruct L0 as [L0 | L0].
  - pose proof (shown L2_n L0 (Rle_refl _) small). lra.
  - apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
    apply limit_zero with (b := a * gamma_1 t * mean_field (S t)). intros r r0 r1. rewrite <- L0.
    pose proof (Rdiv_lt_0_compat r c r0 c0) as x0.
    pose proof (shown (r / c) x0 ltac:(lra) ltac:(apply Rle_trans with r; [right; field |]; lra)) as S0.
    replace (c * (r / c)) with r in S0 by (field; lra). lra.
Qed.

(* The theorem. *)
Theorem lipschitz : (forall t, gamma_1 (S t) <= gamma_1 t) -> (forall t, taken (S t) <= 1) ->
  forall T, sum (fun t => a * gamma P t * (1 - taken t) * mean_field t) T
  <= start_gap + at_start * gamma P 1 * initial_variates P + level * sigma2_n * sum (gamma P) T.
Proof.
  intros decreasing small T. rewrite variates_are.
  pose proof a_pos. destruct image_slopes as (l & _). assert (w0 : 0 <= at_start).
  { pose proof (sqrt_pos (1 - alpha P)). unfold Rdiv. repeat apply Rmult_le_pos; try lra.
    apply Rlt_le, Rinv_0_lt_compat, rate. }
  pose proof (sum_with_variates (gamma P) (fun t => mean_Phi t) (fun t => mean_G t)
    (fun t => a * gamma P t * (1 - taken t) * mean_field t) (fun x => x) at_start (level * sigma2_n) lowest) as Q.
  cbv beta in Q. rewrite Phi_at_0 in Q.
  eapply Rle_trans; [apply Q; try assumption | right; cbv beta; change (fun t => gamma P t) with (gamma P); ring].
  - intros t before down positive. pose proof (one_round t before down positive (small t)). lra.
  - intros. lra.
  - apply (mean_G_pos P).
  - apply Phi_below.
Qed.

(* own-lip-mean: a constant step, and h at a time that is uniform on 0, ..., T - 1 and independent of the path. *)
Theorem lipschitz_mean : forall step, (forall t, gamma_1 t = step) -> a * step / 2 <= a * step * (1 - taken 1) ->
  forall m, let T := INR (S m) in mean_at_random_time P (field_square P) m
  <= 2 / (a * T * step) * (start_gap + at_start * step * initial_variates P + level * sigma2_n * (T * step)).
Proof.
  intros step constant half m T. pose proof (steps 0%nat) as Z. rewrite constant in Z. pose proof a_pos as a0.
  assert (T0 : 0 < T) by (apply (lt_0_INR (S m)); lia).
  assert (K : 0 < a * step) by (apply Rmult_lt_0_compat; lra).
  assert (each : forall t, taken (S t) <= 1 / 2).
  { intro t. rewrite constant in *. apply Rmult_le_reg_l with (a * step); [exact K |]. lra. }
  pose proof (lipschitz ltac:(intro; rewrite !constant; lra) ltac:(intro t; specialize (each t); lra) (S m)) as Q.
  rewrite (sum_constant P (fun x => x) step constant), constant in Q.
  eapply Rle_trans; [apply (mean_of_sum P (field_square P) m _ (a * step / 2) _ Q); [lra |] | right].
  - intro t. specialize (each t). cbv beta. rewrite constant in *. cbn [pred].
    apply Rmult_le_compat_r; [apply (mean_field_pos (S t)) |].
    apply (Rmult_le_compat_l (a * step)) in each; lra.
  - fold T. field. destruct rate. repeat split; lra.
Qed.
End Compressed.
End Lipschitz.

Definition together := (lip_step, lip_A, lipschitz, lipschitz_mean).
Print Assumptions together.
