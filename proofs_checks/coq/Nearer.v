(* Algorithm 2 with a map Pi that goes into S and comes no farther from its points, as the Euclidean projection does:
   one step along any direction; where the iterates are, how far they move, and how near to Shat_t + gamma h, a point of
   S. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondMessages Means Identities Proposition2 Laws Algorithm Geometry Draws Round FromAlgorithm.
Require Import Inside Singular Gap Variates.
Open Scope R_scope.

(* One step along any direction H, from any point s of S: nothing is said of where H comes from. *)
Section Step.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variables C1 C2 v_min v_max : R.
Hypothesis mus : distribution P.
Hypothesis mm_1 : MM_1 P.
Hypothesis values : MM_1_values P.
Hypothesis mm_2 : MM_2 P.
Hypothesis a7_i : A7_i P B C1 C2.
Hypothesis a7_ii : A7_ii P B v_min v_max.
Hypothesis a8_i : A8_i P.
Hypothesis projection : nearer P.
Variable h : past (vec P).
Variables s H : vec P.
Variable step : R.
Hypothesis I : calS P s.
Hypothesis short : 0 < step <= 1.
Notation s' := (Pi P (B_used P h) (s [+] step [*] H)).
Notation ds := (s' [-] s).
Notation xi := (H [-] field P s).
Notation dphi := (phi P (map P s') [-] phi P (map P s)).
Notation hB := (dot (field P s) (B s (field P s))).

Lemma symmetric_at : forall u v, dot (B s u) v = dot u (B s v).
Proof. apply a7_i. exact I. Qed.
Lemma lower_at : forall u, v_min * dot u u <= dot u (B s u).
Proof. intro u. rewrite <- norm_square. apply a7_ii, I. Qed.
Lemma upper_at : forall u, dot u (B s u) <= v_max * dot u u.
Proof. intro u. rewrite <- norm_square. apply a7_ii, I. Qed.
Lemma positive_at : forall u, 0 <= dot u (B s u).
Proof.
  intro u. apply Rle_trans with (v_min * dot u u); [| apply lower_at]. destruct a7_ii as (v & _).
  apply Rmult_le_pos; [lra | apply dot_pos].
Qed.
Notation flat := (plain P (B s) symmetric_at positive_at).
Notation root := (root P (B s) symmetric_at positive_at).

Lemma square_apart : forall (c : R) (u v : vec P),
  dot (u [-] c [*] v) (u [-] c [*] v) = dot u u - 2 * c * dot u v + c ^ 2 * dot v v.
Proof. intros c u v. expand. rewrite (dot_sym _ v u). ring. Qed.
Lemma form_apart : forall (c : R) (u v : vec P), dot (u [-] c [*] v) (B s (u [-] c [*] v))
  = dot u (B s u) - 2 * c * dot u (B s v) + c ^ 2 * dot v (B s v).
Proof.
  intros c u v. rewrite B_minus by exact symmetric_at. expand.
  rewrite !(swap P (B s) symmetric_at _ (c [*] v)), !dot_scal, (swap P (B s) symmetric_at v u). ring.
Qed.

(* The point m = s + step h(s) lies in S. *)
Lemma middle : calS P (s [+] step [*] field P s).
Proof.
  destruct values as (invariant & _). apply (invariant ((1 - step) [*] s [+] step [*] mean_oracle P (map P s))).
  - intro y. unfold field. expand. ring.
  - apply a8_i; [lra | exact I | apply (oracle_inside P values a8_i mus)].
Qed.
Lemma near_middle : dot (ds [-] step [*] field P s) (ds [-] step [*] field P s) <= step ^ 2 * dot xi xi.
Proof.
  pose proof (proj2 (projection h (s [+] step [*] H)) _ middle) as Q.
  apply norm_le in Q; [| apply norm_pos]. rewrite norm_square in Q.
  assert (D : forall u : vec P, same (u [-] (s [+] step [*] field P s)) (u [-] s [-] step [*] field P s))
    by (intros u y; expand; ring).
  rewrite !(same_square _ _ _ (D _)) in Q. eapply Rle_trans; [exact Q | right]. expand. ring.
Qed.
Lemma remainder_at : forall M, 0 < M -> A6_ii P M ->
  0 <= dot dphi (field P s) - dot ds (B s (field P s)) + C1 * M * dot ds ds.
Proof.
  intros M M0 a6. destruct a7_i as (c1 & c2 & a7), a7_ii as (v & _), a6 as (_ & a6). destruct (a7 s I) as (_ & Q).
  destruct (Q _ (proj1 (projection h (s [+] step [*] H)))) as (R & _). pose (r := dphi [-] B s ds). fold r in R.
  assert (D : forall d u, dot d (field P s) - dot u (B s (field P s)) = dot (field P s) (d [-] B s u)).
  { intros d u. expand. rewrite <- (symmetric_at u), (dot_sym _ (B s u)), (dot_sym _ d). ring. }
  rewrite D. fold r. apply (remainder P s (field P s) s' r C1 C2 M v_min ltac:(lra)).
  - apply norm_le; [lra | apply a6, I].
  - rewrite <- !norm_square. replace (C1 ^ 2 * (norm ds ^ 2) ^ 2) with ((C1 * norm ds ^ 2) ^ 2) by ring.
    apply pow_incr. split; [apply norm_pos | exact R].
Qed.

Lemma kept_move_positive : forall M, 0 < M -> A6_ii P M -> let C_half := C2 / 2 + C1 * M in
  value P s' <= value P s - step / 2 * hB - (v_min / (2 * step) - C_half) * dot ds ds
    + step / 2 * v_max * dot xi xi.
Proof.
  intros M M0 a6 C_half. unfold C_half. destruct a7_i as (c1 & c2 & _), a7_ii as (v & _).
  pose proof near_middle as N. rewrite square_apart in N.
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_biased_step_5 with (B_1_2_Delta_s := root (flat ds))
    (B_1_2_h := root (flat (field P s))) (Delta_phi := flat dphi) (Delta_s := flat ds) (h := flat (field P s))
    (s := flat s) (xi := flat xi) (C_star := C1) (C_star_star := C2) (M := M) (f := f P (map P s))
    (f' := f P (map P s')) (g := g P (map P s)) (g' := g P (map P s')) (gamma := step) (psi := psi P (map P s))
    (psi' := psi P (map P s')) (v_max := v_max) (v_min := v_min)];
    try lra; rewrite ?dot_root, ?dot_plain; cbn [fst plain].
  - unfold value. field. lra.
  - specialize (mm_1 (map P s) (map P s')).
    assert (D : dot dphi (field P s) = dot (mean_oracle P (map P s)) dphi - dot dphi s).
    { unfold field. generalize dphi. intro d. expand. rewrite (dot_sym _ d (mean_oracle _ _)). ring. }
    rewrite D. lra.
  - pose proof (gap_half P C2 mm_2 (slopes_A7 P B C1 C2 a7_i) a8_i s s' I
      (proj1 (projection h (s [+] step [*] H)))) as Q.
    assert (D : dot (s [-] s') (s [-] s') = dot ds ds) by (generalize s'; intro u; expand; ring).
    rewrite D, (dot_sym _ s dphi) in Q. lra.
  - pose proof (remainder_at M M0 a6). lra.
  - pose proof (lower_at ds). lra.
  - apply (Rmult_le_compat_l (/ step ^ 2)) in N; [| apply Rlt_le, Rinv_0_lt_compat, pow_lt; lra].
    rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l in N by (apply pow_nonzero; lra).
    apply Rle_ge, Rge_minus, Rge_le in N. eapply Rle_trans; [exact N | right]. field. lra.
  - pose proof (upper_at (ds [-] step [*] field P s)) as Q. rewrite square_apart, form_apart in Q.
    apply (Rmult_le_compat_l (/ step ^ 2)) in Q; [| apply Rlt_le, Rinv_0_lt_compat, pow_lt; lra].
    apply Rle_ge, Rge_minus, Rge_le in Q. eapply Rle_trans; [exact Q | right]. field. lra.
Qed.

(* own-biased-step: |h|_B^2 = <h, B h>, and C_half = C2 / 2 + C1 M. *)
Theorem kept_move : forall M, A6_ii P M -> let C_half := C2 / 2 + C1 * M in
  value P s' <= value P s - step / 2 * norm_in (B s) (field P s) ^ 2
    - (v_min / (2 * step) - C_half) * norm ds ^ 2 + step / 2 * v_max * norm xi ^ 2.
Proof.
  intros M (M0 & a6) C_half. rewrite (norm_in_square P (B s) positive_at), !norm_square.
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  apply limit_zero with (b := C1 * dot ds ds). intros l L0 L1.
  assert (A : A6_ii P (M + l)) by (split; [lra |]; intros u U; specialize (a6 u U); lra).
  pose proof (kept_move_positive (M + l) ltac:(lra) A) as Q. cbv zeta in Q. unfold C_half. lra.
Qed.
End Step.

Section Nearer.
Variable P : problem.
Hypothesis start : starts_inside P.
Hypothesis projection : nearer P.

Lemma inside_now : forall t h, possible (path P t) h -> calS P (Shat (after P h)).
Proof.
  intros t h Q. destruct t as [| t]; cbn [path] in Q; apply possible_next in Q; destruct Q as (w & A & D).
  - apply possible_sure in D. subst h. destruct w as [s v]. apply (start s v A).
  - apply possible_next in D. destruct D as (d & _ & D). apply possible_sure in D. subst h.
    cbn [after step Shat]. apply projection.
Qed.
Lemma next_in : forall h w, calS P (Shat (after P (followed h w))).
Proof. intros h w. cbn [after step Shat]. apply projection. Qed.
Lemma inside_always : stays_inside P.
Proof. intros t h I. split; [apply (inside_now t h I) | intros w _; apply next_in]. Qed.

Variable h : past (vec P).
Notation s := (Shat (after P h)).
Notation s' w := (Shat (after P (followed h w))).
Notation step_size := (gamma P (S (rounds h))).
Notation error w := (H P (after P h) w [-] field P s).
Notation ds w := (s' w [-] s).
Lemma nearer_to : forall m, calS P m -> forall w,
  dot (s' w [-] m) (s' w [-] m) <= dot (s [+] step_size [*] H P (after P h) w [-] m)
    (s [+] step_size [*] H P (after P h) w [-] m).
Proof.
  intros m M w. rewrite <- !norm_square. apply pow_incr. split; [apply norm_pos |].
  cbn [after step Shat]. apply projection, M.
Qed.

(* own-moved. *)
Theorem moved : forall sigma omega t, distribution P -> A3 P sigma -> A4 P omega -> A5 P -> possible (path P t) h ->
  moved_square P h <= step_size ^ 2 * (field_square P h + error_square P h).
Proof.
  intros sigma omega t weights a3 a4 a5 reached.
  apply (moved_plain P sigma omega weights a3 a4 a5 t h reached). intros w _.
  pose proof (nearer_to s (inside_now t h reached) w) as Q. rewrite !norm_square. eapply Rle_trans; [exact Q | right].
  rewrite (same_square _ _ (step_size [*] H P (after P h) w)); [rewrite dot_scal, dot_scal_r; ring |].
  intro y. expand. ring.
Qed.

(* Without noise the next iterate would be a point of S, from which Pi keeps no farther than the noise did. *)
Lemma kept_near : distribution P -> MM_1_values P -> A8_i P -> calS P s -> 0 < step_size <= 1 -> forall w,
  dot (ds w [-] step_size [*] field P s) (ds w [-] step_size [*] field P s) <= step_size ^ 2 * dot (error w) (error w).
Proof. intros weights values a8_i I Z w. apply near_middle; assumption. Qed.
End Nearer.
Definition together := (moved, kept_move).
Print Assumptions together.
