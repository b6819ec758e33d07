(* Beyond Theorem 1, from Algorithm 2 to the bound: B(s) may be singular, as it is wherever s has more coordinates than
   theta. No v_min, no A6 (ii), no A8: no projection is active, and W is, but for little, at most its linear part in the
   seminorm of B(s). The noise of T rounds is of order T gamma^2. A7 without v_min is enough: the last theorem. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondTheorem Means Identities Proposition2 Propositions34 Laws Algorithm Geometry Draws Round.
Require Import FromAlgorithm Singular Gap Variates.
Open Scope R_scope.

(* One move, by step times h + e whatever e is: the seminorm of the move, W and h after it. *)
Section Move.
Variable P : problem.
Variable step : R.
Variables s s' e : vec P.
Hypothesis move : same (s' [-] s) (step [*] (field P s [+] e)).
Notation field_s := (field P s).

Lemma move_in_B : forall B v_max, semidefinite P B v_max -> calS P s -> dot (s' [-] s) (B s (s' [-] s))
  = step ^ 2 * (dot field_s (B s field_s) + 2 * dot e (B s field_s) + dot e (B s e)).
Proof.
  intros B v_max matrices in_S. destruct (matrices s in_S) as (sym & _).
  rewrite (same_form P (B s) sym _ _ _ _ move move), dot_scal, <- sym, dot_scal_r, sym, dot_add, <- !(sym _ (_ [+] _)),
    !dot_add_r, !sym, (swap P (B s) sym field_s e). ring.
Qed.
Lemma value_after : forall B v_max, semidefinite P B v_max -> calS P s ->
  forall C kappa, descends P B C kappa -> calS P s' ->
  value P s' <= value P s - step * (dot field_s (B s field_s) + dot e (B s field_s))
    + C * dot (s' [-] s) (B s (s' [-] s)) + kappa / 4 * norm (s' [-] s) ^ 2.
Proof.
  intros B v_max matrices in_S C kappa descent In. destruct (matrices s in_S) as (sym & psd).
  pose proof (descent s s' in_S In) as D.
  rewrite (norm_in_square P (B s) (fun u => proj1 (psd u))), <- (sym _ (s' [-] s)), (dot_sym _ _ (s' [-] s)), (move _),
    dot_scal, dot_add in D. exact D.
Qed.

Lemma field_after : let delta := mean_oracle P (map P s') [-] mean_oracle P (map P s) in
  norm (field P s') ^ 2 = (1 - step) ^ 2 * norm field_s ^ 2 + step ^ 2 * norm e ^ 2 + dot delta delta
    - 2 * (1 - step) * step * dot e field_s + 2 * (1 - step) * dot delta field_s - 2 * step * dot delta e.
Proof.
  intro delta. rewrite !norm_square.
  assert (Q : same (field P s') ((1 - step) [*] field_s [+] ((- step) [*] e [+] delta))).
  { intro y. pose proof (move y) as D. unfold minus in D at 1. rewrite dot_add, !dot_scal, dot_add in D.
    unfold delta, field at 1. unfold minus at 1. rewrite dot_add, dot_scal. unfold minus. rewrite !dot_add, !dot_scal.
    assert (F : dot field_s y = dot (mean_oracle P (map P s)) y - dot s y).
    { unfold field, minus. rewrite dot_add, dot_scal. ring. } lra. }
  rewrite (same_square _ _ _ Q). generalize delta. intro d.
  repeat rewrite ?dot_add, ?dot_scal, ?dot_add_r, ?dot_scal_r.
  rewrite (dot_sym _ field_s e), (dot_sym _ field_s d), (dot_sym _ e d). ring.
Qed.
End Move.

(* A Lyapunov function that falls in every round, whatever the weight of G_t, the gain and the noise are. *)
Section Lyapunov.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variables kappa step weight : R.
Notation seminorm := (seminorm P B).
Definition Psi h := W P h + kappa * step * field_square P h + weight * step ^ 2 * G P h.

Lemma sum_of_falls : forall lowest gain held noise, (forall theta, lowest <= f P theta + g P theta) ->
  0 <= kappa * step -> 0 <= weight ->
  (forall t h, possible (path P t) h -> E (one_round P h) (fun w => Psi (followed h w))
    <= Psi h - gain * seminorm h - held * field_square P h + noise) ->
  forall T, sum (fun t => gain * E (path P (pred t)) seminorm
      + held * E (path P (pred t)) (field_square P)) T
  <= initial_gap P lowest + kappa * step * initial_field P + weight * step ^ 2 * initial_variates P + noise * INR T.
Proof.
  intros lowest gain held noise bounded k wt falls T.
  assert (Q : sum (fun t => gain * E (path P (pred t)) seminorm
      + held * E (path P (pred t)) (field_square P)) T + E (path P T) Psi
    <= E (path P 0) Psi + noise * INR T).
  { induction T as [| T IH]; [cbn [sum INR]; lra |]. rewrite S_INR. cbn [sum pred].
    assert (A : E (path P (S T)) Psi <= E (path P T) Psi + - gain * E (path P T) seminorm
      + - held * E (path P T) (field_square P) + noise); [| lra].
    rewrite one_more. apply Rle_trans with (E (path P T) (fun h => (1 * Psi h + - gain * seminorm h
      + - held * field_square P h) + noise * 1)).
    - apply E_le. intros h I. pose proof (falls T h I). lra.
    - rewrite (mean_add _ _ (fun h => 1 * Psi h + _ + _)), mean_const, E_linear. lra. }
  assert (at_0 : E (path P 0) Psi = E (path P 0) (W P) + kappa * step * initial_field P
    + weight * step ^ 2 * initial_variates P).
  { rewrite field_is, variates_are. unfold Psi. rewrite (mean_add _ _ (fun h => W P h + _)), (mean_add _ _ (W P)),
      !mean_scal. reflexivity. }
  assert (at_T : lowest <= E (path P T) Psi).
  { eapply Rle_trans; [apply (bounded_below P lowest bounded T) |]. apply mean_le. intro h. unfold Psi, field_square.
    pose proof (Rmult_le_pos _ _ k (pow2_ge_0 (norm (field P (Shat (after P h)))))).
    pose proof (Rmult_le_pos (weight * step ^ 2) _ ltac:(apply Rmult_le_pos; [lra | apply pow2_ge_0]) (G_pos P h)).
    lra. }
  rewrite gap_is. lra.
Qed.
End Lyapunov.

Section Seminorm.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variables sigma L : nat -> R.
Variables omega C kappa lambda v_max lowest step : R.
(* The data of Algorithm 2, with a constant step. *)
Hypothesis weights : distribution P.
Hypothesis start : starts_inside P.
Hypothesis constant : forall t, gamma P (S t) = step.
Hypothesis step_1 : 0 < step <= 1.
Hypothesis kept : keeps P.
Hypothesis inactive : lands_inside P.
(* A3 to A6 (i), what is asked of B, and that f + g is bounded below. *)
Hypothesis a3 : A3 P sigma.
Hypothesis a4 : A4 P omega.
Hypothesis a5 : A5 P.
Hypothesis a6_i : A6_i P L.
Hypothesis matrices : semidefinite P B v_max.
Hypothesis descent : descends P B C kappa.
Hypothesis lipschitz : oracle_in_seminorm P B lambda.
Hypothesis bounded : forall theta, lowest <= f P theta + g P theta.
Hypothesis constants : 0 < C /\ 0 < kappa /\ 0 < lambda /\ 0 < v_max.

Notation omega_p := (omega_p P omega).
Notation sigma2_n := (sigma2_n P sigma).
Notation L2_n := (L2_n P L).
Notation q := (sqrt (1 - alpha P)).
Hypothesis compressed : 0 < omega_p.
Hypothesis rate : 0 < alpha P <= 1 / (1 + omega_p).

(* The constants of own-seminorm, with 1 + eta = 1 / q in own-variates and the least weight c of G_t. *)
Definition load := C * v_max + 2 * kappa * (1 + lambda ^ 2 * v_max) + 3 / 4 * kappa.
Definition weight := omega_p * load / (1 - q).
Definition gain := step * (1 - (C + 2 * kappa * lambda ^ 2) * step).
Definition level := (1 + omega_p) * load + weight * alpha P / q.
Hypothesis short : weight * (L2_n / (1 - q)) * step ^ 2 <= kappa / 2.

Notation seminorm := (seminorm P B).
Notation Psi := (Psi P kappa step weight).

Notation next_is := (free_next P kept inactive).
Notation inside_now := (free_inside P start kept inactive).
Lemma constants_pos : 0 < 1 - q /\ 0 < q /\ 0 < load /\ 0 < weight.
Proof.
  destruct constants as (c & k & l & v), (q_is P omega compressed rate) as (Q & Q2 & _), rate as (al & _).
  assert (Q1 : q < 1) by nra. assert (K : 0 < load).
  { unfold load. assert (0 < C * v_max) by (apply Rmult_lt_0_compat; lra).
    assert (0 < lambda ^ 2 * v_max) by (apply Rmult_lt_0_compat; [apply pow_lt |]; lra).
    assert (0 < 2 * kappa * (1 + lambda ^ 2 * v_max)) by (apply Rmult_lt_0_compat; lra). lra. }
  repeat split; try lra. unfold weight. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat |]; lra.
Qed.

Section One_round.
Variable t : nat.
Variable h : past (vec P).
Hypothesis reached : possible (path P t) h.
Notation s := (Shat (after P h)).
Notation s' w := (Shat (after P (followed h w))).
Notation Bs := (B s).
Notation error w := (H P (after P h) w [-] field P s).
Notation ds w := (s' w [-] s).
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
Lemma orthogonal : forall y, mean_of (fun w => dot (error w) y) = 0.
Proof. apply (error_mean P sigma omega weights a3 a4 a5 t h reached). Qed.

Lemma ds_is : forall w, possible (one_round P h) w -> same (ds w) (step [*] (field P s [+] error w)).
Proof. intros w I y. rewrite (proj2 (next_is t h w reached I) y), constant. expand. ring. Qed.

(* What a move costs, in the seminorm and in the plain norm. *)
Lemma moved_in_B : mean_of (fun w => dot (ds w) (Bs (ds w)))
  = step ^ 2 * (hB + mean_of (fun w => dot (error w) (Bs (error w)))).
Proof.
  transitivity (mean_of (fun w => (step ^ 2 * hB * 1 + 2 * step ^ 2 * dot (error w) (Bs (field P s)))
    + step ^ 2 * dot (error w) (Bs (error w)))).
  - apply E_ext. intros w I. rewrite (move_in_B P step s _ _ (ds_is w I) B v_max matrices in_S). ring.
  - rewrite (mean_add _ _ (fun w => _ * 1 + _ * dot (error w) (Bs (field P s)))), (mean_add _ _ (fun w => _ * 1)),
      mean_const, !mean_scal, orthogonal. ring.
Qed.
Lemma moved : moved_square P h <= step ^ 2 * (hh + error_square P h).
Proof.
  pose proof (free_moved P kept inactive sigma omega t h weights a3 a4 a5 reached) as Q. unfold field_square in Q.
  rewrite constant, norm_square in Q. exact Q.
Qed.

(* W after the round. *)
Lemma after_W : mean_of (fun w => W P (followed h w)) <= W P h - step * hB
  + C * step ^ 2 * (hB + mean_of (fun w => dot (error w) (Bs (error w))))
  + kappa / 4 * step ^ 2 * (hh + error_square P h).
Proof.
  destruct constants as (_ & k & _). pose proof moved as Q. pose proof moved_in_B as QB.
  apply Rle_trans with (mean_of (fun w => (((W P h - step * hB) * 1 + - step * dot (error w) (Bs (field P s)))
    + C * dot (ds w) (Bs (ds w))) + kappa / 4 * norm (ds w) ^ 2)).
  - apply E_le. intros w I. destruct (next_is t h w reached I) as (In & _).
    pose proof (value_after P step s _ _ (ds_is w I) B v_max matrices in_S C kappa descent In). unfold W, value in *.
    lra.
  - rewrite (mean_add _ _ (fun w => _ + C * dot (ds w) (Bs (ds w)))),
      (mean_add _ _ (fun w => _ * 1 + _ * dot (error w) (Bs (field P s)))), (mean_add _ _ (fun w => _ * 1)),
      mean_const, !mean_scal, orthogonal, QB. unfold moved_square in Q.
    apply (Rmult_le_compat_l (kappa / 4)) in Q; lra.
Qed.
(* own-seminorm, one round. *)
Lemma falls : mean_of (fun w => Psi (followed h w))
  <= Psi h - gain * seminorm h - kappa / 4 * step ^ 2 * field_square P h + level * step ^ 2 * sigma2_n.
Proof.
  destruct constants as (c & k & l & v), constants_pos as (q1 & q0 & K & wt).
  pose (x2 := mean_of (fun w => dot (error w) (Bs (error w)))). pose (N := error_square P h).
  pose (D2 := mean_of (fun w => dot (delta w) (delta w))).
  pose (Dh := mean_of (fun w => dot (delta w) (field P s))). pose (Dxi := mean_of (fun w => dot (delta w) (error w))).
  assert (A1 : 0 <= x2) by (apply mean_pos; intro; apply pos).
  assert (A2 : 0 <= N) by (apply mean_pos; intro; apply pow2_ge_0).
  assert (A3' : 0 <= D2) by (apply mean_pos; intro; apply dot_pos).
  assert (split : mean_of (fun w => Psi (followed h w)) = mean_of (fun w => W P (followed h w))
    + kappa * step * ((1 - step) ^ 2 * hh + step ^ 2 * N + D2 + 2 * (1 - step) * Dh - 2 * step * Dxi)
    + weight * step ^ 2 * mean_of (fun w => G P (followed h w))).
  { unfold Psi. rewrite (mean_add _ _ (fun w => W P (followed h w) + _)), (mean_add _ _ (fun w => W P (followed h w))),
      !mean_scal. f_equal. f_equal. f_equal.
    transitivity (mean_of (fun w => ((((1 - step) ^ 2 * hh * 1 + step ^ 2 * norm (error w) ^ 2)
      + dot (delta w) (delta w)) + - (2 * (1 - step) * step) * dot (error w) (field P s))
      + (2 * (1 - step) * dot (delta w) (field P s) + - (2 * step) * dot (delta w) (error w)))).
    - apply E_ext. intros w I. unfold field_square.
      rewrite (field_after P step s _ _ (ds_is w I)), !norm_square. ring.
    - rewrite (mean_add _ _ (fun w => _ + _ * dot (error w) (field P s))),
        (mean_add _ _ (fun w => _ + dot (delta w) (delta w))), (mean_add _ _ (fun w => _ * 1 + _ * norm (error w) ^ 2)),
        (mean_add _ _ (fun w => _ * 1)), (mean_add _ _ (fun w => _ * dot (delta w) (field P s))),
        mean_const, !mean_scal, orthogonal. unfold N, error_square, D2, Dh, Dxi. ring. }
  pose proof after_W as H1. fold x2 in H1. fold N in H1.
  assert (H2 : x2 <= v_max * N).
  { unfold x2, N, error_square. rewrite <- (mean_scal _ _ v_max). apply mean_le. intro w.
    apply (matrices s in_S). }
  assert (H3 : D2 <= lambda ^ 2 * (step ^ 2 * (hB + x2))).
  { unfold x2. rewrite <- moved_in_B. unfold D2. rewrite <- (mean_scal _ _ (lambda ^ 2)). apply E_le. intros w I.
    destruct (next_is t h w reached I) as (In & _). pose proof (lipschitz s (s' w) in_S In) as Q.
    apply norm_le in Q; [| apply Rmult_le_pos; [lra | apply sqrt_pos]].
    rewrite Rpow_mult_distr, (norm_in_square P Bs pos) in Q. exact Q. }
  assert (young : 0 <= (1 - step) ^ 2 * hh + step ^ 2 * N + / step ^ 2 * D2 - 2 * (1 - step) / step * Dh + 2 * Dxi).
  { apply Rle_trans with (mean_of (fun w => ((((1 - step) ^ 2 * hh * 1 + step ^ 2 * norm (error w) ^ 2)
      + / step ^ 2 * dot (delta w) (delta w)) + - (2 * (1 - step) * step) * dot (error w) (field P s))
      + (- (2 * (1 - step) / step) * dot (delta w) (field P s) + 2 * dot (delta w) (error w)))).
    - apply mean_pos. intro w. generalize (error w) (delta w). intros e d.
      eapply Rle_trans; [apply (dot_pos _ ((1 - step) [*] field P s [+] ((- step) [*] e [+] (- / step) [*] d)))
        | right].
      repeat rewrite ?dot_add, ?dot_scal, ?dot_add_r, ?dot_scal_r.
      rewrite norm_square, (dot_sym _ (field P s) e), (dot_sym _ (field P s) d), (dot_sym _ e d). field. lra.
    - right. rewrite (mean_add _ _ (fun w => _ + _ * dot (error w) (field P s))),
        (mean_add _ _ (fun w => _ + _ * dot (delta w) (delta w))),
        (mean_add _ _ (fun w => _ * 1 + _ * norm (error w) ^ 2)),
        (mean_add _ _ (fun w => _ * 1)), (mean_add _ _ (fun w => _ * dot (delta w) (field P s))),
        mean_const, !mean_scal, orthogonal. unfold N, error_square, D2, Dh, Dxi. ring. }
  assert (H4 : N <= (1 + omega_p) * sigma2_n + omega_p * G P h)
    by apply (noise_plain P sigma omega weights a3 a4 a5 t h reached).
  pose proof (recursion P sigma L omega weights a3 a4 a5 compressed rate a6_i
    (free_stays P start kept inactive) t h reached) as H5.
  pose proof moved as H6. fold N in H6.
  (* The largest L^2 / n that the condition on the step allows. *)
  pose (most := kappa / (2 * weight * step ^ 2)).
  assert (Z2 : 0 < step ^ 2) by (apply pow_lt; lra).
  assert (Den : 0 < 2 * weight * step ^ 2) by (apply Rmult_lt_0_compat; lra).
  assert (most_pos : 0 < most) by (apply Rdiv_lt_0_compat; lra).
  assert (enough : L2_n / (1 - q) <= most).
  { unfold most. apply Rmult_le_reg_r with (2 * weight * step ^ 2); [exact Den |].
    replace (kappa / (2 * weight * step ^ 2) * (2 * weight * step ^ 2)) with kappa by (field; lra). lra. }
  assert (recursion : mean_of (fun w => G P (followed h w))
    <= q * G P h + alpha P / q * sigma2_n + most * (step ^ 2 * (hh + N))).
  { eapply Rle_trans; [exact H5 |]. apply Rplus_le_compat_l.
    apply Rmult_le_compat; [| | exact enough | exact H6].
    - apply Rmult_le_pos; [apply L2_pos | apply Rlt_le, Rinv_0_lt_compat; lra].
    - apply mean_pos. intro. apply pow2_ge_0. }
  clear H5 H6. pose proof (sigma2_pos P sigma) as S0. pose proof (G_pos P h) as G0.
  assert (U : 1 + (/ step - 1) = / step) by ring.
  assert (U0 : 0 <= / step - 1).
  { apply Rmult_le_reg_l with step; [lra |]. replace (step * (/ step - 1)) with (1 - step) by (field; lra). lra. }
  rewrite split, is_seminorm. unfold field_square. rewrite norm_square.
  assert (I2 : / (/ step) ^ 2 = step ^ 2) by (field; lra).
  assert (V : / (1 + (/ step - 1) ^ 2 + 2 * (/ step - 1)) = step ^ 2) by (rewrite <- I2; f_equal; ring).
  assert (V4 : / (4 + 4 * (/ step - 1) ^ 2 + 8 * (/ step - 1)) = step ^ 2 / 4).
  { rewrite <- I2. replace (4 + 4 * (/ step - 1) ^ 2 + 8 * (/ step - 1)) with (4 * (/ step) ^ 2) by ring. field. lra. }
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_seminorm_1 with (b := root P Bs sym pos (plain P Bs sym pos (field P s)))
    (h := plain P Bs sym pos (field P s)) (C := C) (E_G_t_1 := mean_of (fun w => G P (followed h w)))
    (E_W_t_1 := mean_of (fun w => W P (followed h w))) (E_langle_delta_h_rangle := Dh)
    (E_langle_delta_xi_rangle := Dxi) (E_left_delta_right_2 := D2) (E_left_x_right_2 := x2) (E_left_xi_right_2 := N)
    (G_t := G P h) (M := most) (W_t := W P h) (c := weight) (kappa := kappa) (lambda := lambda) (omega := omega_p)
    (sigma_2_n := sigma2_n) (tau := alpha P / q) (u := / step - 1) (v_max := v_max) (varrho := q)];
    try assumption; rewrite ?U, ?I2, ?V, ?V4, ?Rinv_inv, ?dot_root, ?dot_plain; cbn [fst plain]; try lra.
  - unfold Psi, gain, level, load, field_square. rewrite norm_square. field. lra.
  - apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
  - eapply Rle_trans; [exact young | right; field; lra].
  - right. unfold weight, load. field. lra.
  - right. unfold most. field. lra.
Qed.
End One_round.

(* own-seminorm over T rounds. *)
Notation mean_seminorm t := (E (path P (pred t)) seminorm).
Notation mean_field t := (E (path P (pred t)) (field_square P)).
Theorem seminorm_bound : forall T, sum (fun t => gain * mean_seminorm t + kappa / 4 * step ^ 2 * mean_field t) T
  <= initial_gap P lowest + kappa * step * initial_field P + weight * step ^ 2 * initial_variates P
    + level * sigma2_n * (INR T * step ^ 2).
Proof.
  intro T. destruct constants_pos as (_ & _ & _ & wt), constants as (_ & k & _).
  pose proof (sum_of_falls P B kappa step weight lowest gain (kappa / 4 * step ^ 2) (level * step ^ 2 * sigma2_n)
    bounded ltac:(apply Rmult_le_pos; lra) ltac:(lra) falls T). lra.
Qed.
End Seminorm.

(* A7 without v_min: C as small as one likes, and kappa = 4 C_bar. *)
Theorem descends_A7 : forall (P : problem) (B : vec P -> vec P -> vec P) (C C1 C2 M v_max : R),
  MM_1 P -> MM_2 P -> A6_ii P M -> A7_i P B C1 C2 -> A8_i P -> semidefinite P B v_max -> 0 <= C ->
  descends P B C (4 * (C2 / 2 + C1 * M)).
Proof.
  intros P B C C1 C2 M v_max mm_1 mm_2 (M0 & a6) a7_i a8_i matrices C0 s s' I I'.
  pose proof (gap_half P C2 mm_2 (slopes_A7 P B C1 C2 a7_i) a8_i s s' I I') as gap. destruct a7_i as (c1 & c2 & a7).
  destruct (a7 s I) as (sym & a7'), (a7' s' I') as (R & _), (matrices s I) as (_ & psd).
  pose (dphi := phi P (map P s') [-] phi P (map P s)). pose (r := dphi [-] B s (s' [-] s)). fold dphi in R. fold r in R.
  pose proof (mm_1 (map P s) (map P s')) as A. fold dphi in A, gap. unfold value.
  rewrite (norm_in_square P (B s) (fun u => proj1 (psd u))), norm_square.
  assert (D : dot (mean_oracle P (map P s)) dphi - dot s dphi
    = dot (field P s) (B s (s' [-] s)) + dot (field P s) r).
  { unfold field, r. expand. ring. }
  assert (rest : 0 <= dot (field P s) r + C1 * M * dot (s' [-] s) (s' [-] s)).
  { apply limit_zero with (b := C1 * dot (s' [-] s) (s' [-] s)). intros l L _.
    eapply Rle_trans; [apply (remainder P s (field P s) s' r C1 C2 (M + l) 1 ltac:(lra)) | right; ring].
    - apply norm_le; [lra |]. specialize (a6 s I). lra.
    - rewrite <- !norm_square.
      replace (C1 ^ 2 * (norm (s' [-] s) ^ 2) ^ 2) with ((C1 * norm (s' [-] s) ^ 2) ^ 2) by ring.
      apply pow_incr. split; [apply norm_pos | exact R]. }
  assert (same_move : dot (s [-] s') (s [-] s') = dot (s' [-] s) (s' [-] s))
    by (expand; rewrite (dot_sym _ s s'); ring).
  rewrite same_move in gap. pose proof (Rmult_le_pos C _ C0 (proj1 (psd (s' [-] s)))). lra.
Qed.

Definition together := (falls, seminorm_bound, descends_A7).
Print Assumptions together.
