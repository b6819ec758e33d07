(* What MM-2 gives on a convex set, as s -> - min J_s is convex with the subgradient phi(T(s)): the surrogate gap costs
   half of the largest slope (own-gap-half), and where phi o T is Lipschitz it is cocoercive, on every convex set with
   interior points (own-cocoercive, the theorem of Baillon and Haddad). *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondTheorem Means Identities Laws Algorithm Geometry Inside Instance Singular.
Open Scope R_scope.

Definition slopes_at_most (P : problem) c := 0 <= c /\ forall s s', calS P s -> calS P s' ->
  dot (s' [-] s) (phi P (map P s') [-] phi P (map P s)) <= c * norm (s' [-] s) ^ 2.
Lemma slopes_A7 : forall P B C1 C2, A7_i P B C1 C2 -> slopes_at_most P C2.
Proof.
  intros P B C1 C2 (_ & c2 & a7). split; [lra |]. intros s s' I I'. destruct (a7 s I) as (_ & Q).
  eapply Rle_trans; [apply Rle_abs | apply (proj2 (Q s' I'))].
Qed.

Section Gap.
Variable P : problem.
Variable C2 : R.
Hypothesis mm_2 : MM_2 P.
Hypothesis slopes : slopes_at_most P C2.
Hypothesis a8_i : A8_i P.
Variables s s' : vec P.
Hypothesis I : calS P s.
Hypothesis I' : calS P s'.
Notation F r := (phi P (map P r)).
Definition V (r : vec P) := dot r (F r) - g P (map P r) - psi P (map P r).
Definition between l := (1 - l) [*] s' [+] l [*] s.
Notation u := (s [-] s').

Lemma V_above : forall r r', calS P r -> dot r (F r') - g P (map P r') - psi P (map P r') <= V r.
Proof. intros r r' J. pose proof (mm_2 r J (map P r')). unfold V. lra. Qed.
Lemma between_inside : forall l, 0 <= l <= 1 -> calS P (between l).
Proof. intros l J. apply a8_i; assumption. Qed.
Lemma slope_at : forall l, 0 < l <= 1 -> dot u (F (between l)) <= dot u (F s') + C2 * l * dot u u.
Proof.
  intros l J. pose proof (proj2 slopes s' (between l) I' (between_inside l ltac:(lra))) as A.
  rewrite norm_square in A.
  assert (D : same (between l [-] s') (l [*] u)) by (intro y; unfold between; expand; ring).
  rewrite (D _), (same_square _ _ _ D), !dot_scal, dot_scal_r in A.
  apply Rmult_le_reg_l with l; [lra |].
  apply Rle_trans with (l * dot u (F s') + l * dot u (F (between l) [-] F s')).
  - right. unfold minus at 4. rewrite dot_add_r, dot_scal_r. ring.
  - lra.
Qed.
Lemma steps_between : forall N k, (k <= N)%nat -> (0 < N)%nat ->
  V (between (INR k / INR N)) - V (between 0)
  <= INR k / INR N * dot u (F s') + C2 * dot u u * (INR k * (INR k + 1)) / (2 * INR N ^ 2).
Proof.
  intros N k K N0. pose proof (lt_0_INR N N0) as N1. induction k as [| k IH].
  - cbn [INR]. replace (0 / INR N) with 0 by (field; lra). right. field. lra.
  - assert (K1 : 0 < INR (S k) / INR N <= 1).
    { split; [apply Rdiv_lt_0_compat; [apply lt_0_INR; lia | exact N1] |].
      apply Rmult_le_reg_r with (INR N); [exact N1 |]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
      apply le_INR. exact K. }
    assert (K0 : 0 <= INR k / INR N <= 1).
    { rewrite S_INR in K1. pose proof (pos_INR k). pose proof (Rinv_0_lt_compat _ N1). split.
      - apply Rmult_le_pos; lra.
      - apply Rle_trans with ((INR k + 1) / INR N); [| apply K1]. apply Rmult_le_compat_r; lra. }
    pose proof (V_above _ (between (INR (S k) / INR N)) (between_inside _ K0)) as A.
    pose proof (slope_at _ K1) as Q. specialize (IH ltac:(lia)).
    assert (D : dot (between (INR k / INR N)) (F (between (INR (S k) / INR N)))
      = dot (between (INR (S k) / INR N)) (F (between (INR (S k) / INR N)))
        - / INR N * dot u (F (between (INR (S k) / INR N)))).
    { rewrite S_INR. generalize (F (between ((INR k + 1) / INR N))). intro y. unfold between. expand. field. lra. }
    rewrite D in A.
    assert (Z : V (between (INR (S k) / INR N)) = dot (between (INR (S k) / INR N)) (F (between (INR (S k) / INR N)))
      - g P (map P (between (INR (S k) / INR N))) - psi P (map P (between (INR (S k) / INR N)))) by reflexivity.
    apply (Rmult_le_compat_l (/ INR N)) in Q; [| apply Rlt_le, Rinv_0_lt_compat; exact N1].
    apply Rle_trans with (/ INR N * dot u (F (between (INR (S k) / INR N)))
      + (V (between (INR k / INR N)) - V (between 0))).
    + rewrite Z. lra.
    + eapply Rle_trans; [apply Rplus_le_compat; [exact Q | exact IH] |]. right. rewrite S_INR. field. lra.
Qed.

Theorem gap_half : g P (map P s') + psi P (map P s') - g P (map P s) - psi P (map P s) - dot s (F s' [-] F s)
  <= C2 / 2 * dot u u.
Proof.
  destruct slopes as (c2 & _). apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  apply limit_zero with (b := C2 / 2 * dot u u). intros l L0 L1.
  destruct (archimed_cor1 l L0) as (N & N1 & N0). pose proof (steps_between N N (le_n N) N0) as Q.
  pose proof (lt_0_INR N N0) as Z. replace (INR N / INR N) with 1 in Q by (field; lra).
  assert (A : V s <= V (between 1)).
  { eapply Rle_trans; [| apply (V_above (between 1) s), between_inside; lra]. right. unfold V, between. expand. ring. }
  assert (A' : V (between 0) <= V s').
  { eapply Rle_trans; [| apply (V_above s' (between 0) I')]. right. unfold V.
    generalize (F (between 0)). intro y. unfold between. expand. ring. }
  assert (X : C2 * dot u u * (INR N * (INR N + 1)) / (2 * INR N ^ 2) = C2 / 2 * dot u u + / INR N * (C2 / 2 * dot u u))
    by (field; lra).
  rewrite X in Q.
  assert (Y : / INR N * (C2 / 2 * dot u u) <= l * (C2 / 2 * dot u u)).
  { apply Rmult_le_compat_r; [apply Rmult_le_pos; [lra | apply dot_pos] | lra]. }
  assert (E1 : dot u (F s') = dot s (F s') - dot s' (F s')) by (unfold minus; rewrite dot_add, dot_scal; ring).
  assert (E2 : dot s (F s' [-] F s) = dot s (F s') - dot s (F s))
    by (unfold minus; rewrite dot_add_r, dot_scal_r; ring).
  rewrite E1 in Q. rewrite E2. unfold V in A at 1. unfold V in A' at 2. lra.
Qed.
End Gap.


Section Cocoercive.
Variable P : problem.
Variable L_T : R.
Hypothesis mm_2 : MM_2 P.
Hypothesis a8_i : A8_i P.
Hypothesis invariant : forall u v, same u v -> calS P u -> calS P v.
Hypothesis lipschitz : image_lipschitz P L_T.
Notation F r := (phi P (map P r)).

Lemma close : forall s s', calS P s -> calS P s' ->
  dot (F s' [-] F s) (F s' [-] F s) <= L_T ^ 2 * dot (s' [-] s) (s' [-] s).
Proof.
  intros s s' I I'. destruct lipschitz as (l & Q). rewrite <- !norm_square, <- Rpow_mult_distr. apply pow_incr.
  split; [apply norm_pos | apply (Q s s' I I')].
Qed.
Lemma slopes_lipschitz : slopes_at_most P L_T.
Proof.
  destruct lipschitz as (l & _). split; [lra |]. intros s s' I I'.
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_cocoercive_1 with (Delta_phi := minus (F s') (F s)) (Delta_s := minus s' s)
    (L_T := L_T); [exact l |]].
  - rewrite norm_square, (dot_sym _ (s' [-] s)). ring.
  - pose proof (close s s' I I'). lra.
Qed.
Lemma below : forall s s', calS P s -> calS P s' -> V P s' + dot (s [-] s') (F s') <= V P s.
Proof.
  intros s s' I I'. pose proof (V_above P mm_2 s s' I) as Q. unfold minus. rewrite dot_add, dot_scal.
  unfold V at 1. lra.
Qed.
Lemma above : forall s s', calS P s -> calS P s' ->
  V P s <= V P s' + dot (s [-] s') (F s') + L_T / 2 * dot (s [-] s') (s [-] s').
Proof.
  intros s s' I I'. pose proof (gap_half P L_T mm_2 slopes_lipschitz a8_i s s' I I') as Q. unfold V.
  unfold minus in Q at 1. rewrite dot_add_r, dot_scal_r in Q. unfold minus at 1. rewrite dot_add, dot_scal. lra.
Qed.

(* Two points about which S has room. *)
Lemma near : forall x y z w, calS P x -> calS P y -> calS P z -> calS P w ->
  same z (y [-] (/ L_T) [*] (F y [-] F x)) -> same w (x [+] (/ L_T) [*] (F y [-] F x)) ->
  0 <= dot (F y [-] F x) (y [-] x) - dot (F y [-] F x) (F y [-] F x) * / L_T.
Proof.
  intros x y z w X Y Z W Qz Qw. destruct lipschitz as (l & _).
  pose proof (above z y Z Y) as A. pose proof (above w x W X) as B. pose proof (below z x Z X) as C.
  pose proof (below w y W Y) as D. pose (d := F y [-] F x). fold d in Qz, Qw. fold d.
  assert (Fy : forall u, dot u (F y) = dot u (F x) + dot u d) by (intro; unfold d; expand; ring).
  assert (zy : same (z [-] y) ((- / L_T) [*] d)) by (intro u; unfold minus at 1; rewrite dot_add, (Qz u); expand; ring).
  assert (wx : same (w [-] x) ((/ L_T) [*] d)) by (intro u; unfold minus at 1; rewrite dot_add, (Qw u); expand; ring).
  rewrite (same_square _ _ _ zy), (zy (F y)), Fy in A. rewrite (same_square _ _ _ wx), (wx (F x)) in B.
  assert (zx : dot (z [-] x) (F x) = dot (y [-] x) (F x) - / L_T * dot d (F x)).
  { unfold minus at 1. rewrite dot_add, (Qz (F x)). expand. ring. }
  assert (wy : dot (w [-] y) (F y) = / L_T * (dot d (F x) + dot d d) - dot (y [-] x) (F x) - dot (y [-] x) d).
  { unfold minus at 1. rewrite dot_add, (Qw (F y)), Fy. expand. rewrite !Fy. expand. ring. }
  rewrite zx in C. rewrite wy in D. repeat rewrite ?dot_scal, ?dot_scal_r in A.
  repeat rewrite ?dot_scal, ?dot_scal_r in B.
  assert (Z2 : L_T / 2 * (- / L_T * (- / L_T * dot d d)) = / L_T * dot d d / 2) by (field; lra).
  assert (W2 : L_T / 2 * (/ L_T * (/ L_T * dot d d)) = / L_T * dot d d / 2) by (field; lra).
  rewrite Z2 in A. rewrite W2 in B. rewrite (dot_sym _ (y [-] x)) in C. rewrite !(dot_sym _ (y [-] x)) in D.
  eapply as_sum_ge; [| eapply own_cocoercive_4 with (Delta_phi := d) (Delta_s := minus y x) (F_x := F x) (L_T := L_T)
    (V_w := V P w) (V_x := V P x) (V_y := V P y) (V_z := V P z)]; try exact l;
    rewrite ?(dot_sym _ (F x)) in *; try lra.
Qed.

(* Two points about which S has room of radius r: the segment in N pieces. *)
Section Deep.
Variables x y : vec P.
Variable r : R.
Hypothesis r0 : 0 < r.
Definition deep v := forall u, norm u <= r -> calS P (v [+] u).
Hypothesis X : deep x.
Hypothesis Y : deep y.
Definition at_part l := (1 - l) [*] x [+] l [*] y.
Lemma at_deep : forall l, 0 <= l <= 1 -> deep (at_part l).
Proof.
  intros l J u U. apply (invariant ((1 - l) [*] (x [+] u) [+] l [*] (y [+] u))).
  - intro v. unfold at_part. expand. ring.
  - apply a8_i; [exact J | apply X, U | apply Y, U].
Qed.
Lemma deep_in : forall v, deep v -> calS P v.
Proof.
  intros v D. apply (invariant (v [+] zero)); [intro; expand; ring |]. apply D. unfold norm.
  rewrite dot_zero, sqrt_0. lra.
Qed.
Lemma deep_near : forall u v, deep u -> deep v -> norm (v [-] u) <= r ->
  0 <= dot (F v [-] F u) (v [-] u) - dot (F v [-] F u) (F v [-] F u) * / L_T.
Proof.
  intros u v U W N. destruct lipschitz as (l & Q). pose proof (deep_in u U) as Iu. pose proof (deep_in v W) as Iv.
  specialize (Q u v Iu Iv).
  assert (R : forall c, c = 1 \/ c = -1 -> norm ((c * / L_T) [*] (F v [-] F u)) <= r).
  { intros c C. unfold norm. rewrite dot_scal, dot_scal_r, <- Rmult_assoc.
    replace (c * / L_T * (c * / L_T)) with (/ L_T * / L_T) by (destruct C as [-> | ->]; ring).
    rewrite sqrt_mult_alt by (apply Rmult_le_pos; apply Rlt_le, Rinv_0_lt_compat; exact l).
    rewrite sqrt_square by (apply Rlt_le, Rinv_0_lt_compat; exact l). apply Rmult_le_reg_l with L_T; [exact l |].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. apply Rle_trans with (L_T * norm (v [-] u)); [exact Q |].
    apply Rmult_le_compat_l; lra. }
  apply (near u v _ _ Iu Iv (W _ (R (-1) (or_intror eq_refl))) (U _ (R 1 (or_introl eq_refl)))).
  - intro w. expand. ring.
  - intro w. expand. ring.
Qed.
Notation D := (F (at_part 1) [-] F (at_part 0)).
Notation risen N k := (F (at_part (INR k / INR N)) [-] F (at_part 0)).
Lemma pieces : forall N k, (0 < N)%nat -> (k <= N)%nat -> / INR N * norm (y [-] x) <= r ->
  0 <= dot (risen N k) (y [-] x) * / INR N
    - / L_T * (2 * dot (risen N k) D * / INR N - INR k * dot D D * / INR N ^ 2).
Proof.
  intros N k N0 K small. pose proof (lt_0_INR N N0) as N1. destruct lipschitz as (l & _).
  pose proof (Rinv_0_lt_compat _ N1) as N2. induction k as [| k IH].
  - cbn [INR]. replace (0 / INR N) with 0 by (field; lra). generalize D. intro d. expand. right. ring.
  - specialize (IH ltac:(lia)).
    assert (part : forall j, (j <= N)%nat -> 0 <= INR j / INR N <= 1).
    { intros j J. split; [apply Rmult_le_pos; [apply pos_INR | lra] |]. apply Rmult_le_reg_r with (INR N); [exact N1 |].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. apply le_INR, J. }
    pose proof (at_deep _ (part k ltac:(lia))) as A. pose proof (at_deep _ (part (S k) K)) as A'.
    set (u := at_part (INR k / INR N)) in *. set (v := at_part (INR (S k) / INR N)) in *.
    assert (Q : same (v [-] u) ((/ INR N) [*] (y [-] x))).
    { intro w. unfold v, u, at_part. rewrite S_INR. expand. field. lra. }
    assert (M : norm (v [-] u) <= r).
    { eapply Rle_trans; [| exact small]. right. unfold norm. rewrite (same_square _ _ _ Q), dot_scal, dot_scal_r.
      rewrite <- Rmult_assoc, sqrt_mult_alt, sqrt_square by (lra || (apply Rmult_le_pos; lra)). reflexivity. }
    pose proof (deep_near u v A A' M) as one. rewrite (dot_sym _ _ (v [-] u)), (Q _), dot_scal in one.
    assert (own : 0 <= dot (F v [-] F u) (y [-] x) * / INR N
      - / L_T * (2 * dot (F v [-] F u) D * / INR N - dot D D * / INR N ^ 2)).
    { eapply as_sum_ge; [| eapply own_cocoercive_5 with (D_j := minus (F v) (F u)) (Delta_phi := D)
        (Delta_s := minus y x) (L_T := L_T) (N := INR N)]; try assumption; [ring |].
      rewrite (dot_sym _ _ (y [-] x)). lra. }
    assert (S1 : forall w, dot (F v [-] F (at_part 0)) w = dot (F v [-] F u) w + dot (F u [-] F (at_part 0)) w).
    { intro w. expand. ring. }
    rewrite !S1, S_INR. lra.
Qed.
Lemma deep_pair : 0 <= dot D (y [-] x) - dot D D * / L_T.
Proof.
  pose proof (norm_pos _ (y [-] x)) as Z. destruct lipschitz as (l & _).
  destruct (archimed_cor1 (r / (1 + norm (y [-] x))) ltac:(apply Rdiv_lt_0_compat; lra)) as (N & N1 & N0).
  pose proof (lt_0_INR N N0) as N2.
  pose proof (pieces N N N0 (le_n N)) as Q. replace (INR N / INR N) with 1 in Q by (field; lra).
  eapply as_sum_ge; [| eapply own_cocoercive_6 with (Delta_phi := D) (Delta_s := minus y x) (L_T := L_T) (N := INR N)];
    try assumption; [ring |].
  eapply Rle_trans; [apply Q | right; field; lra].
  apply Rle_trans with (r / (1 + norm (y [-] x)) * norm (y [-] x)); [apply Rmult_le_compat_r; lra |].
  apply Rmult_le_reg_r with (1 + norm (y [-] x)); [lra |].
  replace (r / (1 + norm (y [-] x)) * norm (y [-] x) * (1 + norm (y [-] x))) with (r * norm (y [-] x)) by (field; lra).
  apply Rle_trans with (r * norm (y [-] x) + r); [lra | right; ring].
Qed.
End Deep.

(* Any two points of S: both moved a little towards a point with room. *)
Hypothesis interior : has_interior P.
Theorem cocoercive : forall s s', calS P s -> calS P s' ->
  0 <= dot (F s' [-] F s) (s' [-] s) - dot (F s' [-] F s) (F s' [-] F s) * / L_T.
Proof.
  intros s s' I I'. destruct interior as (c & r & r0 & room), lipschitz as (l0 & _).
  pose (d := F s' [-] F s). pose (move := s' [-] s). pose proof (Rinv_0_lt_compat _ l0) as l1.
  pose (K := 2 * L_T ^ 2 * (dot (c [-] s) (c [-] s) + dot (c [-] s') (c [-] s'))).
  apply limit_zero with (b := - dot d move + (dot move move + K) / 2 + (dot d d + K) * / L_T). intros l L0 L1.
  pose (x := (1 - l) [*] s [+] l [*] c). pose (y := (1 - l) [*] s' [+] l [*] c).
  assert (deep_at : forall v, calS P v -> deep (l * r) ((1 - l) [*] v [+] l [*] c)).
  { intros v J u U. apply (invariant ((1 - l) [*] v [+] l [*] (c [+] (/ l) [*] u))); [intro w; expand; field; lra |].
    apply a8_i; [lra | exact J | apply room]. unfold norm. rewrite dot_scal, dot_scal_r, <- Rmult_assoc.
    pose proof (Rinv_0_lt_compat _ L0). rewrite sqrt_mult_alt, sqrt_square by (lra || (apply Rmult_le_pos; lra)).
    apply Rmult_le_reg_l with l; [exact L0 |]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. exact U. }
  pose proof (Rmult_lt_0_compat _ _ L0 r0) as lr. pose proof (deep_at s I) as X. pose proof (deep_at s' I') as Y.
  fold x in X. fold y in Y. pose proof (deep_pair x y (l * r) lr X Y) as Q.
  assert (ends : forall j, 0 <= j <= 1 -> calS P (at_part x y j)).
  { intros j J. apply (deep_in (l * r) lr), (at_deep x y (l * r) X Y j J). }
  set (d' := F (at_part x y 1) [-] F (at_part x y 0)) in *.
  pose (a := F (at_part x y 1) [-] F s'). pose (b := F (at_part x y 0) [-] F s). pose (e := a [-] b).
  assert (shift : forall w, dot d' w = dot d w + dot e w) by (intro; unfold d', d, e, a, b; expand; ring).
  assert (shift' : forall w, dot w d' = dot w d + dot w e) by (intro; rewrite dot_sym, shift, !(dot_sym _ w); ring).
  assert (Qm : dot d' (y [-] x) = (1 - l) * (dot d move + dot e move)).
  { rewrite dot_sym. unfold x, y, move. rewrite <- (shift (s' [-] s)). expand. rewrite !(dot_sym _ d'). ring. }
  rewrite Qm, shift, !shift', (dot_sym _ e d) in Q.
  assert (small : dot e e <= l ^ 2 * K).
  { pose proof (close s' _ I' (ends 1 ltac:(lra))) as A. pose proof (close s _ I (ends 0 ltac:(lra))) as B.
    fold a in A. fold b in B.
    assert (A' : same (at_part x y 1 [-] s') (l [*] (c [-] s'))) by (intro w; unfold at_part, y, x; expand; ring).
    assert (B' : same (at_part x y 0 [-] s) (l [*] (c [-] s))) by (intro w; unfold at_part, y, x; expand; ring).
    rewrite (same_square _ _ _ A'), dot_scal, dot_scal_r in A.
    rewrite (same_square _ _ _ B'), dot_scal, dot_scal_r in B.
    assert (S0 : dot (a [-] b) (a [-] b) <= 2 * (dot a a + dot b b)).
    { pose proof (dot_pos _ (a [+] b)) as S0. revert S0. expand. rewrite (dot_sym _ b a). lra. }
    unfold e, K. lra. }
  assert (K0 : forall u, 2 * dot e u <= l * (dot u u + K) /\ - (2 * dot e u) <= l * (dot u u + K)).
  { intro u. pose proof (dot_pos _ (e [-] l [*] u)) as P1. pose proof (dot_pos _ (e [+] l [*] u)) as P2.
    revert P1 P2. expand. rewrite (dot_sym _ u e). intros P1 P2. split; apply Rmult_le_reg_l with l; lra. }
  destruct (K0 move) as (e1 & e1'), (K0 d) as (e2 & e2'). pose proof (dot_pos _ e) as e0.
  assert (M0 : 0 <= dot move move + K).
  { apply Rplus_le_le_0_compat; [apply dot_pos |]. unfold K. repeat apply Rmult_le_pos; try lra.
    apply Rplus_le_le_0_compat; apply dot_pos. }
  assert (T1 : (1 - l) * (2 * dot e move) <= l * (dot move move + K)).
  { apply Rle_trans with ((1 - l) * (l * (dot move move + K))); [apply Rmult_le_compat_l; lra |].
    pose proof (Rmult_le_pos l _ ltac:(lra) (Rmult_le_pos l _ ltac:(lra) M0)). lra. }
  apply (Rmult_le_compat_r (/ L_T)) in e2'; [| lra]. rewrite (dot_sym _ e d) in e2'.
  pose proof (Rmult_le_pos _ _ e0 (Rlt_le _ _ l1)). fold d. fold move. lra.
Qed.
End Cocoercive.

Definition together := (gap_half, cocoercive).
Print Assumptions together.
