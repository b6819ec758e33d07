(* Local steps of one client with noisy gradients, from `start`: y <- y - eta (a + shift), where a is what the
   client sees of its gradient at y. *)
From Coq Require Import Reals Lra Lia.
Require Import Prelude Means Identities Laws Algorithm Geometry Convex.
Open Scope R_scope.

Fixpoint local_steps {Space : space} (oracle : vec Space -> law (vec Space)) (eta : R) (start shift : vec Space)
  (j : nat) : law (vec Space) := match j with
  | O => sure start
  | S j => next (local_steps oracle eta start shift j) (fun y => next (oracle y) (fun a =>
      sure (y [-] eta [*] (a [+] shift)))) end.

Section Client.
Variable Space : space.
Notation V := (vec Space).
Variable grad : V -> V.
Variable oracle : V -> law V.
Variables eta sigma2 : R.
Hypothesis unbiased : forall y, is_mean (under (oracle y)) (fun a => a) (grad y).
Hypothesis noise : forall y, E (oracle y) (fun a => norm (a [-] grad y) ^ 2) <= sigma2.
Variables start shift : V.
Notation local := (local_steps oracle eta start shift).

Lemma mean_local : forall j F, E (local (S j)) F
  = E (local j) (fun y => E (oracle y) (fun a => F (y [-] eta [*] (a [+] shift)))).
Proof.
  intros. cbn [local_steps]. rewrite mean_next. apply mean_ext. intro y. rewrite mean_next. apply mean_ext. intro a.
  apply mean_sure.
Qed.
Lemma one_step : forall y w h, E (oracle y) (fun a => norm (w [-] eta [*] (a [+] h)) ^ 2)
  <= norm (w [-] eta [*] (grad y [+] h)) ^ 2 + eta ^ 2 * sigma2.
Proof.
  intros y w h. pose (u := w [-] eta [*] (grad y [+] h)). fold u.
  apply Rle_trans with (E (oracle y) (fun a => norm u ^ 2 * 1 + ((-2 * eta) * dot a u
    + (2 * eta * dot (grad y) u) * 1 + eta ^ 2 * norm (a [-] grad y) ^ 2))).
  - right. apply mean_ext. intro a. rewrite !norm_square. unfold u. products. ring.
  - rewrite !mean_add, !mean_scal, !mean_one. pose proof (unbiased y u) as B. cbv beta in B. rewrite B.
    pose proof (noise y) as Q. apply (Rmult_le_compat_l (eta ^ 2)) in Q; [| apply pow2_ge_0]. lra.
Qed.
(* How far j local steps lead, from j steps along -h. *)
Lemma far : forall h j, E (local j) (fun y => norm ((y [-] start) [+] (INR j * eta) [*] h) ^ 2)
  <= INR j * eta ^ 2 * sum (fun l => E (local (pred l)) (fun y => norm (grad y [+] shift [-] h) ^ 2)
    + sigma2 / INR l) j.
Proof.
  intros h j. induction j as [| j IH].
  - cbn [local_steps]. rewrite mean_sure, norm_square. cbn. products. lra.
  - rewrite mean_local. cbn [sum pred]. pose proof (pos_INR j) as J. rewrite S_INR.
    set (old := sum _ j) in *. set (A := E (local j) (fun y => norm (grad y [+] shift [-] h) ^ 2)).
    pose (w y := (y [-] start) [+] (INR j * eta) [*] h). pose (a y := grad y [+] (shift [-] h)).
    assert (same_A : E (local j) (fun y => norm (a y) ^ 2) = A).
    { apply mean_ext. intro y. rewrite !norm_square. unfold a. products. ring. }
    apply Rle_trans with (E (local j) (fun y => norm (w y [-] eta [*] a y) ^ 2 + eta ^ 2 * sigma2)).
    { apply mean_le. intro y. eapply Rle_trans; [right | apply (one_step y (w y) (shift [-] h))].
      apply mean_ext. intro q. rewrite !norm_square. unfold w. products. ring. }
    destruct j as [| j].
    + rewrite <- same_A. cbn [local_steps]. rewrite !mean_sure, !norm_square. unfold old, w. cbn [sum INR].
      products. right. field.
    + assert (J0 : 0 < INR (S j)) by (apply lt_0_INR; lia). set (k := INR (S j)) in *.
      apply Rle_trans with (E (local (S j)) (fun y => (1 + / k) * norm (w y) ^ 2
        + ((1 + k) * eta ^ 2 * norm (a y) ^ 2 + eta ^ 2 * sigma2 * 1))).
      * apply mean_le. intro y. rewrite !norm_square. generalize (w y) (a y). intros w' a'.
        pose proof (dot_pos _ (w' [+] (k * eta) [*] a')) as Q.
        apply (Rmult_le_compat_l (/ k)) in Q; [| apply Rlt_le, Rinv_0_lt_compat, J0].
        apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
        apply (as_sum_ge _ (/ k * dot (w' [+] (k * eta) [*] a') (w' [+] (k * eta) [*] a')));
          [products; field; lra | lra].
      * rewrite !mean_add, !mean_scal, mean_one, same_A.
        change (E (local (S j)) (fun y => norm (w y) ^ 2) <= k * eta ^ 2 * old) in IH.
        apply (Rmult_le_compat_l (1 + / k)) in IH; [| pose proof (Rinv_0_lt_compat k J0); lra].
        apply Rle_trans with ((1 + / k) * (k * eta ^ 2 * old) + ((1 + k) * eta ^ 2 * A + eta ^ 2 * sigma2 * 1));
          [lra |].
        right. field. lra.
Qed.
Lemma moved : forall w j, E (local j) (fun y => dot (y [-] start) w)
  = - eta * sum (fun l => E (local (pred l)) (fun y => dot (grad y [+] shift) w)) j.
Proof.
  intros w j. induction j as [| j IH].
  - cbn [local sum]. rewrite mean_sure. products. ring.
  - rewrite mean_local. cbn [sum pred]. rewrite Rmult_plus_distr_l, <- IH, <- mean_scal, <- mean_add. apply mean_ext.
    intro y. transitivity (E (oracle y) (fun a => (dot (y [-] start) w - eta * dot (shift) w) * 1 + - eta * dot a w)).
    + apply mean_ext. intro a. products. ring.
    + rewrite mean_add, !mean_scal, mean_one. pose proof (unbiased y w) as B. cbv beta in B. rewrite B.
      products. ring.
Qed.
End Client.

(* Sums over the steps. *)
Lemma harmonic : forall k, sum (fun l => / INR l) k <= INR k.
Proof.
  intro k. rewrite <- sum_one. apply sum_le. intros l I. rewrite <- Rinv_1. apply Rinv_le_contravar; [lra |].
  apply (le_INR 1). lia.
Qed.
Lemma triangle : forall k, sum (fun l => INR (pred l)) k = INR k * (INR k - 1) / 2.
Proof.
  induction k as [| k IH]; [cbn; field |]. cbn [sum pred]. rewrite IH, S_INR. field.
Qed.
Lemma sum_longer : forall y k k', (k <= k')%nat -> (forall i, 0 <= y i) -> sum y k <= sum y k'.
Proof. intros y k k' H Q. induction H as [| k' _ IH]; cbn [sum]; [lra | pose proof (Q (S k')); lra]. Qed.
