(* Beyond Theorem 1, of Algorithm 2: one round in which the projection costs noise of order gamma^2 only. The surrogate
   gap costs half of C** (Gap.v), and E_pi[Sbar(Z, T(Shat_t))] is a point of S (Inside.v). *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude AppendixDLemmas BeyondTheorem Means Identities Proposition2 Laws Algorithm Geometry Draws.
Require Import Round Inside Gap Variates.
Open Scope R_scope.

Section Step.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variable sigma : nat -> R.
Variables omega C1 C2 v_min v_max : R.
Hypothesis mus : distribution P.
Hypothesis start : starts_inside P.
Hypothesis steps : steps_positive P.
Hypothesis argmin : line_599 P.
Hypothesis mm_1 : MM_1 P.
Hypothesis values : MM_1_values P.
Hypothesis mm_2 : MM_2 P.
Hypothesis a3 : A3 P sigma.
Hypothesis a4 : A4 P omega.
Hypothesis a5 : A5 P.
Hypothesis a7_i : A7_i P B C1 C2.
Hypothesis a7_ii : A7_ii P B v_min v_max.
Hypothesis a8_i : A8_i P.
Hypothesis a8_ii : A8_ii P B.
Variable t : nat.
Variable h : past (vec P).
Hypothesis reached : possible (path P t) h.
Notation s := (Shat (after P h)).
Notation s' w := (Shat (after P (followed h w))).
Notation Bs := (B s).
Notation step_size := (gamma P (S (rounds h))).
Hypothesis short : step_size <= 1 / 2.
Notation error w := (H P (after P h) w [-] field P s).
Notation sym := (symmetric_B P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached).
Notation pos := (positive_B P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached).
Notation flat := (plain P Bs sym pos).
Notation root := (root P Bs sym pos).
Notation ds w := (s' w [-] s).
Notation hB := (dot (field P s) (Bs (field P s))).

Lemma inside_s : calS P s.
Proof. exact (inside P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached). Qed.
Lemma next_in : forall w, calS P (s' w).
Proof. exact (next_inside P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached). Qed.

Lemma nearest_to : forall w y, calS P y ->
  0 <= dot (s' w [-] s [-] step_size [*] (H P (after P h) w)) (Bs (y [-] s' w)).
Proof.
  intros w y Y. rewrite (next_is P B a8_ii t h reached).
  eapply Rle_trans; [apply (nearest P Bs argmin a8_i (definite P B C1 C2 v_min v_max a7_i a7_ii s inside_s)
    (s [+] step_size [*] H P (after P h) w) y Y) | right]. expand. ring.
Qed.

Section Outcome.
Variable M : R.
Hypothesis M0 : 0 < M.
Hypothesis a6_ii : A6_ii P M.
Notation c := ((C2 / 2 + C1 * M) / v_min).

Lemma remainder_bounded : forall w,
  0 <= dot (field P s) (phi P (map P (s' w)) [-] phi P (map P s)) - dot (ds w) (Bs (field P s))
    + C1 * M * dot (ds w) (ds w).
Proof.
  intro w. destruct a7_i as (c1 & c2 & a7). destruct (a7 s inside_s) as (_ & Q). destruct (Q _ (next_in w)) as (R & _).
  pose (r := phi P (map P (s' w)) [-] phi P (map P s) [-] Bs (ds w)). fold r in R.
  assert (D : dot (field P s) (phi P (map P (s' w)) [-] phi P (map P s)) - dot (ds w) (Bs (field P s))
    = dot (field P s) r).
  { unfold r. unfold minus at 3. rewrite dot_add_r, dot_scal_r, <- (sym (ds w)), (dot_sym _ (Bs _)). ring. }
  rewrite D. destruct a7_ii as (v & _), a6_ii as (_ & a6).
  apply (remainder P s (field P s) (s' w) r C1 C2 M v_min ltac:(lra)).
  - apply norm_le; [lra | apply a6, inside_s].
  - rewrite <- !norm_square.
    replace (C1 ^ 2 * (norm (ds w) ^ 2) ^ 2) with ((C1 * norm (ds w) ^ 2) ^ 2) by ring.
    apply pow_incr. split; [apply norm_pos | exact R].
Qed.

Lemma outcome : forall w,
  0 <= W P h - W P (followed h w) + step_size ^ 2 * (1 / 2 + c) * dot (error w) (Bs (error w))
    - step_size * (1 - 2 * c * step_size) * dot (error w) (Bs (field P s)) - step_size * (1 - c * step_size) * hB.
Proof.
  intro w. destruct a7_i as (c1 & c2 & _), a7_ii as (v & _). pose proof (steps (rounds h)) as Z.
  pose (dphi := phi P (map P (s' w)) [-] phi P (map P s)). pose (move := ds w). pose (xi := error w).
  assert (U : 2 + (/ step_size - 2) = / step_size) by ring.
  assert (U0 : 0 <= / step_size - 2).
  { apply Rmult_le_reg_l with step_size; [exact Z |]. replace (step_size * (/ step_size - 2)) with (1 - 2 * step_size)
      by (field; lra). lra. }
  assert (sent : same (step_size [*] (H P (after P h) w)) (step_size [*] field P s [+] step_size [*] xi)).
  { intro y. unfold xi. expand. ring. }
  eapply as_sum_ge; [| eapply own_projected_step_1 with (B_1_2_Delta_s := root (flat move))
    (B_1_2_h := root (flat (field P s))) (B_1_2_xi := root (flat xi)) (Delta_phi := flat dphi)
    (Delta_s := flat move) (h := flat (field P s)) (s := flat s) (C_star := C1) (C_star_star := C2) (M := M)
    (f := f P (map P s)) (f' := f P (map P (s' w))) (g := g P (map P s)) (g' := g P (map P (s' w)))
    (psi := psi P (map P s)) (psi' := psi P (map P (s' w))) (u := / step_size - 2) (v_min := v_min)];
    try assumption; try lra; rewrite ?U, ?dot_root, ?dot_plain; cbn [fst plain].
  - unfold W. fold xi. field. lra.
  - specialize (mm_1 (map P s) (map P (s' w))). fold dphi in mm_1.
    assert (D : dot dphi (field P s) = dot (mean_oracle P (map P s)) dphi - dot dphi s).
    { unfold field. unfold minus. rewrite dot_add_r, dot_scal_r, (dot_sym _ dphi (mean_oracle _ _)). ring. }
    rewrite D. lra.
  - pose proof (gap_half P C2 mm_2 (slopes_A7 P B C1 C2 a7_i) a8_i s (s' w) inside_s (next_in w)) as Q. fold dphi in Q.
    assert (D : dot (s [-] s' w) (s [-] s' w) = dot move move) by (unfold move; expand; ring).
    rewrite D, (dot_sym _ s dphi) in Q. lra.
  - pose proof (remainder_bounded w) as Q. fold dphi move in Q. rewrite (dot_sym _ dphi). lra.
  - pose proof (lower_B P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached move). lra.
  - pose proof (nearest_to w (mean_oracle P (map P s))
      (oracle_inside P values a8_i mus (map P s))) as Q.
    rewrite (same_form P Bs sym _ (move [-] (step_size [*] field P s [+] step_size [*] xi)) _ (field P s [-] move)),
      B_minus in Q by (exact sym || (intro y; unfold move, xi, field; expand; ring)).
    unfold minus in Q. rewrite !dot_add, !dot_scal, !dot_add, !dot_scal in Q.
    rewrite (swap P Bs sym (field P s) move), (swap P Bs sym xi move) in Q. rewrite !Rinv_inv. lra.
  - pose proof (nearest_to w s inside_s) as Q.
    rewrite (same_form P Bs sym _ (move [-] (step_size [*] field P s [+] step_size [*] xi)) _ (zero [-] move)),
      B_minus in Q by (exact sym || (intro y; unfold move, xi, field; expand; ring)).
    rewrite <- (sym _ zero), dot_zero_r in Q. unfold minus in Q.
    rewrite !dot_add, !dot_scal, !dot_add, !dot_scal in Q.
    rewrite (swap P Bs sym (field P s) move), (swap P Bs sym xi move) in Q. rewrite !Rinv_inv. lra.
Qed.

Lemma projected_step_positive : E (one_round P h) (fun w => W P (followed h w))
  <= W P h - step_size * (1 - c * step_size) * hB + step_size ^ 2 * (1 / 2 + c) * variance P h.
Proof.
  apply Rle_trans with (E (one_round P h) (fun w => ((W P h - step_size * (1 - c * step_size) * hB) * 1
    + step_size ^ 2 * (1 / 2 + c) * dot (error w) (Bs (error w)))
    + - (step_size * (1 - 2 * c * step_size)) * dot (error w) (Bs (field P s)))).
  - apply mean_le. intro w. pose proof (outcome w). lra.
  - rewrite (mean_add _ _ (fun w => _ * 1 + _)), (mean_add _ _ (fun w => _ * 1)), mean_const, !mean_scal,
      (error_mean P sigma omega mus a3 a4 a5 t h reached).
    rewrite (variance_is P B C1 C2 v_min v_max start argmin a7_i a7_ii a8_ii t h reached). lra.
Qed.
End Outcome.

(* own-projected-step: |h|_B^2 = <h, B_t h>, and C_bar = C2 / 2 + C1 M. *)
Theorem projected_step : forall M, A6_ii P M -> let c := (C2 / 2 + C1 * M) / v_min in
  E (one_round P h) (fun w => W P (followed h w))
  <= W P h - step_size * (1 - c * step_size) * norm_in (B_used P h) (field P s) ^ 2
    + step_size ^ 2 * (1 / 2 + c) * E (one_round P h) (fun w => norm_in (B_used P h) (error w) ^ 2).
Proof.
  intros M (M0 & a6) c. change (E (one_round P h) (fun w => norm_in (B_used P h) (error w) ^ 2)) with (variance P h).
  destruct a7_ii as (v & _). rewrite (a8_ii _ _ reached), (norm_in_square P Bs pos).
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  apply limit_zero with (b := C1 / v_min * step_size ^ 2 * (hB + variance P h)). intros l L0 L1.
  assert (A : A6_ii P (M + l)) by (split; [lra |]; intros u U; specialize (a6 u U); lra).
  pose proof (projected_step_positive (M + l) ltac:(lra) A) as Q. unfold c.
  replace ((C2 / 2 + C1 * (M + l)) / v_min) with ((C2 / 2 + C1 * M) / v_min + l * (C1 / v_min)) in Q by (field; lra).
  lra.
Qed.
End Step.

Print Assumptions projected_step.
