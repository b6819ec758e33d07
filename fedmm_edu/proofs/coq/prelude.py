"""The Coq file that every export begins with: inner-product spaces of any dimension, and tactics for signs."""

from __future__ import annotations

from itertools import combinations

MAX_ATOMS = 6
"""The largest number of vectors in one square that the prelude has a lemma for."""

HEAD = r"""(* A real inner-product space of any dimension, and tactics that read signs off the way a term is built.
   No axiom is added to those of Coq's real numbers: each lemma is quantified over every such space. *)
From Coq Require Import Reals Lra.
Open Scope R_scope.

(* Only what is used: an inner product that is symmetric, linear and positive. *)
Record space := {
  vec : Type;
  zero : vec;
  add : vec -> vec -> vec;
  scal : R -> vec -> vec;
  dot : vec -> vec -> R;
  dot_sym : forall u v, dot u v = dot v u;
  dot_zero : forall v, dot zero v = 0;
  dot_add : forall u v w, dot (add u v) w = dot u w + dot v w;
  dot_scal : forall c u v, dot (scal c u) v = c * dot u v;
  dot_pos : forall u, 0 <= dot u u
}.
Arguments zero {_}.
Arguments add {_}.
Arguments scal {_}.
Arguments dot {_}.

(* There is such a space: the line. *)
Definition line : space.
Proof. refine (Build_space R 0 Rplus Rmult Rmult _ _ _ _ _); intros; try ring; apply Rle_0_sqr. Defined.

Lemma dot_add_r : forall (Space : space) (u v w : vec Space), dot u (add v w) = dot u v + dot u w.
Proof. intros. rewrite dot_sym, dot_add, (dot_sym _ v), (dot_sym _ w). reflexivity. Qed.
Lemma dot_scal_r : forall (Space : space) c (u v : vec Space), dot u (scal c v) = c * dot u v.
Proof. intros. rewrite dot_sym, dot_scal, (dot_sym _ v). reflexivity. Qed.

Lemma even_power : forall x n, Nat.even n = true -> 0 <= x ^ n.
Proof. intros x n E. apply Nat.even_spec in E. destruct E as [k ->]. rewrite pow_mult. apply pow_le, pow2_ge_0. Qed.
Lemma even_power_pos : forall x n, Nat.even n = true -> x <> 0 -> 0 < x ^ n.
Proof.
  intros x n E N. apply Nat.even_spec in E. destruct E as [k ->]. rewrite pow_mult. apply pow_lt.
  replace (x ^ 2) with (Rsqr x) by (unfold Rsqr; ring). apply Rsqr_pos_lt; assumption.
Qed.

(* The shape of every proof: the target is a sum, and each of its terms has a sign. *)
Lemma as_sum_ge : forall target sum, target = sum -> 0 <= sum -> 0 <= target.
Proof. intros target sum -> H. exact H. Qed.
Lemma as_sum_eq : forall target sum, target = sum -> sum = 0 -> target = 0.
Proof. intros target sum -> H. exact H. Qed.
Lemma plus_zero : forall a b, a = 0 -> b = 0 -> a + b = 0.
Proof. intros a b -> ->. ring. Qed.
Lemma times_zero : forall m e, e = 0 -> m * e = 0.
Proof. intros m e ->. ring. Qed.
Lemma times_zero_ge : forall m e, e = 0 -> 0 <= m * e.
Proof. intros m e ->. rewrite Rmult_0_r. apply Rle_refl. Qed.

Ltac positive :=
  lazymatch goal with
  | |- 0 < _ + _ => first
      [ apply Rplus_lt_le_0_compat; [solve [positive] | solve [nonnegative]]
      | apply Rplus_le_lt_0_compat; [solve [nonnegative] | solve [positive]] ]
  | |- 0 < _ * _ => apply Rmult_lt_0_compat; positive
  | |- 0 < / _ => apply Rinv_0_lt_compat; positive
  | |- 0 < _ / _ => apply Rdiv_lt_0_compat; positive
  | |- 0 < IZR _ => apply IZR_lt; reflexivity
  | |- 0 < _ ^ _ => first [apply pow_lt; solve [positive] | apply even_power_pos; [reflexivity | assumption]]
  | |- 0 < exp _ => apply exp_pos
  | |- 0 < sqrt _ => apply sqrt_lt_R0; positive
  | |- _ => first [assumption | lra]
  end
with nonnegative :=
  lazymatch goal with
  | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; nonnegative
  | |- 0 <= _ * _ => apply Rmult_le_pos; nonnegative
  | |- 0 <= / _ => apply Rlt_le; positive
  | |- 0 <= _ / _ => apply Rmult_le_pos; [nonnegative | apply Rlt_le, Rinv_0_lt_compat; positive]
  | |- 0 <= IZR _ => apply IZR_le; discriminate
  | |- 0 <= _ ^ _ => first [apply even_power; reflexivity | apply pow_le; nonnegative]
  | |- 0 <= dot _ _ => apply dot_pos
  | |- 0 <= Rabs _ => apply Rabs_pos
  | |- 0 <= exp _ => apply Rlt_le, exp_pos
  | |- 0 <= sqrt _ => apply sqrt_pos
  | |- _ => first [assumption | apply Rlt_le; assumption | lra]
  end.

(* What `field` asks for: that no divisor vanishes, by its sign or by hypothesis. *)
Ltac nonzero :=
  repeat match goal with |- _ /\ _ => split end;
  first
    [ assumption
    | apply Rgt_not_eq, Rlt_gt; solve [positive]
    | match goal with D : ?d <> 0 |- ?e <> 0 => let Z := fresh in intro Z; apply D; rewrite <- Z; ring end
    | lra ].

(* The square of a combination is non-negative, in terms of the inner products of its vectors. *)
"""


def prelude() -> str:
    """The text of the file `Prelude.v`."""
    return HEAD + "".join(_square(size) for size in range(1, MAX_ATOMS + 1))


def _square(size: int) -> str:
    """0 ≤ Σ c_i²⟨u_i, u_i⟩ + Σ_{i<j} 2 c_i c_j ⟨u_i, u_j⟩, which is ⟨b, b⟩ for b = Σ c_i u_i."""
    scalars, vectors = [f"c{i}" for i in range(size)], [f"u{i}" for i in range(size)]
    form = quadratic_form(scalars, vectors)
    combination = f"scal {scalars[-1]} {vectors[-1]}"
    for c, u in reversed(list(zip(scalars, vectors, strict=True))[:-1]):
        combination = f"add (scal {c} {u}) ({combination})"
    turned = " ".join(f"rewrite (dot_sym _ {v} {u})." for u, v in combinations(vectors, 2))
    return (
        f"Lemma square_{size} : forall (Space : space) ({' '.join(scalars)} : R) ({' '.join(vectors)} : vec Space),\n"
        f"  0 <= {form}.\n"
        f"Proof.\n  intros. apply as_sum_ge with (dot ({combination}) ({combination})); [| apply dot_pos].\n"
        f"  repeat rewrite ?dot_add, ?dot_scal, ?dot_add_r, ?dot_scal_r. {turned} ring.\nQed.\n"
    )


def quadratic_form(scalars: list[str], vectors: list[str]) -> str:
    """The square of Σ c_i u_i, multiplied out, as the lemmas `square_n` state it."""
    own = [f"{c} ^ 2 * dot {u} {u}" for c, u in zip(scalars, vectors, strict=True)]
    pairs = combinations(zip(scalars, vectors, strict=True), 2)
    return " + ".join([*own, *(f"2 * {c} * {d} * dot {u} {v}" for (c, u), (d, v) in pairs)])
