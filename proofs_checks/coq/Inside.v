(* That E_pi[Sbar(Z, theta)] lies in S, as Sbar does (MM-1) and S is convex: Theorem 1 does not use it,
   own-projected-step does.
   A set of vectors holds with a vector all that no inner product tells from it. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude Means Identities Laws Algorithm Geometry.
Import ListNotations.
Open Scope R_scope.

Definition MM_1_values (P : problem) := (forall u v, same u v -> calS P u -> calS P v) /\
  forall i z theta, agent P i -> possible (pi P i) z -> calS P (Sbar P z theta).

Section Inside.
Variable P : problem.
Hypothesis values : MM_1_values P.
Hypothesis a8_i : A8_i P.
Hypothesis weights : distribution P.

(* c times a point of S. *)
Definition scaled_point c (u : vec P) := exists v, calS P v /\ same u (c [*] v).
Lemma combine : forall a b x u, 0 < a -> 0 < b -> calS P x -> scaled_point b u ->
  scaled_point (a + b) (add (a [*] x) u).
Proof.
  intros a b x u A B X (v & V & S'). exists ((1 - b / (a + b)) [*] x [+] (b / (a + b)) [*] v). split.
  - apply a8_i; try assumption. split.
    + apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
    + apply Rmult_le_reg_r with (a + b); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - intro y. rewrite dot_add, (S' y). expand. field. lra.
Qed.
Lemma one_point : forall a x u, calS P x -> same u zero -> scaled_point a (add (a [*] x) u).
Proof.
  intros a x u X Z. exists x. split; [exact X |]. intro y. rewrite dot_add, (Z y). expand. ring.
Qed.
Lemma of_law : forall X (l : list (R * X)) x, (forall q w, In (q, w) l -> 0 < q) ->
  (forall q w, In (q, w) l -> calS P (x w)) -> l <> [] ->
  0 < total l (fun _ => 1) /\ scaled_point (total l (fun _ => 1)) (vtotal l x).
Proof.
  intros X l x pos inside. induction l as [| [q w] l IH]; [intros []; reflexivity | intros _]. cbn.
  pose proof (pos q w (or_introl eq_refl)) as Q. destruct l as [| a l].
  - cbn. rewrite Rmult_1_r, Rplus_0_r. split; [exact Q |].
    apply one_point; [apply (inside q w); left; reflexivity | intro; reflexivity].
  - destruct IH as (T & S'); [| | discriminate |].
    + intros q' w' I. apply (pos q' w'). right. exact I.
    + intros q' w' I. apply (inside q' w'). right. exact I.
    + rewrite Rmult_1_r. split; [lra |]. apply combine; try assumption. apply (inside q w). left. reflexivity.
Qed.
Lemma oracle_of_inside : forall i theta, agent P i -> calS P (mean_oracle_of P i theta).
Proof.
  intros i theta A. destruct values as (invariant & inside). unfold mean_oracle_of, vmean.
  destruct (of_law _ (atoms (pi P i)) (fun z => Sbar P z theta) (atoms_pos _ (pi P i))) as (_ & v & V & S').
  - intros q z J. apply (inside i z theta A). exists q. exact J.
  - intro Z. pose proof (atoms_one _ (pi P i)) as O. rewrite Z in O. cbn in O. lra.
  - rewrite atoms_one in S'. apply (invariant v); [| exact V]. intro y. rewrite (S' y). expand. ring.
Qed.
Lemma oracle_inside : forall theta, calS P (mean_oracle P theta).
Proof.
  intro theta. destruct values as (invariant & _), weights as (pos & one). unfold mean_oracle.
  assert (Q : forall k, (k <= n P)%nat ->
    let u := vsum (fun i => mu P i [*] mean_oracle_of P i theta) k in
    (sum (mu P) k = 0 /\ same u zero) \/ (0 < sum (mu P) k /\ scaled_point (sum (mu P) k) u)).
  { induction k as [| k IH]; intro K; cbn [sum vsum]; [left; split; [reflexivity | intro; reflexivity] |].
    assert (A : agent P (S k)) by (split; lia).
    pose proof (pos (S k) A) as M. pose proof (oracle_of_inside (S k) theta A) as I.
    set (u := vsum _ k) in *.
    assert (flip : forall c, scaled_point c (mu P (S k) [*] mean_oracle_of P (S k) theta [+] u) ->
      scaled_point c (u [+] mu P (S k) [*] mean_oracle_of P (S k) theta)).
    { intros c (v & V & S'). exists v. split; [exact V |]. intro y. rewrite <- (S' y), !dot_add. ring. }
    destruct (IH ltac:(lia)) as [(Z & S') | (Z & S')]; destruct M as [M | M].
    - right. rewrite Z, Rplus_0_l. split; [exact M |]. apply flip, one_point; assumption.
    - left. rewrite Z, <- M. split; [ring |]. intro y. rewrite dot_add, (S' y). expand. ring.
    - right. split; [lra |]. apply flip. rewrite Rplus_comm. apply combine; assumption.
    - right. rewrite <- M, Rplus_0_r. split; [exact Z |]. destruct S' as (v & V & S'). exists v.
      split; [exact V |]. intro y. rewrite <- (S' y). expand. ring. }
  destruct (Q (n P) (le_n _)) as [(Z & _) | (_ & v & V & S')]; [lra |].
  apply (invariant v); [| exact V]. intro y. rewrite (S' y), one. expand. ring.
Qed.
End Inside.
