(* Proposition 2 (prop:lyapunov) from MM-1, MM-2, A6(ii), A7 and A8: certificates of Lemma 3, its corollary and the
   proposition, put together for one outcome and then for the mean.

   Assumed, each as the paper has it: S is convex, Shat_t in S, and Shat_{t+1} and the image of Shat_t + gamma h are
   nearest points of S in the norm of B_t (that nearest points exist is A8: S closed); MM-1 at (T(Shat_t),
     T(Shat_{t+1}));
   MM-2 at Shat_{t+1}; sup |h| <= M; A7 along the step, with B_t = B(Shat_t) = root^2; gamma <= v_min/(2 C_bar). *)
From Coq Require Import Reals Lra Lia.
Require Import Prelude AppendixDLemmas Means.
Open Scope R_scope.

Section Projection.
Variable Space : space.
Variable root : vec Space -> vec Space.  (* B^{1/2}, linear *)
Hypothesis root_add : forall u v y, dot (root (add u v)) y = dot (root u) y + dot (root v) y.
Hypothesis root_scal : forall c u y, dot (root (scal c u)) y = c * dot (root u) y.
Lemma root_add_r : forall u v y, dot y (root (add u v)) = dot y (root u) + dot y (root v).
Proof. intros. rewrite (dot_sym _ y), root_add, !(dot_sym _ _ y). reflexivity. Qed.
Lemma root_scal_r : forall c u y, dot y (root (scal c u)) = c * dot y (root u).
Proof. intros. rewrite (dot_sym _ y), root_scal, (dot_sym _ _ y). reflexivity. Qed.
Notation bdot u v := (dot (root u) (root v)).
Ltac sym u v := repeat rewrite (dot_sym _ u v).
Ltac open := unfold minus;
  repeat rewrite ?root_add, ?root_scal, ?root_add_r, ?root_scal_r, ?dot_add, ?dot_scal, ?dot_add_r, ?dot_scal_r.

Variable S : vec Space -> Prop.
Hypothesis convex : forall u v l, 0 <= l <= 1 -> S u -> S v -> S (add (scal (1 - l) u) (scal l v)).

Definition projection (x p : vec Space) :=
  S p /\ forall y, S y -> bdot (minus p x) (minus p x) <= bdot (minus y x) (minus y x).

Lemma lemma_3 : forall x p y, projection x p -> S y ->
  0 <= bdot (minus p x) (minus y p).
Proof.
  intros x p y [P N] Y.
  apply limit_zero with (b := bdot (minus y p) (minus y p) / 2). intros l L L1.
  eapply as_sum_ge; [| eapply own_lem3_i_anywhere_1 with (B_1_2_Pi := root p) (B_1_2_hat_s := root x) (B_1_2_s' := root
    y) (lambda := l)].
  - open. sym (root x) (root p). sym (root y) (root p). sym (root y) (root x). field.
  - exact L.
  - specialize (N _ (convex p y l ltac:(lra) P Y)). revert N. open.
    sym (root x) (root p). sym (root y) (root p). sym (root y) (root x). intro N. lra.
Qed.

Variables s h e p b : vec Space.  (* the iterate, the mean field, the error of the direction, both images *)
Variable gamma : R.
Hypothesis positive : 0 < gamma.
Hypothesis inside : S s.
Hypothesis moved : projection (add s (scal gamma (add h e))) p.
Hypothesis moved_bar : projection (add s (scal gamma h)) b.
Notation ds := (minus p s).
Notation bar := (minus b s).

Ltac sort :=
  sym (root p) (root s); sym (root h) (root s); sym (root e) (root s); sym (root b) (root s);
  sym (root h) (root p); sym (root e) (root p); sym (root b) (root p);
  sym (root e) (root h); sym (root b) (root h); sym (root b) (root e).

Lemma corollary_i : 0 <= bdot ds e + bdot ds h - bdot ds ds * / gamma.
Proof.
  eapply as_sum_ge; [| eapply cor2_i_1 with (B_1_2_Delta_hat_S := root ds) (B_1_2_e := root e) (B_1_2_h := root h)
    (gamma := gamma)].
  - ring.
  - exact positive.
  - eapply as_sum_ge; [| apply (lemma_3 _ p s moved inside)]. open. sort. ring.
Qed.

Lemma nearer : 0 <= - 1 * bdot ds ds + - 1 * bdot bar bar + 2 * bdot ds bar + bdot e e * gamma ^ 2.
Proof.
  eapply as_sum_ge; [| eapply own_lem3_ii_anywhere_1 with (B_1_2_Pi_1 := root p) (B_1_2_Pi_2 := root b)
    (B_1_2_hat_s_1 := root (add s (scal gamma (add h e)))) (B_1_2_hat_s_2 := root (add s (scal gamma h)))].
  - open. sort. ring.
  - eapply as_sum_ge; [| apply (lemma_3 _ b p moved_bar (proj1 moved))]. open. sort. ring.
  - eapply as_sum_ge; [| apply (lemma_3 _ p b moved (proj1 moved_bar))]. open. sort. ring.
Qed.

Lemma corollary_ii : 0 <= 2 * bdot e e - bdot bar bar * / gamma ^ 2 + 2 * bdot ds ds * / gamma ^ 2.
Proof.
  pose (size := sqrt (bdot e e)).
  assert (Q : size ^ 2 = bdot e e) by (apply pow2_sqrt, dot_pos).
  rewrite <- Q.
  eapply as_sum_ge; [| eapply cor2_ii_1 with (B_1_2_Delta_hat_S := root ds) (B_1_2_bar_Delta := root bar) (H_h_B_t
    := size) (gamma := gamma)].
  - ring.
  - exact positive.
  - apply sqrt_pos.
  - rewrite Q. apply nearer.
Qed.

Lemma corollary_ii_back : 0 <= 2 * bdot e e - bdot ds ds * / gamma ^ 2 + 2 * bdot bar bar * / gamma ^ 2.
Proof.
  pose (size := sqrt (bdot e e)).
  assert (Q : size ^ 2 = bdot e e) by (apply pow2_sqrt, dot_pos).
  rewrite <- Q.
  eapply as_sum_ge; [| eapply cor2_ii_2 with (B_1_2_Delta_hat_S := root ds) (B_1_2_bar_Delta := root bar) (H_h_B_t
    := size) (gamma := gamma)].
  - ring.
  - exact positive.
  - apply sqrt_pos.
  - rewrite Q. apply nearer.
Qed.

(* ---- 2. Proposition 2, one outcome at a time. *)
Variables phi dphi r : vec Space.  (* phi(T(s)), and what it changes by; r is the remainder of A7 *)
Variables f f' g g' psi psi' C1 C2 M v_min : R.
Hypothesis constants : 0 < C1 /\ 0 < C2 /\ 0 < M /\ 0 < v_min.
Hypothesis MM_1 : f' <= f + psi' - psi - dot (add h s) dphi.
Hypothesis MM_2 : g' + psi' - dot p (add phi dphi) <= g + psi - dot p phi.
Hypothesis A6_ii : dot h h <= M ^ 2.
Hypothesis A7_remainder : dot h r = dot h dphi - bdot h ds.  (* r = phi' - phi - B (s' - s) *)
Hypothesis A7_first : dot r r <= C1 ^ 2 * (dot ds ds) ^ 2.
Hypothesis A7_second : dot ds dphi <= C2 * dot ds ds.
Hypothesis A7_lower : v_min * dot ds ds <= bdot ds ds.
Notation C_bar := (C2 + C1 * M).
Hypothesis small : 0 <= 1 - 2 * gamma * / v_min * C_bar.

Lemma remainder : 0 <= dot h r + C1 * M * dot ds ds.
Proof.
  apply limit_zero with (b := C1 * M). intros l L _. pose proof (dot_pos Space ds) as P.
  eapply as_sum_ge; [| eapply prop2_3 with (h := h) (r := r) (C_star := C1) (M := M) (N := dot ds ds + l)]; try lra.
  assert (Q : C1 ^ 2 * dot ds ds ^ 2 <= C1 ^ 2 * (dot ds ds + l) ^ 2).
    { apply Rmult_le_compat_l; [apply pow2_ge_0 | apply pow_incr; lra]. }
  lra.
Qed.

Lemma outcome : 0 <= f + g - f' - g' + bdot e e * gamma * (1 - gamma * / v_min * C_bar)
  - / 4 * bdot bar bar * / gamma * (1 - 2 * gamma * / v_min * C_bar).
Proof.
  destruct constants as (K1 & K2 & K3 & K4). pose proof remainder as Q.
  pose proof (dot_add Space h s dphi) as A1. pose proof (dot_add_r Space p phi dphi) as A2.
  pose proof (dot_add Space p (scal (-1) s) dphi) as A3. rewrite dot_scal in A3.
  eapply as_sum_ge; [| eapply prop2_1 with (B_1_2_Delta_s := root ds) (B_1_2_bar_Delta := root bar)
    (B_1_2_e := root e) (B_1_2_h := root h) (Delta_phi := dphi) (Delta_s := ds) (h := h) (s := s)
    (C_star := C1) (C_star_star := C2) (M := M) (f := f) (f' := f') (g := g) (g' := g') (gamma := gamma)
    (psi := psi) (psi' := psi') (v_min := v_min)]; try assumption.
  - field; lra.
  - rewrite (dot_sym _ dphi h), (dot_sym _ dphi s). lra.
  - rewrite (dot_sym _ dphi ds), (dot_sym _ dphi s). unfold minus. lra.
  - rewrite (dot_sym _ dphi ds). lra.
  - rewrite (dot_sym _ dphi h), (dot_sym _ (root ds) (root h)). lra.
  - lra.
  - pose proof corollary_i. lra.
  - eapply as_sum_ge; [| apply Rmult_le_pos; [apply small | apply corollary_ii]]. field; lra.
Qed.
End Projection.

(* Proposition 2: past quantities do not depend on the outcome w, all others do. *)
Theorem proposition_2 : forall (Space : space) (root : vec Space -> vec Space),
  (forall u v y, dot (root (add u v)) y = dot (root u) y + dot (root v) y) ->
  (forall c u y, dot (root (scal c u)) y = c * dot (root u) y) ->
  forall S : vec Space -> Prop,
  (forall u v l, 0 <= l <= 1 -> S u -> S v -> S (add (scal (1 - l) u) (scal l v))) ->
  forall (Omega : Type) (E : expectation Omega) (s h b phi : vec Space) (f g psi gamma C1 C2 M v_min : R)
    (e p dphi r : Omega -> vec Space) (f' g' psi' : Omega -> R),
  let bdot u v := dot (root u) (root v) in
  let ds w := minus (p w) s in
  let C_bar := C2 + C1 * M in
  0 < gamma -> S s ->
  (forall w, projection Space root S (add s (scal gamma (add h (e w)))) (p w)) ->
  projection Space root S (add s (scal gamma h)) b ->
  0 < C1 /\ 0 < C2 /\ 0 < M /\ 0 < v_min ->
  (forall w, f' w <= f + psi' w - psi - dot (add h s) (dphi w)) ->
  (forall w, g' w + psi' w - dot (p w) (add phi (dphi w)) <= g + psi - dot (p w) phi) ->
  dot h h <= M ^ 2 ->
  (forall w, dot h (r w) = dot h (dphi w) - bdot h (ds w)) ->
  (forall w, dot (r w) (r w) <= C1 ^ 2 * dot (ds w) (ds w) ^ 2) ->
  (forall w, dot (ds w) (dphi w) <= C2 * dot (ds w) (ds w)) ->
  (forall w, v_min * dot (ds w) (ds w) <= bdot (ds w) (ds w)) ->
  0 <= 1 - 2 * gamma * / v_min * C_bar ->
  mean E (fun w => f' w + g' w)
  <= f + g - gamma / 4 * (1 - 2 * gamma * / v_min * C_bar) * (bdot (minus b s) (minus b s) / gamma ^ 2)
     + gamma * (1 - gamma * / v_min * C_bar) * mean E (fun w => bdot (e w) (e w)).
Proof.
  intros. apply mean_ge. intro w.
  assert (Q : 0 <= f + g - f' w - g' w + bdot (e w) (e w) * gamma * (1 - gamma * / v_min * C_bar)
    - / 4 * bdot (minus b s) (minus b s) * / gamma * (1 - 2 * gamma * / v_min * C_bar)).
  { eapply outcome with (S := S) (p := p w) (phi := phi) (dphi := dphi w) (r := r w) (psi := psi) (psi' := psi' w);
      eauto. }
  replace (gamma / 4 * (1 - 2 * gamma * / v_min * C_bar) * (bdot (minus b s) (minus b s) / gamma ^ 2))
    with (/ 4 * bdot (minus b s) (minus b s) * / gamma * (1 - 2 * gamma * / v_min * C_bar)).
  2: { field. split; lra. }
  lra.
Qed.

Print Assumptions proposition_2.
