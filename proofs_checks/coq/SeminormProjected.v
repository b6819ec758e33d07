(* Beyond Theorem 1, from Algorithm 2 to the bound: B(s) may be singular and projections active, in the norm of
   D(s) = B(s) + 2 kappa gamma (1 - gamma) I, whose second part pays for what the projection does to |h|^2. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondTheorem Means Identities Propositions34 Laws Algorithm Geometry Draws Round FromAlgorithm.
Require Import Inside Instance Singular Variates Seminorm.
Open Scope R_scope.

Definition damped (P : problem) (B : vec P -> vec P -> vec P) kappa step s u :=
  B s u [+] (2 * kappa * step * (1 - step)) [*] u.

Section SeminormProjected.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variables sigma L : nat -> R.
Variables omega C kappa lambda v_max lowest step : R.
(* The data of Algorithm 2, with a constant step. *)
Hypothesis weights : distribution P.
Hypothesis start : starts_inside P.
Hypothesis constant : forall t, gamma P (S t) = step.
Hypothesis step_half : 0 < step <= 1 / 2.
Hypothesis argmin : line_599 P.
(* The values of Sbar, A3 to A6 (i), A8, what is asked of B, and that f + g is bounded below. *)
Hypothesis values : MM_1_values P.
Hypothesis a3 : A3 P sigma.
Hypothesis a4 : A4 P omega.
Hypothesis a5 : A5 P.
Hypothesis a6_i : A6_i P L.
Hypothesis a8_i : A8_i P.
Hypothesis a8_ii : A8_ii P (damped P B kappa step).
Hypothesis matrices : semidefinite P B v_max.
Hypothesis descent : descends P B C 0.
Hypothesis lipschitz : oracle_in_seminorm P B lambda.
Hypothesis bounded : forall theta, lowest <= f P theta + g P theta.
Hypothesis constants : 0 < C /\ 0 < kappa /\ 0 < lambda /\ 0 < v_max.

Notation omega_p := (omega_p P omega).
Notation sigma2_n := (sigma2_n P sigma).
Notation L2_n := (L2_n P L).
Notation q := (sqrt (1 - alpha P)).
Hypothesis compressed : 0 < omega_p.
Hypothesis rate : 0 < alpha P <= 1 / (1 + omega_p).

(* The constants of own-seminorm-projected: K, Q, and c of G_t, the least that the row allows. *)
Definition drift := C + 5 / 4 * kappa * lambda ^ 2.
Definition load := (5 / 2 + 2 * drift) * (v_max + kappa / 2).
Definition weight := omega_p * load / (1 - q).
Definition gain := step * (1 - 2 * drift * step).
Definition level := (1 + omega_p) * load + weight * alpha P / q.
Notation short := (weight * (L2_n / (1 - q)) * step <= kappa / 4).
Notation seminorm := (seminorm P B).
Notation Psi := (Psi P kappa step weight).
Notation D := (damped P B kappa step).
Notation eps := (2 * kappa * step * (1 - step)).

Lemma eps_pos : 0 < eps.
Proof. destruct constants as (_ & k & _). repeat apply Rmult_lt_0_compat; lra. Qed.
Lemma definite : forall s, calS P s -> positive_definite P (D s).
Proof.
  intros s I. destruct (matrices s I) as (sym & psd). split.
  - intros u v. unfold damped. rewrite dot_add, dot_add_r, dot_scal, dot_scal_r, sym. reflexivity.
  - exists eps. split; [apply eps_pos |]. intro u. unfold damped.
    rewrite dot_add_r, dot_scal_r, norm_square. pose proof (proj1 (psd u)). lra.
Qed.
Lemma inside_now : forall t h, possible (path P t) h -> calS P (Shat (after P h)).
Proof.
  induction t as [| t IH]; intros h Q; cbn [path] in Q; apply possible_next in Q; destruct Q as (w & A & I).
  - apply possible_sure in I. subst h. destruct w as [s v]. apply (start s v A).
  - apply possible_next in I. destruct I as (d & _ & I). apply possible_sure in I. subst h.
    cbn [after Algorithm.step Shat]. apply argmin. rewrite (a8_ii t w A). apply definite, (IH w A).
Qed.
Lemma next_is : forall t h w, possible (path P t) h -> Shat (after P (followed h w))
  = Pi P (D (Shat (after P h))) (Shat (after P h) [+] step [*] H P (after P h) w).
Proof. intros t h w I. cbn [after Algorithm.step Shat]. rewrite (a8_ii t h I), constant. reflexivity. Qed.
Lemma next_in : forall t h w, possible (path P t) h -> calS P (Shat (after P (followed h w))).
Proof. intros t h w I. rewrite (next_is t h w I). apply argmin, definite, (inside_now t h I). Qed.
Lemma inside_always : stays_inside P.
Proof. intros t h I. split; [apply (inside_now t h I) |]. intros w _. apply (next_in t h w I). Qed.
Lemma constants_pos : 0 < 1 - q /\ 0 < q /\ 0 < drift /\ 0 < load /\ 0 < weight.
Proof.
  destruct constants as (c & k & l & v), (q_is P omega compressed rate) as (Q & Q2 & _), rate as (al & _).
  assert (Q1 : q < 1) by nra. assert (K : 0 < drift).
  { unfold drift. assert (0 < 5 / 4 * kappa * lambda ^ 2) by (repeat apply Rmult_lt_0_compat; lra). lra. }
  assert (K' : 0 < load) by (unfold load; apply Rmult_lt_0_compat; lra).
  repeat split; try lra. unfold weight. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat |]; lra.
Qed.

Section One_round.
Variable t : nat.
Variable h : past (vec P).
Hypothesis reached : possible (path P t) h.
Notation s := (Shat (after P h)).
Notation s' w := (Shat (after P (followed h w))).
Notation Bs := (B s).
Notation xi w := (H P (after P h) w [-] field P s).
Definition left_of w := (/ step) [*] (s' w [-] s) [-] field P s.  (* e, what the projection leaves of xi *)
Notation e w := (left_of w).
Notation delta w := (mean_oracle P (map P (s' w)) [-] mean_oracle P (map P s)).
Notation mean_of x := (E (one_round P h) x).
Notation hB := (dot (field P s) (Bs (field P s))).
Notation hh := (dot (field P s) (field P s)).

Lemma in_S : calS P s.
Proof. apply (inside_now t h reached). Qed.
Lemma sym : forall u v, dot (Bs u) v = dot u (Bs v).
Proof. apply (matrices s in_S). Qed.
Lemma pos : forall u, 0 <= dot u (Bs u).
Proof. apply (matrices s in_S). Qed.
Lemma is_seminorm : seminorm h = hB.
Proof. apply (norm_in_square P Bs pos). Qed.
Lemma orthogonal : forall y, mean_of (fun w => dot (xi w) y) = 0.
Proof. apply (error_mean P sigma omega weights a3 a4 a5 t h reached). Qed.
Lemma ds_is : forall w, same (s' w [-] s) (step [*] (field P s [+] e w)).
Proof. intros w y. unfold left_of. expand. field. lra. Qed.

(* Where the points s + step h and s + h of S lie, seen from the projection. *)
Lemma point_in : forall l, 0 <= l <= 1 -> calS P (s [+] l [*] field P s).
Proof.
  intros l l01. destruct values as (invariant & _).
  apply (invariant ((1 - l) [*] s [+] l [*] mean_oracle P (map P s))).
  - intro y. unfold field. expand. ring.
  - apply a8_i; [exact l01 | exact in_S | apply (oracle_inside P values a8_i weights)].
Qed.
Lemma from_point : forall w l, 0 <= l <= 1 ->
  0 <= dot (e w [-] xi w) (D s ((l - step) [*] field P s [+] (- step) [*] e w)).
Proof.
  intros w l l01. pose proof (nearest P (D s) argmin a8_i (definite s in_S) (s [+] step [*] H P (after P h) w) _
    (point_in l l01)) as Q. rewrite <- (next_is t h w reached) in Q.
  destruct (definite s in_S) as (symD & _).
  rewrite (same_form P (D s) symD _ (step [*] (e w [-] xi w)) _ ((l - step) [*] field P s [+] (- step) [*] e w)),
    dot_scal in Q.
  - apply Rmult_le_reg_l with step; lra.
  - intro y. unfold left_of. expand. field. lra.
  - intro y. unfold left_of. expand. field. lra.
Qed.
Ltac forms := unfold minus, damped; rewrite ?dot_add_r, ?dot_scal_r; rewrite <- !(sym _ (_ [+] _));
  repeat rewrite ?dot_add, ?dot_scal, ?dot_add_r, ?dot_scal_r, ?sym.
Lemma at_h : forall w, 0 <= (1 - step) * dot (e w) (Bs (field P s)) + - (1 - step) * dot (xi w) (Bs (field P s))
  + (1 - step) * eps * dot (e w) (field P s) + - ((1 - step) * eps) * dot (xi w) (field P s)
  + - step * dot (e w) (Bs (e w)) + step * dot (xi w) (Bs (e w)) + - (step * eps) * dot (e w) (e w)
  + step * eps * dot (xi w) (e w).
Proof.
  intro w. eapply Rle_trans; [apply (from_point w 1 ltac:(lra)) | right]. generalize (e w) (xi w). intros e x.
  forms. ring.
Qed.
Lemma nearer_in_D : forall w, 0 <= dot (xi w) (Bs (xi w)) + - 1 * dot (e w) (Bs (e w))
  + eps * dot (xi w) (xi w) + - eps * dot (e w) (e w).
Proof.
  intro w. pose proof (from_point w step ltac:(lra)) as Q. revert Q. generalize (e w) (xi w). intros e x Q.
  destruct (definite s in_S) as (_ & v & v0 & low). pose proof (low (x [-] e)) as A.
  assert (A0 : 0 <= dot (x [-] e) (D s (x [-] e))).
  { eapply Rle_trans; [| exact A]. apply Rmult_le_pos; [lra | apply pow2_ge_0]. }
  revert A0 Q. clear A low. forms. rewrite (swap P Bs sym e x), (dot_sym _ e x). intros A0 Q.
  assert (Q' : 0 <= step * (dot x (Bs e) - dot e (Bs e) + eps * (dot x e - dot e e))) by lra.
  apply (Rmult_le_compat_l (/ step)) in Q'; [| apply Rlt_le, Rinv_0_lt_compat; lra].
  rewrite <- Rmult_assoc, Rinv_l in Q' by lra. lra.
Qed.
Lemma apart : forall w, 0 <= dot (xi w) (Bs (xi w)) + dot (e w) (Bs (e w)) + - 2 * dot (xi w) (Bs (e w))
  + eps * dot (xi w) (xi w) + eps * dot (e w) (e w) + - (2 * eps) * dot (xi w) (e w).
Proof.
  intro w. generalize (e w) (xi w). intros e x.
  pose proof (pos (x [-] e)) as A. pose proof (Rmult_le_pos _ _ (Rlt_le _ _ eps_pos) (dot_pos P (x [-] e))) as A'.
  revert A A'. forms.
  rewrite (swap P Bs sym e x), (dot_sym _ e x). intros. lra.
Qed.

(* own-seminorm-projected, one round. *)
Ltac means := repeat first [rewrite mean_add | rewrite mean_scal | rewrite mean_one].
Lemma falls : short -> mean_of (fun w => Psi (followed h w))
  <= Psi h - gain * seminorm h - kappa / 4 * step ^ 2 * field_square P h + level * step ^ 2 * sigma2_n.
Proof.
  intro small. pose proof eps_pos as ep. destruct constants as (c & k & l & v).
  destruct constants_pos as (q1 & q0 & K & K' & wt).
  pose (by_ := mean_of (fun w => dot (e w) (Bs (field P s)))). pose (eh := mean_of (fun w => dot (e w) (field P s))).
  pose (xy := mean_of (fun w => dot (xi w) (Bs (e w)))). pose (xe := mean_of (fun w => dot (xi w) (e w))).
  pose (x2 := mean_of (fun w => dot (xi w) (Bs (xi w)))). pose (y2 := mean_of (fun w => dot (e w) (Bs (e w)))).
  pose (N := mean_of (fun w => dot (xi w) (xi w))). pose (e2 := mean_of (fun w => dot (e w) (e w))).
  pose (D2 := mean_of (fun w => dot (delta w) (delta w))).
  pose (Dh := mean_of (fun w => dot (delta w) (field P s))). pose (De := mean_of (fun w => dot (delta w) (e w))).
  assert (positive : 0 <= x2 /\ 0 <= y2 /\ 0 <= N /\ 0 <= e2 /\ 0 <= D2)
    by (repeat split; apply mean_pos; intro; first [apply pos | apply dot_pos]).
  assert (noise : N = error_square P h) by (apply mean_ext; intro; rewrite norm_square; reflexivity).
  assert (move : mean_of (fun w => dot (s' w [-] s) (Bs (s' w [-] s))) = step ^ 2 * (hB + 2 * by_ + y2)).
  { transitivity (mean_of (fun w => step ^ 2 * (hB * 1 + 2 * dot (e w) (Bs (field P s)) + dot (e w) (Bs (e w))))).
    - apply mean_ext. intro w. rewrite (move_in_B P step s _ _ (ds_is w) B v_max matrices in_S). ring.
    - means. unfold by_, y2. ring. }
  assert (plain_move : moved_square P h = step ^ 2 * (hh + 2 * eh + e2)).
  { transitivity (mean_of (fun w => step ^ 2 * (hh * 1 + 2 * dot (e w) (field P s) + dot (e w) (e w)))).
    - apply mean_ext. intro w. rewrite norm_square, (same_square _ _ _ (ds_is w)). generalize (e w). intro u. expand.
      rewrite (dot_sym _ (field P s) u). ring.
    - means. unfold eh, e2. ring. }
  assert (split : mean_of (fun w => Psi (followed h w)) = mean_of (fun w => W P (followed h w))
    + kappa * step * ((1 - step) ^ 2 * hh + step ^ 2 * e2 + D2 - 2 * (1 - step) * step * eh
      + 2 * (1 - step) * Dh - 2 * step * De) + weight * step ^ 2 * mean_of (fun w => G P (followed h w))).
  { unfold Seminorm.Psi. means. f_equal. f_equal. f_equal.
    transitivity (mean_of (fun w => (1 - step) ^ 2 * hh * 1 + step ^ 2 * dot (e w) (e w) + dot (delta w) (delta w)
      + - (2 * (1 - step) * step) * dot (e w) (field P s) + 2 * (1 - step) * dot (delta w) (field P s)
      + - (2 * step) * dot (delta w) (e w))).
    - apply mean_ext. intro w. unfold field_square. rewrite (field_after P step s _ _ (ds_is w)), !norm_square. ring.
    - means. unfold e2, D2, eh, Dh, De. ring. }
  assert (H1 : mean_of (fun w => W P (followed h w))
    <= W P h - step * (hB + by_) + C * (step ^ 2 * (hB + 2 * by_ + y2))).
  { rewrite <- move. apply Rle_trans with (mean_of (fun w => W P h * 1 + - step * (hB * 1 + dot (e w) (Bs (field P s)))
      + C * dot (s' w [-] s) (Bs (s' w [-] s)))).
    - apply mean_le. intro w. pose proof (value_after P step s _ _ (ds_is w) B v_max matrices in_S C 0 descent
        (next_in t h w reached)). unfold W, value in *. lra.
    - means. unfold by_. lra. }
  assert (H2 : x2 <= v_max * N).
  { unfold x2, N. rewrite <- (mean_scal _ _ v_max). apply mean_le. intro w. rewrite <- norm_square.
    apply (matrices s in_S). }
  assert (H3 : D2 <= lambda ^ 2 * (step ^ 2 * (hB + 2 * by_ + y2))).
  { rewrite <- move. unfold D2. rewrite <- (mean_scal _ _ (lambda ^ 2)). apply mean_le. intro w.
    pose proof (lipschitz s (s' w) in_S (next_in t h w reached)) as Q.
    apply norm_le in Q; [| apply Rmult_le_pos; [lra | apply sqrt_pos]].
    rewrite Rpow_mult_distr, (norm_in_square P Bs pos) in Q. exact Q. }
  (* The projection, at s + h and at s + step h, and |xi - e|_D^2. *)
  assert (P1 : 0 <= (1 - step) * by_ + (1 - step) * eps * eh + - step * y2 + step * xy + - (step * eps) * e2
    + step * eps * xe).
  { eapply Rle_trans; [apply (mean_pos _ (under (one_round P h))), at_h | right]. means.
    rewrite !orthogonal. unfold by_, eh, y2, xy, e2, xe. ring. }
  assert (P2 : 0 <= x2 + - 1 * y2 + eps * N + - eps * e2).
  { eapply Rle_trans; [apply (mean_pos _ (under (one_round P h))), nearer_in_D | right]. means.
    unfold x2, y2, N, e2. ring. }
  assert (P3 : 0 <= x2 + y2 + - 2 * xy + eps * N + eps * e2 + - (2 * eps) * xe).
  { eapply Rle_trans; [apply (mean_pos _ (under (one_round P h))), apart | right]. means.
    unfold x2, y2, xy, N, e2, xe. ring. }
  (* Squares. *)
  assert (S1 : 0 <= step ^ 2 * hh + - (2 * step * (1 - step)) * Dh + (1 - step) ^ 2 * D2).
  { apply Rle_trans with (mean_of (fun w => step ^ 2 * hh * 1 + - (2 * step * (1 - step)) * dot (delta w) (field P s)
      + (1 - step) ^ 2 * dot (delta w) (delta w))); [apply mean_pos | right; means; unfold Dh, D2; ring].
    intro w. generalize (delta w). intro d.
    eapply Rle_trans; [apply (dot_pos _ (step [*] field P s [-] (1 - step) [*] d)) | right]. expand.
    rewrite (dot_sym _ (field P s) d). ring. }
  assert (S2 : 0 <= D2 + 2 * step * De + step ^ 2 * e2).
  { apply Rle_trans with (mean_of (fun w => dot (delta w) (delta w) + 2 * step * dot (delta w) (e w)
      + step ^ 2 * dot (e w) (e w))); [apply mean_pos | right; means; unfold D2, De, e2; ring].
    intro w. generalize (delta w) (e w). intros d u. eapply Rle_trans; [apply (dot_pos _ (d [+] step [*] u)) | right].
    expand. rewrite (dot_sym _ u d). ring. }
  assert (S3 : forall b, b = 1 \/ b = -1 -> 0 <= y2 + hB + 2 * b * by_).
  { intros b b1. apply Rle_trans with (mean_of (fun w => dot (e w) (Bs (e w)) + hB * 1
      + 2 * b * dot (e w) (Bs (field P s)))); [apply mean_pos | right; means; unfold y2, by_; ring].
    intro w. generalize (e w). intro u. eapply Rle_trans; [apply (pos (u [+] b [*] field P s)) | right].
    forms. rewrite (swap P Bs sym (field P s) u). destruct b1; subst b; ring. }
  assert (S4 : 0 <= e2 + hh + - 2 * eh).
  { apply Rle_trans with (mean_of (fun w => dot (e w) (e w) + hh * 1 + - 2 * dot (e w) (field P s)));
      [apply mean_pos | right; means; unfold e2, eh; ring].
    intro w. generalize (e w). intro u. eapply Rle_trans; [apply (dot_pos _ (u [-] field P s)) | right]. expand.
    rewrite (dot_sym _ (field P s) u). ring. }
  assert (H4 : N <= (1 + omega_p) * sigma2_n + omega_p * G P h)
    by (rewrite noise; apply (noise_plain P sigma omega weights a3 a4 a5 t h reached)).
  pose proof (recursion P sigma L omega weights a3 a4 a5 compressed rate a6_i inside_always t h reached) as H5.
  rewrite plain_move in H5.
  (* The largest L^2 / n that the condition on the step allows. *)
  pose (most := kappa / (4 * weight * step)).
  assert (Den : 0 < 4 * weight * step) by (apply Rmult_lt_0_compat; lra).
  assert (most_pos : 0 < most) by (apply Rdiv_lt_0_compat; lra).
  assert (enough : L2_n / (1 - q) <= most).
  { unfold most. apply Rmult_le_reg_r with (4 * weight * step); [exact Den |].
    replace (kappa / (4 * weight * step) * (4 * weight * step)) with kappa by (field; lra). lra. }
  apply (Rmult_le_compat_r (step ^ 2 * (hh + 2 * eh + e2))) in enough;
    [| rewrite <- plain_move; apply mean_pos; intro; apply pow2_ge_0].
  assert (twice : 0 <= 2 - / (1 - step)).
  { apply Rmult_le_reg_l with (1 - step); [lra |]. replace ((1 - step) * (2 - / (1 - step))) with (1 - 2 * step)
      by (field; lra). lra. }
  pose proof (sigma2_pos P sigma) as S0. destruct positive as (x0 & y0 & N0 & e0 & D0).
  pose proof (is_seminorm) as hB_is.
  rewrite split, hB_is. unfold field_square. rewrite norm_square.
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_seminorm_projected_2 with (b := root P Bs sym pos (plain P Bs sym pos (field P s)))
    (h := plain P Bs sym pos (field P s)) (C := C) (E_G_t_1 := mean_of (fun w => G P (followed h w)))
    (E_W_t_1 := mean_of (fun w => W P (followed h w))) (E_langle_b_y_rangle := by_) (E_langle_delta_e_rangle := De)
    (E_langle_delta_h_rangle := Dh) (E_langle_e_h_rangle := eh) (E_langle_x_y_rangle := xy)
    (E_langle_xi_e_rangle := xe) (E_left_delta_right_2 := D2) (E_left_e_right_2 := e2) (E_left_x_right_2 := x2)
    (E_left_xi_right_2 := N) (E_left_y_right_2 := y2) (G_t := G P h) (K := drift) (M := most) (Q := load)
    (W_t := W P h) (c := weight) (gamma := step) (kappa := kappa) (lambda := lambda) (omega := omega_p)
    (r := / (1 - step)) (sigma_2_n := sigma2_n) (tau := alpha P / q) (v_max := v_max) (varrho := q)];
    try assumption; rewrite ?dot_root, ?dot_plain; cbn [fst plain]; try lra.
  - unfold Seminorm.Psi, gain, level, field_square. rewrite norm_square. field. lra.
  - apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
  - apply Rinv_0_lt_compat. lra.
  - field. lra.
  - apply Rmult_le_pos; lra.
  - pose proof (S3 1 (or_introl eq_refl)). apply Rmult_le_pos; [lra |].
    assert (A : 0 <= kappa * lambda ^ 2 * (1 / 4 - step ^ 2)); [| unfold drift; lra].
    apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply pow2_ge_0] | nra].
  - right. unfold load. field.
  - pose proof (S3 (-1) (or_intror eq_refl)). lra.
  - right. unfold weight. field. lra.
  - right. unfold most. field. lra.
Qed.
End One_round.

(* own-seminorm-projected over T rounds. *)
Notation mean_seminorm t := (E (path P (pred t)) seminorm).
Notation mean_field t := (E (path P (pred t)) (field_square P)).
Theorem seminorm_projected : short -> forall T,
  sum (fun t => gain * mean_seminorm t + kappa / 4 * step ^ 2 * mean_field t) T
  <= initial_gap P lowest + kappa * step * initial_field P + weight * step ^ 2 * initial_variates P
    + level * sigma2_n * (INR T * step ^ 2).
Proof.
  intros small T. destruct constants_pos as (_ & _ & _ & _ & wt), constants as (_ & k & _).
  pose proof (sum_of_falls P B kappa step weight lowest gain (kappa / 4 * step ^ 2) (level * step ^ 2 * sigma2_n)
    bounded ltac:(apply Rmult_le_pos; lra) ltac:(lra) (fun t h I => falls t h I small) T). lra.
Qed.
End SeminormProjected.

(* The hypotheses do not contradict each other where B(s) is singular and a projection is active: T of Singular.v, data,
   noise, compressor and participation of Instance.v, in the half-plane s_1 >= -1, on whose edge all begins. *)
Definition edge (B : (nat -> R) -> nat -> R) (x : nat -> R) : nat -> R :=
  let b := B (point 0 1) in let a := Rmax 0 (- 1 - x 1%nat) in fun k => x k + a * point 1 (- b 1%nat / b 2%nat) k.
Definition half_plane : problem := Build_problem (Space plane) (fun s => -1 <= s 1%nat) (Theta plane) (f plane)
  (g plane) (psi plane) (phi plane) (map plane) (n plane) (mu plane) (sample plane) (pi plane) (fun z _ => point z 0)
  (sure (point (-1) 0, fun _ => point 2 0)) (p plane) (selection plane)
  (fun _ i => either (point (own_mean i - 1) 0) (point (own_mean i + 1) 0)) (compressor plane) (alpha plane)
  (fun _ => / 4000) (fun _ u => (point (u 1%nat) 0 : vec plane) [+] (2 * 1 * / 4000 * (1 - / 4000)) [*] u) edge.

Lemma nearest_on_edge : line_599 half_plane.
Proof.
  intros B x (sym & v & v0 & low).
  pose (b11 := B (point 1 0) 1%nat). pose (b12 := B (point 0 1) 1%nat). pose (b22 := B (point 0 1) 2%nat).
  assert (b21 : B (point 1 0) 2%nat = b12).
  { pose proof (sym (point 1 0) (point 0 1)) as Q. rewrite !dot_plane in Q. cbn in Q. unfold b12. lra. }
  assert (form : forall u, dot u (B u) = b11 * u 1%nat ^ 2 + 2 * b12 * u 1%nat * u 2%nat + b22 * u 2%nat ^ 2).
  { intro u. pose proof (sym u (point 1 0)) as Q1. pose proof (sym u (point 0 1)) as Q2.
    rewrite !dot_plane in Q1, Q2. cbn in Q1, Q2. rewrite b21 in Q1. rewrite dot_plane.
    replace (B u 1%nat) with (b11 * u 1%nat + b12 * u 2%nat) by (unfold b11; lra).
    replace (B u 2%nat) with (b12 * u 1%nat + b22 * u 2%nat) by (unfold b12, b22; lra). ring. }
  assert (pos : forall u, 0 <= dot u (B u)).
  { intro u. eapply Rle_trans; [| apply low]. apply Rmult_le_pos; [lra | apply pow2_ge_0]. }
  assert (b22_pos : 0 < b22).
  { pose proof (low (point 0 1)) as Q. rewrite form, norm_square, dot_plane in Q. cbn in Q. lra. }
  pose (det := b11 - b12 ^ 2 / b22).
  assert (det_pos : 0 <= det).
  { pose proof (pos (point 1 (- b12 / b22))) as Q. rewrite form in Q. cbn in Q. eapply Rle_trans; [exact Q | right].
    unfold det. field. lra. }
  pose (a := Rmax 0 (- 1 - x 1%nat)).
  assert (to : forall k, edge B x k = x k + a * point 1 (- b12 / b22) k) by reflexivity.
  change (Pi half_plane B x) with (edge B x). split; [change (-1 <= edge B x 1%nat); rewrite to; cbn;
    pose proof (Rmax_r 0 (- 1 - x 1%nat)); unfold a; lra |].
  intros y Y. change (-1 <= y 1%nat) in Y. apply sqrt_le_1_alt. rewrite !form. unfold minus. cbn - [edge].
  rewrite !to. cbn.
  set (d1 := y 1%nat + -1 * x 1%nat). set (d2 := y 2%nat + -1 * x 2%nat).
  assert (D : a ^ 2 <= d1 ^ 2).
  { unfold a, Rmax. destruct (Rle_dec 0 (- 1 - x 1%nat)); [apply pow_incr; unfold d1; lra |].
    rewrite pow_i by lia. apply pow2_ge_0. }
  apply (Rmult_le_compat_l det) in D; [| exact det_pos].
  pose proof (Rmult_le_pos _ _ (Rlt_le _ _ (Rinv_0_lt_compat _ b22_pos)) (pow2_ge_0 (b22 * d2 + b12 * d1))) as S.
  apply Rle_trans with (det * a ^ 2); [right; unfold det; field; lra |].
  apply Rle_trans with (det * d1 ^ 2 + / b22 * (b22 * d2 + b12 * d1) ^ 2); [lra |].
  right. unfold det. field. lra.
Qed.
Lemma oracle_of_half : forall i theta, same (mean_oracle_of half_plane i theta) (point (own_mean i) 0 : vec plane).
Proof. intros i theta y. rewrite !dot_plane. unfold mean_oracle_of, vmean. cbn. ring. Qed.
Lemma oracle_half : forall theta, same (mean_oracle half_plane theta) (point 0 0 : vec plane).
Proof. intros theta y. rewrite !dot_plane. unfold mean_oracle, mean_oracle_of, vmean. cbn. field. Qed.

Theorem hypotheses_hold_projected : let P := half_plane in
  distribution P /\ starts_inside P /\ (forall t, gamma P (S t) = / 4000) /\ line_599 P /\ MM_1_values P /\
  A3 P (fun _ => 1) /\ A4 P 1 /\ A5 P /\ A6_i P (fun _ => 1) /\ A8_i P /\
  A8_ii P (damped P first_only 1 (/ 4000)) /\ semidefinite P first_only 1 /\
  (exists u, dot u u = 1 /\ forall s, dot u (first_only s u) = 0) /\ descends P first_only (1 / 2) 0 /\
  oracle_in_seminorm P first_only 1 /\ (forall theta, 0 <= f P theta + g P theta) /\
  0 < omega_p P 1 /\ 0 < alpha P <= 1 / (1 + omega_p P 1) /\
  weight P 1 (1 / 2) 1 1 1 * (L2_n P (fun _ => 1) / (1 - sqrt (1 - alpha P))) * / 4000 <= 1 / 4 /\ ~ lands_inside P.
Proof.
  cbv zeta. destruct hypotheses_hold_singular as (D & _ & _ & _ & _ & _ & _ & _ & _ & _ & _ & _ & A4' & A5' & _ & low &
    o0 & al & psd & kernel & _).
  split; [exact D |].
  split; [intros s v [q [H | []]]; injection H as _ <- _; cbn; lra |].
  split; [reflexivity |].
  split; [exact nearest_on_edge |].
  split.
  { split.
    - intros u v Q. specialize (Q (point 1 0)). rewrite !dot_plane in Q. cbn in *. lra.
    - intros i z theta _ Q. apply possible_sure in Q. subst z. cbn. destruct i as [| [| i]]; cbn; lra. }
  split.
  { intros t h i _ _. cbv zeta. split; [lra |]. split.
    - intro y. rewrite (oracle_of_half i _ y). cbn [oracles half_plane]. rewrite mean_either, !dot_plane. cbn. field.
    - cbn [oracles half_plane]. rewrite mean_either, !norm_square. right.
      assert (Q : forall a theta,
        dot (a [-] mean_oracle_of half_plane i theta) (a [-] mean_oracle_of half_plane i theta)
        = let m := point (own_mean i) 0 : vec plane in dot (a [-] m) (a [-] m)).
      { intros a theta. cbv zeta. apply same_square. intro y. unfold minus.
        rewrite !dot_add, !dot_scal, (oracle_of_half i _ y). reflexivity. }
      rewrite !Q. cbv zeta. rewrite !dot_plane. unfold minus. cbn. field. }
  split; [exact A4' |]. split; [exact A5' |].
  split.
  { intros i _. split; [lra |]. intros s s' _ _. apply norm_plane; [lra |]. right. rewrite pow1, Rmult_1_l.
    transitivity (dot (s [-] s') (s [-] s')).
    - apply same_square. intro y. unfold field_of, minus. rewrite !dot_add, !dot_scal, !dot_add, !dot_scal,
        !(oracle_of_half i _ y). ring.
    - rewrite !dot_plane. unfold minus. cbn. ring. }
  split; [intros u v l L0 U V; cbn in *; nra |].
  split; [intros t h _; reflexivity |].
  split; [intros s _; exact (psd s I) |].
  split; [exact kernel |].
  assert (in_B : forall s u, norm_in (first_only s) u = Rabs (u 1%nat)).
  { intros s u. unfold norm_in. rewrite dot_plane. cbn. rewrite Rmult_0_r, Rplus_0_r. apply sqrt_Rsqr_abs. }
  split.
  { intros s s' _ _. rewrite in_B, pow2_abs. unfold field.
    assert (Q : forall y, dot (mean_oracle half_plane (map half_plane s) [-] s) y = - dot s y).
    { intro y. unfold minus. rewrite dot_add, dot_scal, (oracle_half _ y), dot_plane. cbn. ring. }
    rewrite Q, dot_plane. unfold minus, value. cbn. lra. }
  split.
  { intros s s' _ _. rewrite in_B, Rmult_1_l. unfold norm.
    pose (d := oracle_at half_plane s' [-] oracle_at half_plane s). fold d. assert (Q : dot d d = 0).
    { rewrite <- (dot_zero _ (zero : vec plane)). apply same_square. intro y.
      unfold d, oracle_at, minus. rewrite dot_add, dot_scal, !(oracle_half _ y), dot_zero. ring. }
    rewrite Q, sqrt_0. apply Rabs_pos. }
  split; [exact low |]. split; [exact o0 |]. split; [exact al |].
  split.
  { assert (o : omega_p half_plane 1 = 3) by (unfold omega_p; cbn; field).
    assert (Q : 0 <= sqrt (1 - alpha half_plane) <= 7 / 8).
    { split; [apply sqrt_pos |]. replace (7 / 8) with (sqrt ((7 / 8) ^ 2)) by (apply sqrt_pow2; lra).
      apply sqrt_le_1_alt. cbn. lra. }
    assert (L : L2_n half_plane (fun _ => 1) = 1 / 2) by (unfold L2_n, slopes; cbn; field).
    unfold weight, load, drift. rewrite o, L. generalize dependent (sqrt (1 - alpha half_plane)). intros q Q.
    assert (R8 : 0 < / (1 - q) <= 8).
    { split; [apply Rinv_0_lt_compat; lra |]. replace 8 with (/ (1 / 8)) by field. apply Rinv_le_contravar; lra. }
    assert (R64 : / (1 - q) * / (1 - q) <= 8 * 8) by (apply Rmult_le_compat; lra). unfold Rdiv. lra. }
  intro inside. pose (h := began (point (-1) 0) (fun _ => point 2 0) : past (vec half_plane)).
  pose (d i := {| active := true; oracle := point (own_mean i - 1) 0 : vec half_plane;
    compress := fun s k => 2 * s k |}).
  pose (w := update (update (fun _ => nobody half_plane) 1 (d 1%nat)) 2 (d 2%nat)).
  assert (H0 : possible (path half_plane 0) h) by (eexists; left; reflexivity).
  assert (H1 : possible (one_round half_plane h) w) by (eexists; left; reflexivity).
  pose proof (inside 0%nat h w H0 H1) as Q. cbn in Q. lra.
Qed.

Definition together := (falls, seminorm_projected, hypotheses_hold_projected).
Print Assumptions together.
