(* EF21-MM, beyond Theorem 1, from the algorithm to a linear rate without A7: where the mean field pulls towards a point
   s_star of S, the distance to it shrinks. That h(s_star) = 0 follows, as cocoercivity says at s_star. Messages may be
   biased, oracles are exact or noisy; what is kept and what follows Shat is in Biased.v. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondMessages Means Identities Laws Algorithm Geometry FromAlgorithm Inside Instance.
Require Import Singular Nearer BiasedStep Biased.
Open Scope R_scope.

Section Assumptions.
Variable P : problem.
Variable s_star : vec P.
Notation d s := (s [-] s_star).
Definition pulled m := 0 < m /\ forall s, calS P s -> m * norm (d s) ^ 2 <= - dot (field P s) (d s).
Definition pull_bounds ell := 0 < ell /\ forall s, calS P s -> norm (field P s) ^ 2 <= ell * - dot (field P s) (d s).
End Assumptions.

Section Monotone.
Variable P : problem.
Variable s_star : vec P.
Variable L : nat -> R.
Variables a m ell q w step : R.
(* The data of the algorithm, with a constant step. *)
Hypothesis weights : distribution P.
Hypothesis start : starts_inside P.
Hypothesis steps : steps_positive P.
Hypothesis constant : forall t, gamma P (S t) = step.
Hypothesis projection : nearer P.
(* Contractions for A4, A5, A6 (i), and the pull towards s_star. *)
Hypothesis contracts : contraction P a.
Hypothesis a5 : A5 P.
Hypothesis a6_i : A6_i P L.
Hypothesis target : calS P s_star.
Hypothesis monotone : pulled P s_star m.
Hypothesis cocoercive : pull_bounds P s_star ell.
(* The conditions on w and on the step; q is what q^2 E[G_t] of the errors has. *)
Notation L2 := (weighted P (fun i => L i ^ 2)).
Hypothesis q_in : 0 < q < 1.
Hypothesis w_positive : 0 < w.
Hypothesis w_enough : q ^ 2 * (2 / m + 2 * step)
  <= w * (1 - step * m - q - 2 * step ^ 2 * L2 * q ^ 2 / (1 - q)).
Hypothesis short : 2 * step + 2 * w * step ^ 2 * L2 / (1 - q) <= 1 / (2 * ell).

Definition Psi h := norm (Shat (ef21 P h) [-] s_star) ^ 2 + w * step * G_ef21 P h.
Definition level := step * (2 / m + 2 * step + w * (1 / q + 2 * step ^ 2 * L2 / (1 - q))).
Notation square_field h := (norm (field P (Shat (ef21 P h))) ^ 2).
Notation mean_distance t := (E (path P t) (fun h => norm (Shat (ef21 P h) [-] s_star) ^ 2)).
Notation mean_square t := (E (path P t) (fun h => square_field h)).
Notation mean_kept t := (E (path P t) (kept_error P)).
Notation mean_move t := (E (path P t) (moved_square P)).

Lemma step_positive : 0 < step.
Proof. rewrite <- (constant 0). apply steps. Qed.

(* Every outcome of a round: two squares are left over. *)
Section Outcome.
Variable t : nat.
Variable h : past (vec P).
Hypothesis reached : possible (path P t) h.
Notation s := (Shat (ef21 P h)).
Notation s' o := (Shat (ef21 P (followed h o))).
Notation e o := (V_server (ef21 P (followed h o)) [-] field P s).
Lemma nearer_to_point : forall z, calS P z -> forall o, let x := s [-] z in
  norm (s' o [-] z) ^ 2 <= dot x x + 2 * step * (dot (field P s) x + dot (e o) x)
    + step ^ 2 * (dot (field P s) (field P s) + 2 * dot (field P s) (e o) + dot (e o) (e o)).
Proof.
  intros z Z o x. pose proof (rounds_of_path P t h reached) as R.
  apply Rle_trans with (norm (s [+] step [*] V_server (ef21 P (followed h o)) [-] z) ^ 2).
  - apply pow_incr. split; [apply norm_pos |]. cbn [ef21 ef21_step Shat V_server]. rewrite R, constant.
    apply projection, Z.
  - right. rewrite norm_square. unfold x. generalize (V_server (ef21 P (followed h o))) (field P s). intros v u.
    transitivity (dot (x [+] step [*] (u [+] (v [-] u))) (x [+] step [*] (u [+] (v [-] u)))).
    + apply same_square. intro y. unfold x. expand. ring.
    + fold x. generalize x (v [-] u). clear. intros x e. expand.
      rewrite (dot_sym _ x u), (dot_sym _ x e), (dot_sym _ e u). ring.
Qed.
Lemma outcome_nearer : forall o, norm (s' o [-] s_star) ^ 2 <= (1 - step * m) * norm (s [-] s_star) ^ 2
  - step * (1 / (2 * ell) - 2 * step) * square_field h + step * (2 / m + 2 * step) * norm (e o) ^ 2.
Proof.
  intro o. pose proof (nearer_to_point s_star target o) as N. cbv zeta in N. pose proof step_positive.
  destruct monotone as (m0 & pull), cocoercive as (ell0 & bounds).
  pose proof (inside_ef21 P start projection t h reached) as I. specialize (pull _ I). specialize (bounds _ I).
  rewrite !norm_square in *.
  generalize dependent (s' o [-] s_star). intros d' N. set (d := s [-] s_star) in *.
  generalize dependent (e o). intros e N. generalize dependent (field P s). intros u pull bounds N.
  pose proof (dot_pos P (d [-] (2 / m) [*] e)) as S1. pose proof (dot_pos P (u [-] 1 [*] e)) as S2.
  rewrite square_apart in S1, S2. rewrite (dot_sym _ d e) in S1.
  apply (Rmult_le_compat_l (step * m / 2)) in S1; [| nonnegative].
  apply (Rmult_le_compat_l (step ^ 2)) in S2; [| nonnegative].
  apply (Rmult_le_compat_l (3 / 2 * step)) in pull; [| nonnegative].
  apply (Rmult_le_compat_l (step / (2 * ell))) in bounds; [| nonnegative].
  replace (step / (2 * ell) * (ell * - dot u d)) with (step / 2 * - dot u d) in bounds by (field; lra).
  replace (step * m / 2 * (dot d d - 2 * (2 / m) * dot e d + (2 / m) ^ 2 * dot e e)) with
    (step * m / 2 * dot d d - 2 * step * dot e d + step * (2 / m) * dot e e) in S1 by (field; lra).
  replace (step * (1 / (2 * ell) - 2 * step) * dot u u) with (step / (2 * ell) * dot u u - 2 * step ^ 2 * dot u u)
    by (field; lra). lra.
Qed.
Lemma outcome_moves : forall o, norm (s' o [-] s) ^ 2 <= 2 * step ^ 2 * (square_field h + norm (e o) ^ 2).
Proof.
  intro o. pose proof (nearer_to_point s (inside_ef21 P start projection t h reached) o) as N. cbv zeta in N.
  rewrite !norm_square in *. generalize dependent (s' o [-] s). intros d' N.
  assert (none : forall x, dot x (s [-] s) = 0) by (intro x; expand; ring). rewrite !none in N.
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_biased_monotone_3 with (Delta_s := d') (e := e o) (h := field P s)
    (gamma := step)]; [ring | apply step_positive |].
  rewrite (dot_sym _ (e o) (field P s)). lra.
Qed.
End Outcome.

(* In the mean over all paths; the error of the server's direction is at most what the agents keep. *)
Lemma mean_direction : forall t, E (path P t) (direction_error P) <= mean_kept t.
Proof. intro t. apply mean_le. intro h. apply jensen, weights. Qed.
Lemma mean_nearer : forall t, mean_distance (S t) <= (1 - step * m) * mean_distance t
  - step * (1 / (2 * ell) - 2 * step) * mean_square t + step * (2 / m + 2 * step) * mean_kept t.
Proof.
  intro t. pose proof step_positive. destruct monotone as (m0 & _). pose proof (mean_direction t) as J.
  apply (Rmult_le_compat_l (step * (2 / m + 2 * step))) in J; [| nonnegative].
  apply Rle_trans with (E (path P t) (fun h => (1 - step * m) * norm (Shat (ef21 P h) [-] s_star) ^ 2
    + - (step * (1 / (2 * ell) - 2 * step)) * square_field h + step * (2 / m + 2 * step) * direction_error P h)).
  - rewrite one_more. apply E_le. intros h I. apply mean_ge. intro o.
    pose proof (outcome_nearer t h I o). lra.
  - rewrite !mean_add, !mean_scal. lra.
Qed.
Lemma mean_moves : forall t, mean_move t <= 2 * step ^ 2 * (mean_square t + mean_kept t).
Proof.
  intro t. pose proof step_positive. pose proof (mean_direction t) as J.
  apply Rle_trans with (2 * step ^ 2 * (mean_square t + E (path P t) (direction_error P))).
  2: { apply Rmult_le_compat_l; [nonnegative | lra]. }
  rewrite <- mean_add, <- mean_scal. apply E_le. intros h I. rewrite Rmult_plus_distr_l. apply mean_ge.
  intro o. pose proof (outcome_moves t h I o). lra.
Qed.

(* T rounds: what follows holds for every level nu of noise. *)
Section Rounds.
Variable nu : R.
Hypothesis nu0 : 0 <= nu.
Hypothesis received : forall t, mean_kept t <= q ^ 2 * mean_G P t + nu.
Lemma one_round_of : forall t, E (path P (S t)) Psi <= (1 - step * m) * E (path P t) Psi + level * nu.
Proof.
  intro t. pose proof step_positive. destruct monotone as (m0 & _), cocoercive as (ell0 & _).
  assert (split_Psi : forall k, E (path P k) Psi = mean_distance k + w * step * mean_G P k).
  { intro k. unfold Psi, mean_G. rewrite (mean_add _ _ (fun h => norm _ ^ 2)), mean_scal. reflexivity. }
  rewrite !split_Psi. unfold level. pose (b := / q - 1). assert (b0 : 0 < b).
  { unfold b. apply Rlt_Rminus. rewrite <- Rinv_1 at 1. apply Rinv_lt_contravar; lra. }
  assert (bq : q = / (1 + b)) by (unfold b; field; lra).
  pose proof (mean_nearer t) as H1. replace (1 / (2 * ell)) with (1 / 2 * / ell) in H1 by (field; lra).
  pose proof (mean_moves t) as H2. pose proof (received t) as H3.
  pose proof (mean_follows P L weights start projection a6_i b b0 t) as H4.
  replace (1 + 1 / b) with (/ b * (1 + b)) in H4 by (field; lra).
  clear split_Psi. clearbody b. rewrite bq in *. rewrite pow_inv in H3.
  assert (D0 : forall k, 0 <= mean_distance k) by (intro; apply mean_pos; intro; apply pow2_ge_0).
  assert (S0 : 0 <= mean_square t) by (apply mean_pos; intro; apply pow2_ge_0).
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_biased_monotone_1 with (E_Delta_s_2 := mean_move t) (E_d'_2 := mean_distance (S t))
    (E_d_2 := mean_distance t) (E_e_2 := mean_kept t) (E_h_2 := mean_square t) (G_t := mean_G P t)
    (G_t_1 := mean_G P (S t)) (beta_1 := b) (ell := ell) (gamma := step) (m := m) (nu := nu) (tilde_L_2 := L2)
    (w := w)];
    try apply D0; try (apply mean_G_pos; exact weights); try (apply mean_kept_pos; exact weights);
    try apply mean_move_pos; try (apply L2_pos; exact weights); try assumption; try lra.
  - field. lra.
  - eapply Rle_trans; [apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ w_enough))) | right]. field. lra.
  - eapply Rle_trans; [apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ short))) | right]. field. lra.
Qed.
Lemma rounds_of : forall T, E (path P T) Psi
  <= (1 - step * m) ^ T * E (path P 0) Psi + level * nu * sum (fun t => (1 - step * m) ^ pred t) T.
Proof.
  apply (every_round (fun t => E (path P t) Psi)); [| exact one_round_of].
  pose proof step_positive. destruct monotone as (m0 & _). pose proof (L2_pos P L weights).
  assert (0 <= q ^ 2 * (2 / m + 2 * step)) by nonnegative.
  assert (0 <= 2 * step ^ 2 * L2 * q ^ 2 / (1 - q)) by nonnegative.
  assert (0 <= 1 - step * m - q - 2 * step ^ 2 * L2 * q ^ 2 / (1 - q)); [| lra].
  apply Rmult_le_reg_l with w; lra.
Qed.
End Rounds.

(* own-biased-monotone, with exact oracles and for every eta > 0 with noisy ones: of one round, and of T. *)
Notation nu sigma eta := (p P * ((1 + eta) * (1 - a) + 1 + 1 / eta) * weighted P (fun i => sigma i ^ 2)).
Lemma received_exact : exact_oracles P -> 1 - p P * a <= q ^ 2 -> forall t, mean_kept t <= q ^ 2 * mean_G P t + 0.
Proof.
  intros exact_all small t. eapply Rle_trans; [apply (mean_exact P a weights contracts a5 exact_all) |].
  apply Rplus_le_compat_r, Rmult_le_compat_r; [apply mean_G_pos, weights | exact small].
Qed.
Lemma received_noisy : forall sigma, noisy_oracles P sigma -> forall eta, 0 < eta ->
  (1 + eta) * (1 - p P * a) <= q ^ 2 -> forall t, mean_kept t <= q ^ 2 * mean_G P t + nu sigma eta.
Proof.
  intros sigma noisy eta e0 small t.
  eapply Rle_trans; [apply (mean_noisy P a weights contracts a5 sigma noisy eta e0) |].
  apply Rplus_le_compat_r, Rmult_le_compat_r; [apply mean_G_pos, weights | exact small].
Qed.
Theorem monotone_exact : exact_oracles P -> 1 - p P * a <= q ^ 2 -> forall T,
  E (path P T) Psi <= (1 - step * m) ^ T * E (path P 0) Psi.
Proof.
  intros exact_all small T. pose proof (rounds_of 0 (Rle_refl 0) (received_exact exact_all small) T). lra.
Qed.
Theorem monotone_round : forall sigma, noisy_oracles P sigma -> forall eta, 0 < eta ->
  (1 + eta) * (1 - p P * a) <= q ^ 2 -> forall t,
  E (path P (S t)) Psi <= (1 - step * m) * E (path P t) Psi + level * nu sigma eta.
Proof.
  intros sigma noisy eta e0 small.
  exact (one_round_of _ (nu_pos P a weights contracts a5 sigma eta e0) (received_noisy sigma noisy eta e0 small)).
Qed.
Theorem monotone_noise : forall sigma, noisy_oracles P sigma -> forall eta, 0 < eta ->
  (1 + eta) * (1 - p P * a) <= q ^ 2 -> forall T, E (path P T) Psi <= (1 - step * m) ^ T * E (path P 0) Psi
    + level * nu sigma eta * sum (fun t => (1 - step * m) ^ pred t) T.
Proof.
  intros sigma noisy eta e0 small.
  exact (rounds_of _ (nu_pos P a weights contracts a5 sigma eta e0) (received_noisy sigma noisy eta e0 small)).
Qed.
End Monotone.

(* These hypotheses do not contradict each other: the agents of Biased.v, for whom h(s) = -s. *)
Theorem monotone_hypotheses_hold : forall o, let P := halving o in let q := 4 / 5 in let step := 1 / 100 in
  let L2 := weighted P (fun _ => 1 ^ 2) in
  distribution P /\ starts_inside P /\ steps_positive P /\ (forall t, gamma P (S t) = step) /\ nearer P /\
  contraction P (3 / 4) /\ A5 P /\ A6_i P (fun _ => 1) /\ calS P 0 /\ pulled P 0 1 /\ pull_bounds P 0 1 /\
  q ^ 2 * (2 / 1 + 2 * step) <= 7 * (1 - step * 1 - q - 2 * step ^ 2 * L2 * q ^ 2 / (1 - q)) /\
  2 * step + 2 * 7 * step ^ 2 * L2 / (1 - q) <= 1 / (2 * 1) /\
  1 - p P * (3 / 4) <= (1 + 1 / 100) * (1 - p P * (3 / 4)) <= q ^ 2 /\
  exact_oracles (halving exactly) /\ noisy_oracles (halving noisily) (fun _ => 1).
Proof.
  intros o P q step L2. destruct (biased_hypotheses_hold o) as (mus & start & steps & near & _ & _ & _ & shrinks & a5 &
    a6_i & _ & _ & _ & _ & _ & _ & constant & _). destruct biased_premises_hold as (exact_all & noisy & _).
  assert (one : L2 = 1) by (unfold L2, weighted; cbn; field).
  assert (field_is : forall s, field P s = - s).
  { intro s. unfold field. change (mean_oracle P (map P s)) with (mean_oracle example s). rewrite mean_line.
    unfold minus. cbn. ring. }
  rewrite one. unfold q, step, pulled, pull_bounds.
  repeat match goal with |- _ /\ _ => split end; try assumption; try (cbn; lra);
    intros s _; rewrite field_is, !norm_square; unfold minus; cbn; lra.
Qed.

Definition together := (monotone_exact, monotone_round, monotone_noise, monotone_hypotheses_hold).
Print Assumptions together.
