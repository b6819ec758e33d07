(* Convex and smooth functions by their inequalities, and what the theorems of other algorithms use of them.

   A penalty g is finite on `dom`, and infinite elsewhere; its prox is the argmin. *)
From Coq Require Import Reals Lra.
Require Import Prelude Means Identities Algorithm Geometry.
Open Scope R_scope.

(* Inner products of sums, and each pair of vectors in one order. *)
Ltac products := expand; repeat match goal with |- context [dot ?u ?v] => assert_fails (constr_eq u v);
  match goal with |- context [dot v u] => rewrite (dot_sym _ v u) end end.
(* A line of a certificate is an inequality a <= b, multiplied out. *)
Ltac multiplied H := match type of H with ?a <= ?b => apply (as_sum_ge _ (b - a)); [products; field; lra | lra] end.

Section Convex.
Context {Space : space}.
Notation V := (vec Space).
Definition strongly_convex (f : V -> R) (grad : V -> V) m :=
  forall u v, f v + dot (grad v) (u [-] v) + m / 2 * norm (u [-] v) ^ 2 <= f u.
Definition convex f grad := strongly_convex f grad 0.
Definition smooth (f : V -> R) (grad : V -> V) L :=
  forall u v, f u <= f v + dot (grad v) (u [-] v) + L / 2 * norm (u [-] v) ^ 2.
Definition convex_on (dom : V -> Prop) (g : V -> R) := forall u v l, 0 <= l <= 1 -> dom u -> dom v ->
  let w := (1 - l) [*] u [+] l [*] v in dom w /\ g w <= (1 - l) * g u + l * g v.
Definition prox_of (dom : V -> Prop) (g : V -> R) L (prox : V -> V) := forall v, dom (prox v) /\
  forall u, dom u -> g (prox v) + L / 2 * norm (prox v [-] v) ^ 2 <= g u + L / 2 * norm (u [-] v) ^ 2.
Definition minimises (dom : V -> Prop) (W : V -> R) v := dom v /\ forall u, dom u -> W v <= W u.

(* MM-2: L (v - prox v) is a subgradient of g at prox v. *)
Lemma subgradient : forall dom g L prox, convex_on dom g -> prox_of dom g L prox -> forall v u, dom u ->
  0 <= g u - g (prox v) + L * dot (prox v [-] v) (u [-] prox v).
Proof.
  intros dom g L prox C Q v u U. destruct (Q v) as (D & best). set (a := prox v) in *.
  apply limit_zero with (b := L / 2 * dot (u [-] a) (u [-] a)). intros l L0 L1.
  destruct (C a u l ltac:(lra) D U) as (I & low). specialize (best _ I). rewrite !norm_square in best.
  apply Rmult_le_reg_l with l; [exact L0 |].
  assert (A : dot (((1 - l) [*] a [+] l [*] u) [-] v) (((1 - l) [*] a [+] l [*] u) [-] v) = dot (a [-] v) (a [-] v)
    + 2 * l * dot (a [-] v) (u [-] a) + l ^ 2 * dot (u [-] a) (u [-] a)) by (products; ring).
  rewrite A in best. lra.
Qed.

(* A convex and smooth function lies above its tangents by the square of the change of its gradient. *)
Lemma above_tangent : forall f grad L, 0 < L -> convex f grad -> smooth f grad L -> forall u v,
  f v + dot (grad v) (u [-] v) + / (2 * L) * dot (grad u [-] grad v) (grad u [-] grad v) <= f u.
Proof.
  intros f grad L L0 C M u v. pose (D u v := grad u [-] grad v). fold (D u v).
  pose (w := u [-] / L [*] D u v). pose proof (C w v) as A. pose proof (M w u) as B. rewrite norm_square in A, B.
  assert (Q : f u + dot (grad u) (w [-] u) + L / 2 * dot (w [-] u) (w [-] u)
    - (f v + dot (grad v) (w [-] v)) = f u - (f v + dot (grad v) (u [-] v) + / (2 * L) * dot (D u v) (D u v))).
  { unfold w, D. products. field. lra. }
  lra.
Qed.
(* Baillon and Haddad. *)
Lemma cocoercive : forall f grad L, 0 < L -> convex f grad -> smooth f grad L -> forall u v,
  dot (grad u [-] grad v) (grad u [-] grad v) <= L * dot (u [-] v) (grad u [-] grad v).
Proof.
  intros f grad L L0 C M. pose (D u v := grad u [-] grad v).
  pose proof (above_tangent f grad L L0 C M) as half.
  intros u v. pose proof (half u v) as A. pose proof (half v u) as B. fold (D u v) in A. fold (D v u) in B.
  apply Rmult_le_reg_l with (/ L).
  - apply Rinv_0_lt_compat, L0.
  - assert (Q : / L * (L * dot (u [-] v) (D u v)) - / L * dot (D u v) (D u v) = (f u + f v)
      - (f v + dot (grad v) (u [-] v) + / (2 * L) * dot (D u v) (D u v))
      - (f u + dot (grad u) (v [-] u) + / (2 * L) * dot (D v u) (D v u))).
    { unfold D. products. field. lra. }
    fold (D u v). lra.
Qed.
End Convex.
