(* Independent clients, of whom m of n are drawn: the squares of their sums. *)
From Coq Require Import Reals Lra Lia.
Require Import Prelude Means Identities Laws Algorithm Geometry Convex.
Open Scope R_scope.

Notation pick A w i := (if (A i : bool) then w i else zero).  (* w i of those who are drawn *)

Section Clients.
Variable Space : space.
Notation V := (vec Space).
Lemma spread : forall (w : nat -> V) (a : V) k, INR k * norm a ^ 2 + sum (fun i => norm (w i) ^ 2) k
  - 2 * dot (vsum w k) a = sum (fun i => norm (w i [-] a) ^ 2) k.
Proof.
  intros w a k. induction k as [| k IH]; [cbn [sum vsum INR]; products; ring |].
  cbn [sum vsum]. rewrite <- IH, S_INR, !norm_square. products. ring.
Qed.
Lemma less_mean : forall (w : nat -> V) (a : V) k, (0 < k)%nat ->
  sum (fun i => norm (w i) ^ 2) k - norm (vsum w k) ^ 2 / INR k <= sum (fun i => norm (w i [-] a) ^ 2) k.
Proof.
  intros w a k k0. rewrite <- spread, !norm_square. apply lt_0_INR in k0.
  pose proof (dot_pos _ (vsum w k [-] INR k [*] a)) as Q. apply (Rmult_le_compat_l (/ INR k)) in Q;
    [| apply Rlt_le, Rinv_0_lt_compat, k0].
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  apply (as_sum_ge _ (/ INR k * dot (vsum w k [-] INR k [*] a) (vsum w k [-] INR k [*] a)));
    [products; field; lra | lra].
Qed.

(* Independent clients: their errors do not add up. *)
Section Independent.
Context {X : Type}.
Variable laws : nat -> law X.
Variable nothing : X.
Variable bar : nat -> X -> V.
Notation M i := (vmean (laws i) (bar i)).
Lemma sum_square : forall k, E (independent k laws nothing) (fun y => norm (vsum (fun i => bar i (y i)) k) ^ 2)
  = sum (fun i => E (laws i) (fun y => norm (bar i y) ^ 2) - norm (M i) ^ 2) k + norm (vsum (fun i => M i) k) ^ 2.
Proof.
  induction k as [| k IH]; [cbn [independent sum vsum]; rewrite mean_sure; ring |].
  assert (B : forall i w, E (laws i) (fun y => dot (bar i y) w) = dot (M i) w).
  { intros i w. apply (vmean_is_mean _ _ (laws i) (bar i) w). }
  rewrite mean_independent. set (Q := independent k laws nothing) in *.
  pose (old y := vsum (fun i => bar i (y i)) k).
  transitivity (E Q (fun y => norm (old y) ^ 2 + (2 * dot (old y) (M (S k))
    + E (laws (S k)) (fun y => norm (bar (S k) y) ^ 2) * 1))).
  - apply mean_ext. intro y. rewrite <- (B (S k) (old y)) || rewrite (dot_sym _ (old y)), <- (B (S k) (old y)).
    transitivity (E (laws (S k)) (fun q => norm (old y) ^ 2 * 1 + (2 * dot (bar (S k) q) (old y)
      + norm (bar (S k) q) ^ 2))).
    + apply mean_ext. intro q. cbn [vsum]. rewrite updated.
      assert (same_old : vsum (fun i => bar i (update y (S k) q i)) k = old y).
      { unfold old. assert (H : forall j, (j <= k)%nat -> vsum (fun i => bar i (update y (S k) q i)) j
          = vsum (fun i => bar i (y i)) j); [| apply H; lia].
        induction j as [| j IHj]; intro J; [reflexivity |]. cbn [vsum]. rewrite IHj, not_updated by lia. reflexivity. }
      rewrite same_old, !norm_square. products. ring.
    + rewrite !mean_add, !mean_scal, mean_one. ring.
  - rewrite !mean_add, !mean_scal, mean_one. unfold old at 1. rewrite IH. cbn [sum vsum].
    assert (C : E Q (fun y => dot (old y) (M (S k))) = dot (vsum (fun i => M i) k) (M (S k))).
    { rewrite dot_vsum. transitivity (E Q (fun y => sum (fun i => dot (bar i (y i)) (M (S k))) k)).
      - apply mean_ext. intro y. apply dot_vsum.
      - rewrite mean_sum. apply sum_ext_in. intros i I. rewrite <- B.
        apply (mean_of_one _ k laws nothing i (fun y => dot (bar i y) (M (S k))) I). }
    rewrite C, !norm_square. products. ring.
Qed.
End Independent.

(* The draw: each client, and each two, equally likely. *)
Variables n m : nat.
Variable choice : law (nat -> bool).
Definition p := INR m / INR n.
Definition nu := 2 * (INR n - INR m) / (INR m * (INR n - 1)).
Hypothesis sizes : 1 <= INR m <= INR n.
Hypothesis one_drawn : forall i, (1 <= i <= n)%nat -> E choice (fun A => if A i then 1 else 0) = INR m / INR n.
Hypothesis two_drawn : forall i j, (1 <= i <= n)%nat -> (1 <= j <= n)%nat -> i <> j ->
  E choice (fun A => if A i then if A j then 1 else 0 else 0) = INR m * (INR m - 1) / (INR n * (INR n - 1)).
Notation two := (INR m * (INR m - 1) / (INR n * (INR n - 1))).
Lemma drawn : forall (w : nat -> V) a, E choice (fun A => dot (vsum (fun i => pick A w i) n) a) = p * dot (vsum w n) a.
Proof.
  intros w a. transitivity (E choice (fun A => sum (fun i => dot (w i) a * (if A i then 1 else 0)) n)).
  - apply mean_ext. intro A. rewrite dot_vsum. apply sum_ext. intro i. destruct (A i); products; ring.
  - rewrite mean_sum, dot_vsum, <- sum_scal. apply sum_ext_in. intros i I. rewrite mean_scal, one_drawn by exact I.
    unfold p. ring.
Qed.
Lemma drawn_square : forall (w : nat -> V), E choice (fun A => norm (vsum (fun i => pick A w i) n) ^ 2)
  = p * sum (fun i => norm (w i) ^ 2) n + two * (norm (vsum w n) ^ 2 - sum (fun i => norm (w i) ^ 2) n).
Proof.
  intro w. assert (H : forall k, (k <= n)%nat -> E choice (fun A => norm (vsum (fun i => pick A w i) k) ^ 2)
    = p * sum (fun i => norm (w i) ^ 2) k + two * (norm (vsum w k) ^ 2 - sum (fun i => norm (w i) ^ 2) k));
    [| apply H; lia].
  induction k as [| k IH]; intro J.
  - cbn [vsum sum]. rewrite E_const, norm_square, dot_zero. ring.
  - cbn [vsum sum]. pose (a := w (S k)).
    transitivity (E choice (fun A => norm (vsum (fun i => pick A w i) k) ^ 2 + (2 * sum (fun i => dot (w i) a
      * (if A i then if A (S k) then 1 else 0 else 0)) k + norm a ^ 2 * (if A (S k) then 1 else 0)))).
    + apply mean_ext. intro A. fold a. rewrite !norm_square.
      assert (Q : sum (fun i => dot (w i) a * (if A i then if A (S k) then 1 else 0 else 0)) k
        = dot (vsum (fun i => pick A w i) k) (if A (S k) then a else zero)).
      { rewrite dot_vsum. apply sum_ext. intro i. destruct (A i), (A (S k)); products; ring. }
      rewrite Q. destruct (A (S k)); products; ring.
    + rewrite !mean_add, !mean_scal, IH, mean_sum, one_drawn by lia.
      rewrite (sum_ext_in (fun i => E choice (fun A => dot (w i) a * (if A i then if A (S k) then 1 else 0 else 0)))
        (fun i => two * dot (w i) a)), sum_scal, <- dot_vsum.
      * fold a. rewrite !norm_square. unfold p. products. ring.
      * intros i I. rewrite mean_scal, two_drawn by lia. ring.
Qed.
Lemma variance : forall w : nat -> V, (/ INR m) ^ 2 * E choice (fun A => norm (vsum (fun i => pick A w i) n) ^ 2)
  = norm (/ INR n [*] vsum w n) ^ 2 + nu / 2 * (/ INR n)
    * (sum (fun i => norm (w i) ^ 2) n - norm (vsum w n) ^ 2 / INR n).
Proof.
  intro w. destruct sizes as (m1 & mn). rewrite drawn_square, !norm_square. products. unfold p, nu.
  destruct (Nat.eq_dec n 1) as [one | more].
  - assert (m_one : INR m = 1) by (rewrite one in mn; cbn [INR] in mn; lra). rewrite m_one, one. cbn [sum vsum INR].
    rewrite norm_square. products. unfold Rdiv. rewrite Rinv_1.
    replace (1 - 1) with 0 by ring. ring.
  - assert (n1 : 1 < INR n).
    { destruct (Rle_lt_or_eq_dec 1 (INR n)) as [A | A]; [lra | exact A | apply (INR_eq 1) in A; lia]. }
    field. lra.
Qed.
End Clients.
