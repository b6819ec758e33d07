(* Beyond Theorem 1, of Algorithm 2 with any map Pi that ends in S and comes no farther from the points of S, as the
   Euclidean projection does: one round, and under PL (LinearPL.v) a linear rate. A8 (ii) does not enter. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondTheorem BeyondMessages Means Identities Proposition2 Propositions34 Laws Algorithm.
Require Import Geometry Draws Round FromAlgorithm Inside Instance ProjectedStep Variates Projected Linear LinearPL.
Import Algorithm.  (* one_round is the law of it *)
Open Scope R_scope.

Definition any_map (P : problem) := forall t h x, possible (path P t) h -> let to := Pi P (B_used P h) x in
  calS P to /\ forall y, calS P y -> norm (to [-] y) <= norm (x [-] y).

Section Any.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variables sigma L : nat -> R.
Variables omega M C1 C2 v_min v_max step : R.
Hypothesis weights : distribution P.
Hypothesis start : starts_inside P.
Hypothesis steps : steps_positive P.
Hypothesis any : any_map P.
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
Notation C_half := (C_half M C1 C2).
Hypothesis constant : forall t, gamma P (S t) = step.
Hypothesis some_field : 0 < M.
Hypothesis short : step <= 1 /\ step <= v_min / (2 * C_half).

Lemma stays_in : forall t h, possible (path P t) h -> calS P (Shat (after P h)).
Proof.
  induction t as [| t IH]; intros h Q; cbn [path] in Q; apply possible_next in Q; destruct Q as (w & A & C).
  - apply possible_sure in C. subst h. destruct w as [s v]. apply (start s v A).
  - apply possible_next in C. destruct C as (d & _ & C). apply possible_sure in C. subst h.
    cbn [after Algorithm.step Shat]. apply (any t w _ A).
Qed.
Lemma positive_step : 0 < step.
Proof. rewrite <- (constant 0%nat). apply steps. Qed.

Section One_round.
Variable t : nat.
Variable h : past (vec P).
Hypothesis reached : possible (path P t) h.
Notation s := (Shat (after P h)).
Notation s' w := (Shat (after P (followed h w))).
Notation Bs := (B s).
Notation error w := (H P (after P h) w [-] field P s).
Notation ds w := (s' w [-] s).
Notation hB := (dot (field P s) (Bs (field P s))).

Lemma sym_B : forall u v, dot (Bs u) v = dot u (Bs v).
Proof. destruct a7_i as (_ & _ & Q). apply Q, (stays_in _ _ reached). Qed.
Lemma low_B : forall u, v_min * dot u u <= dot u (Bs u).
Proof. intro u. rewrite <- norm_square. apply a7_ii, (stays_in _ _ reached). Qed.
Lemma upp_B : forall u, dot u (Bs u) <= v_max * dot u u.
Proof. intro u. rewrite <- norm_square. apply a7_ii, (stays_in _ _ reached). Qed.
Lemma pos_B : forall u, 0 <= dot u (Bs u).
Proof.
  intro u. destruct a7_ii as (v & _). apply Rle_trans with (v_min * dot u u); [| apply low_B].
  apply Rmult_le_pos; [lra | apply dot_pos].
Qed.
Notation root := (root P Bs sym_B pos_B).
Notation flat := (plain P Bs sym_B pos_B).
Lemma moved_to : forall w, calS P (s' w) /\
  forall y, calS P y -> norm (s' w [-] y) <= norm (s [+] step [*] H P (after P h) w [-] y).
Proof.
  intro w. cbn [after Algorithm.step Shat]. rewrite constant.
  pose proof (any t h (s [+] step [*] H P (after P h) w) reached) as Q. exact Q.
Qed.
Lemma mean_stays : calS P (s [+] step [*] field P s).
Proof.
  destruct values as (invariant & _). pose proof positive_step.
  apply (invariant ((1 - step) [*] s [+] step [*] mean_oracle P (map P s))).
  - intro y. unfold field. expand. ring.
  - apply a8_i; [lra | apply (stays_in _ _ reached) | apply (oracle_inside P values a8_i weights)].
Qed.
Lemma squares : forall u v : vec P, norm u <= norm v -> dot u u <= dot v v.
Proof. intros u v Q. rewrite <- !norm_square. apply pow_incr. split; [apply norm_pos | exact Q]. Qed.

Lemma form_of : forall u v c, dot (u [-] c [*] v) (Bs (u [-] c [*] v))
  = dot u (Bs u) - 2 * c * dot v (Bs u) + c ^ 2 * dot v (Bs v).
Proof.
  intros u v c. rewrite B_minus by exact sym_B. unfold minus.
  rewrite !dot_add, !dot_scal, <- !(sym_B _ (c [*] v)), !dot_scal_r, !sym_B, (swap P Bs sym_B u v). ring.
Qed.

Lemma outcome : forall w,
  0 <= W P h - W P (followed h w) + -1 / 2 * hB * step + 1 / 2 * dot (error w) (error w) * step * v_max.
Proof.
  intro w. destruct a7_i as (c1 & c2 & a7), a7_ii as (v & _), a6_ii as (_ & a6), short as (_ & small).
  pose proof positive_step as step0. pose proof (C_half_pos P B M C1 C2 a6_ii a7_i) as c0.
  apply (Rmult_le_compat_r (2 * C_half / v_min)) in small;
    [| apply Rlt_le, Rdiv_lt_0_compat; lra].
  replace (v_min / (2 * C_half) * (2 * C_half / v_min)) with 1 in small by (field; lra).
  pose proof (stays_in _ _ reached) as I. destruct (moved_to w) as (I' & near).
  pose (dphi := phi P (map P (s' w)) [-] phi P (map P s)). pose (move := ds w). pose (xi := error w).
  eapply as_sum_ge; [| eapply own_any_step_1 with (B_1_2_Delta_s := root (flat move))
    (B_1_2_h := root (flat (field P s))) (Delta_phi := flat dphi) (Delta_s := flat move) (h := flat (field P s))
    (s := flat s) (xi := flat xi) (C_star := C1) (C_star_star := C2) (M := M) (f := f P (map P s))
    (f' := f P (map P (s' w))) (g := g P (map P s)) (g' := g P (map P (s' w))) (gamma := step) (psi := psi P (map P s))
    (psi' := psi P (map P (s' w))) (v_max := v_max) (v_min := v_min)];
    try assumption; try lra; rewrite ?dot_root, ?dot_plain; cbn [fst plain].
  - unfold W. fold xi. lra.
  - specialize (mm_1 (map P s) (map P (s' w))). fold dphi in mm_1.
    assert (D : dot dphi (field P s) = dot (mean_oracle P (map P s)) dphi - dot dphi s).
    { unfold field. unfold minus. rewrite dot_add_r, dot_scal_r, (dot_sym _ dphi (mean_oracle _ _)). ring. }
    rewrite D. lra.
  - pose proof (gap_half P B C1 C2 mm_2 a7_i a8_i s (s' w) I I') as Q. fold dphi in Q.
    assert (D : dot (s [-] s' w) (s [-] s' w) = dot move move) by (unfold move; expand; ring).
    rewrite D, (dot_sym _ s dphi) in Q. lra.
  - destruct (a7 s I) as (_ & Q). destruct (Q _ I') as (R & _). pose (r := dphi [-] Bs move).
    assert (D : dot dphi (field P s) - dot move (Bs (field P s)) = dot (field P s) r).
    { unfold r. unfold minus. rewrite dot_add_r, dot_scal_r, <- (sym_B move), !(dot_sym _ (field P s)). ring. }
    pose proof (remainder P s (field P s) (s' w) r C1 C2 M v_min ltac:(lra)) as Z. fold move in Z. rewrite <- D in Z.
    eapply Rle_trans; [apply Z | right; ring].
    + apply norm_le; [lra | apply a6, I].
    + rewrite <- !norm_square.
      replace (C1 ^ 2 * (norm move ^ 2) ^ 2) with ((C1 * norm move ^ 2) ^ 2) by ring.
      apply pow_incr. split; [apply norm_pos | exact R].
  - pose proof (low_B move). lra.
  - apply Rmult_le_pos; [apply Rmult_le_pos; [apply pos_B | apply Rlt_le, Rinv_0_lt_compat, pow_lt; exact step0] |].
    replace (1 + -2 * step * / v_min * (1 / 2 * C2 + C1 * M)) with (1 - step * (2 * C_half / v_min))
      by (unfold Projected.C_half; field; lra). lra.
  - specialize (near _ mean_stays). apply squares in near.
    rewrite (same_square _ _ (move [-] step [*] field P s)) in near by (intro y; unfold move; expand; ring).
    rewrite (same_square _ (s [+] _ [-] _) (step [*] xi)) in near by (intro y; unfold xi; expand; ring).
    apply Rmult_le_reg_l with (step ^ 2); [apply pow_lt; exact step0 |]. rewrite Rmult_0_r.
    revert near. generalize move xi (field P s). intros u v' k near. unfold minus in near.
    repeat rewrite ?dot_add, ?dot_scal, ?dot_add_r, ?dot_scal_r in near. rewrite (dot_sym _ k u) in near.
    eapply Rle_trans; [apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ near))) | right; field; lra].
  - pose proof (upp_B (field P s [-] / step [*] move)) as U. rewrite form_of in U. unfold minus in U.
    repeat rewrite ?dot_add, ?dot_scal, ?dot_add_r, ?dot_scal_r in U. rewrite (dot_sym _ (field P s) move) in U.
    rewrite <- !pow_inv. lra.
Qed.

(* own-any-step. *)
Notation noise_square := (E (one_round P h) (fun w => norm (error w) ^ 2)).
Theorem any_step : E (one_round P h) (fun w => W P (followed h w))
  <= W P h - step / 2 * norm_in Bs (field P s) ^ 2 + step / 2 * v_max * noise_square.
Proof.
  rewrite (norm_in_square P Bs pos_B).
  apply Rle_trans with (E (one_round P h) (fun w => (W P h - step / 2 * hB) * 1
    + step / 2 * v_max * norm (error w) ^ 2)).
  - apply mean_le. intro w. pose proof (outcome w). rewrite norm_square. lra.
  - rewrite mean_add, !mean_scal, mean_one. lra.
Qed.

(* own-moved: the point s itself is in S. *)
Lemma moved : E (one_round P h) (fun w => norm (ds w) ^ 2)
  <= step ^ 2 * (/ v_min * norm_in Bs (field P s) ^ 2 + noise_square).
Proof.
  rewrite (norm_in_square P Bs pos_B). destruct a7_ii as (v & _).
  apply Rle_trans with (E (one_round P h) (fun w => step ^ 2 * (/ v_min * hB) * 1
    + 2 * step ^ 2 * dot (error w) (field P s) + step ^ 2 * norm (error w) ^ 2)).
  - apply mean_le. intro w. destruct (moved_to w) as (_ & near). specialize (near s (stays_in _ _ reached)).
    apply squares in near. rewrite !norm_square.
    rewrite (same_square _ (s [+] _ [-] s) (step [*] (field P s [+] error w))) in near by (intro y; expand; ring).
    assert (D : dot (field P s) (field P s) <= / v_min * hB).
    { apply Rmult_le_reg_l with v_min; [lra |]. rewrite <- Rmult_assoc, Rinv_r by lra. pose proof (low_B (field P s)).
      lra. }
    revert near D. generalize (field P s) (error w) hB. intros k xi b near D.
    repeat rewrite ?dot_add, ?dot_scal, ?dot_add_r, ?dot_scal_r in near. rewrite (dot_sym _ k xi) in near.
    apply (Rmult_le_compat_l (step ^ 2)) in D; [| apply pow2_ge_0]. lra.
  - rewrite !mean_add, !mean_scal, mean_one, (error_mean P sigma omega weights a3 a4 a5 t h reached). lra.
Qed.
End One_round.

(* In the mean over all paths. *)
Variables lowest m : R.
Hypothesis bounded : forall theta, lowest <= f P theta + g P theta.
Hypothesis pulls : PL P B lowest m.
Notation omega_p := (omega_p P omega).
Notation sigma2_n := (sigma2_n P sigma).
Notation L2_n := (L2_n P L).
Hypothesis compressed : 0 < omega_p.
Hypothesis remembered : 0 < alpha P <= 1 / (1 + omega_p).
Hypothesis moving : 0 < L2_n.
Notation q := (sqrt (1 - alpha P)).
Notation y := (y P L omega step).
Definition left := step / 2 * (1 - 2 * y * v_max / v_min).
Definition at_start := (1 + q) * omega_p / alpha P * v_max * step.
Definition level := ((1 + omega_p) * (1 + 2 * y) + 2 * omega_p * ((1 + q) / q)) * (step / 2 * v_max).
Definition rate := Rmax (1 - 2 * m * left) (1 - (1 - q) * (1 / 2 - y)).
Definition Psi h := W P h - lowest + at_start * G P h.
Notation mean_W t := (E (path P t) (W P)).
Notation mean_G t := (E (path P t) (G P)).
Notation mean_square t := (E (path P t) (error_square P)).
Definition field_B h := norm_in (B (Shat (after P h))) (field P (Shat (after P h))) ^ 2.
Notation mean_field t := (E (path P t) field_B).

Lemma mean_step : forall t,
  mean_W (S t) <= mean_W t - step / 2 * mean_field t + step / 2 * v_max * mean_square t.
Proof.
  intro t. rewrite one_more. apply Rle_trans with (E (path P t) (fun h =>
    1 * W P h + - (step / 2) * field_B h + step / 2 * v_max * error_square P h)).
  - apply E_le. intros h I. pose proof (any_step t h I). unfold error_square, field_B. lra.
  - rewrite E_linear. lra.
Qed.
Lemma mean_variates : forall eta, 0 < eta -> forall t,
  mean_G (S t) <= (1 + eta) * (1 - alpha P) * mean_G t + (1 + eta) * alpha P * sigma2_n
    + (1 + 1 / eta) * L2_n * step ^ 2 * (/ v_min * mean_field t + mean_square t).
Proof.
  intros eta eta0 t. rewrite one_more. pose (rise := (1 + 1 / eta) * L2_n * step ^ 2).
  pose proof (alpha_small P omega compressed remembered) as A.
  apply Rle_trans with (E (path P t) (fun h => (1 + eta) * (1 - alpha P) * G P h + rise * / v_min * field_B h
    + rise * error_square P h + (1 + eta) * alpha P * sigma2_n * 1)).
  - apply E_le. intros h I.
    pose proof (variates P sigma omega weights a3 a4 a5 t h I L a6_i (stays_in t h I)
      (fun w => proj1 (moved_to t h I w)) ltac:(lra) A eta eta0) as Q.
    pose proof (moved t h I) as R. fold (FromAlgorithm.L2_n P L) (FromAlgorithm.sigma2_n P sigma) in Q.
    apply (Rmult_le_compat_l ((1 + 1 / eta) * L2_n)) in R.
    + unfold rise, error_square, field_B. lra.
    + pose proof (Rdiv_lt_0_compat 1 eta). apply Rmult_le_pos; lra.
  - rewrite !mean_add, !mean_scal, mean_one. unfold rise. lra.
Qed.
Lemma mean_PL : forall t, 2 * m * (mean_W t - lowest) <= mean_field t.
Proof.
  intro t. destruct pulls as (_ & pl).
  apply Rle_trans with (E (path P t) (fun h => 2 * m * W P h + - (2 * m * lowest) * 1)).
  - right. rewrite mean_add, !mean_scal, mean_one. ring.
  - apply E_le. intros h I. specialize (pl _ (stays_in t h I)). unfold W, field_B. lra.
Qed.
Lemma mean_Psi : forall t, E (path P t) Psi = mean_W t - lowest + at_start * mean_G t.
Proof.
  intro t. transitivity (E (path P t) (fun h => W P h + - lowest * 1 + at_start * G P h)).
  - apply mean_ext. intro h. unfold Psi. ring.
  - rewrite !mean_add, !mean_scal, mean_one. ring.
Qed.
Lemma at_start_positive : 0 <= at_start.
Proof.
  destruct a7_ii as (v & _). pose proof positive_step. pose proof (sqrt_pos (1 - alpha P)).
  pose proof (Rdiv_lt_0_compat _ _ compressed (proj1 remembered)).
  replace at_start with ((1 + q) * (omega_p / alpha P) * (v_max * step)) by (unfold at_start, Rdiv; ring).
  apply Rmult_le_pos; [apply Rmult_le_pos | apply Rmult_le_pos]; lra.
Qed.

Theorem any_pl_round : 0 <= left -> forall t,
  E (path P (S t)) Psi <= rate * E (path P t) Psi + level * sigma2_n.
Proof.
  intros enough t. rewrite !mean_Psi. destruct a7_ii as (v & _), pulls as (m0 & _). pose proof positive_step as step0.
  pose proof (mean_step t) as H1. pose proof (mean_noise P sigma omega weights a3 a4 a5 t) as H2.
  destruct (q_in P omega compressed remembered) as (b & b0 & qb & _ & al). pose proof (mean_variates b b0 t) as H3.
  pose proof (mean_PL t) as H4. pose proof (mean_G_pos P t) as G0. pose proof (mean_G_pos P (S t)) as G1.
  pose proof (mean_square_pos P t) as N0. pose proof (sigma2_pos P sigma) as S2.
  assert (E0 : 0 <= mean_field t) by (apply mean_pos; intro; apply pow2_ge_0).
  assert (gap : 0 <= mean_W t - lowest) by (pose proof (bounded_below P lowest bounded t); lra).
  apply Rle_trans with ((1 - 2 * m * left) * (mean_W t - lowest) + (1 - (1 - q) * (1 / 2 - y)) * (at_start * mean_G t)
    + level * sigma2_n).
  2: { assert (0 <= at_start * mean_G t) by (apply Rmult_le_pos; [apply at_start_positive | exact G0]).
       apply Rplus_le_compat_r. rewrite Rmult_plus_distr_l. apply Rplus_le_compat; apply Rmult_le_compat_r;
         try assumption; [apply Rmax_l | apply Rmax_r]. }
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_pl_1 with (G_t := mean_G t) (G_t_1 := mean_G (S t)) (N_t_1 := mean_square t)
    (W_t_1 := mean_W (S t) - lowest) (W_t_min_W := mean_W t - lowest) (bar_E_t_1 := mean_field t) (beta_1 := b)
    (gamma_t_1 := step) (left := left) (m := m) (omega_p := omega_p) (tfrac_L_2_n := L2_n)
    (tfrac_sigma_2_n := sigma2_n) (v_max := v_max) (v_min := v_min)]; try assumption; try lra.
  - unfold at_start, level, LinearPL.y. rewrite qb, al. pose proof (Rmult_lt_0_compat b (b + 2)). field.
    repeat split; lra.
  - rewrite al in H3. eapply Rle_trans; [apply (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ H3))) | right]. field.
    repeat split; lra.
  - unfold left, LinearPL.y. rewrite qb. field. repeat split; lra.
Qed.

(* own-pl. *)
Theorem any_pl : 0 <= left -> forall T,
  E (path P T) Psi <= rate ^ T * E (path P 0) Psi + level * sigma2_n * sum (fun t => rate ^ pred t) T.
Proof.
  intro enough. apply (every_round (fun t => E (path P t) Psi)); [| exact (any_pl_round enough)].
  apply Rle_trans with (1 - (1 - q) * (1 / 2 - y)); [| apply Rmax_r].
  destruct (q_in P omega compressed remembered) as (b & b0 & qb & _). pose proof (sqrt_pos (1 - alpha P)).
  assert (Q : 0 < 1 - q) by (rewrite qb; assert (/ (1 + b) < / 1) by (apply Rinv_lt_contravar; lra); lra).
  assert (Y : 0 <= y).
  { unfold LinearPL.y. apply Rmult_le_pos; [| apply Rlt_le, Rinv_0_lt_compat, pow_lt; exact Q].
    apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply pow2_ge_0]. }
  apply (Rmult_le_compat_l (1 - q)) in Y; lra.
Qed.
End Any.

(* Beyond what Instance.v and LinearPL.v have of the line: Pi ends in S and comes no farther; C_bar = 3 / 2. *)
Theorem any_hypotheses_hold : any_map example /\ 0 < 1 /\ / 100 <= 1 / (2 * C_half 1 1 1) /\
  0 <= left example (fun _ => 1) 1 1 1 (/ 100).
Proof.
  destruct hypotheses_hold as (_ & _ & _ & argmin & _ & _ & _ & _ & _ & _ & _ & _ & _ & convex & _).
  split; [| split; [lra | split]].
  - intros t h x Q. cbv zeta. split.
    + pose proof (clamped x) as C. cbv zeta in C. cbn. lra.
    + intros y Y. apply (euclidean example y argmin convex Y (fun _ _ => eq_refl) t h Q).
  - unfold C_half. lra.
  - pose proof y_small. unfold left. lra.
Qed.

Definition together := (any_step, any_pl_round, any_pl, any_hypotheses_hold).
Print Assumptions together.
