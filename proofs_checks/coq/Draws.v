(* Given the past: the mean and the variance of what one agent draws and sends (Lemma 1 with A3, A4, A5), and that the
   errors of two agents are uncorrelated. These are the conditional expectations that Propositions 3 and 4 rest on. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude Means Identities Laws Algorithm Geometry.
Open Scope R_scope.

Section Draws.
Variable P : problem.
Notation V := (vec P).
Variable h : past V.
Variables omega : R.
Hypothesis compressors : A4 P omega.
Hypothesis selections : A5 P.
Definition omega_p := omega + (1 + omega) * ((1 - p P) / p P).

(* The oracle first: the other draws do not depend on it. *)
Lemma mean_draw : forall i F, E (one_draw P h i) F
  = E (oracles P h i) (fun a => E (selection P) (fun u => E (compressor P) (fun q =>
      F {| active := u; oracle := a; compress := q |}))).
Proof.
  intros i F. unfold one_draw. rewrite mean_next.
  transitivity (E (selection P) (fun u => E (oracles P h i) (fun a => E (compressor P) (fun q =>
      F {| active := u; oracle := a; compress := q |})))).
  - apply mean_ext. intro u. rewrite mean_next. apply mean_ext. intro a. rewrite mean_next.
    apply mean_ext. intro q. apply mean_sure.
  - apply mean_swap.
Qed.

(* An agent i that has s and v, and for whose oracle A3 holds with the mean m. *)
Variable i : nat.
Variables s v m : V.
Variable sigma_i : R.
Hypothesis oracle_mean : is_mean (under (oracles P h i)) (fun a => a) m.
Hypothesis oracle_square : E (oracles P h i) (fun a => norm (a [-] m) ^ 2) <= sigma_i ^ 2.
Notation sends d := (oracle d [-] s [-] v).  (* Delta_{t+1,i} *)
Definition received (d : draw V) := if active d then (1 / p P) [*] compress d (sends d) else zero.
Definition noise (d : draw V) := oracle d [-] m.
Definition sent (d : draw V) := received d [-] sends d.

Lemma noise_mean : forall y, E (one_draw P h i) (fun d => dot (noise d) y) = 0.
Proof.
  intro y. rewrite mean_draw. transitivity (E (oracles P h i) (fun a => dot a y + - dot m y * 1)).
  - apply mean_ext. intro a. transitivity (E (selection P) (fun _ => dot (a [-] m) y)).
    + apply mean_ext. intro u. apply (E_const _ (compressor P) (dot (a [-] m) y)).
    + rewrite E_const. expand. ring.
  - rewrite (mean_add _ _ (fun a => dot a y)), mean_const, oracle_mean. ring.
Qed.
Lemma noise_square : E (one_draw P h i) (fun d => dot (noise d) (noise d)) <= sigma_i ^ 2.
Proof.
  rewrite mean_draw. eapply Rle_trans; [right | exact oracle_square]. apply mean_ext. intro a. rewrite norm_square.
  transitivity (E (selection P) (fun _ => dot (a [-] m) (a [-] m))); [| apply E_const].
  apply mean_ext. intro u. apply (E_const _ (compressor P) (dot (a [-] m) (a [-] m))).
Qed.

(* Lemma 1, the mean, even multiplied by what the oracle tells. *)
Lemma sent_mean : forall y : V -> V, E (one_draw P h i) (fun d => dot (sent d) (y (oracle d))) = 0.
Proof.
  destruct compressors as (W & Q), selections as ((P0 & P1) & A5'). intro y. rewrite mean_draw.
  transitivity (E (oracles P h i) (fun _ => 0)); [| apply E_const]. apply mean_ext. intro a.
  pose (D := a [-] s [-] v). fold V in D.
  transitivity (E (selection P) (fun u => / p P * dot D (y a) * (if u then 1 else 0) + - dot D (y a) * 1)).
  - apply mean_ext. intro u. unfold sent, received. cbn [active oracle compress]. fold D. destruct u.
    + transitivity (E (compressor P) (fun q => / p P * dot (q D) (y a) + - dot D (y a) * 1)).
      * apply mean_ext. intro q. expand. field. lra.
      * rewrite (mean_add _ _ (fun q => / p P * dot (q D) (y a))), mean_const, mean_scal.
        rewrite (proj1 (Q D) (y a)). ring.
    + rewrite E_const. expand. ring.
  - rewrite (mean_add _ _ (fun u : bool => / p P * dot D (y a) * (if u then 1 else 0))), mean_const, mean_scal, A5'.
    field. lra.
Qed.

(* Lemma 1, the variance (L 1242-1272). *)
Lemma sent_square : E (one_draw P h i) (fun d => dot (sent d) (sent d))
  <= omega_p * E (one_draw P h i) (fun d => dot (sends d) (sends d)).
Proof.
  destruct compressors as (W & Q), selections as ((P0 & P1) & A5'). rewrite !mean_draw, <- mean_scal.
  apply mean_le. intro a. pose (D := a [-] s [-] v). pose (c := (1 + omega) / p P ^ 2 - 2 / p P).
  assert (Z : E (compressor P) (fun q => dot (q D) (q D)) <= (1 + omega) * dot D D).
  { pose proof (proj2 (Q D)) as Q2. rewrite norm_square in Q2.
    assert (A : E (compressor P) (fun q => norm (q D [-] D) ^ 2)
      = E (compressor P) (fun q => dot (q D) (q D)) + -2 * E (compressor P) (fun q => dot (q D) D) + dot D D).
    { rewrite <- (mean_const _ (under (compressor P)) (dot D D)), <- mean_scal, <- !mean_add. apply mean_ext. intro q.
      rewrite norm_square. expand. rewrite (dot_sym _ D (q D)). ring. }
    rewrite A, (proj1 (Q D) D) in Q2. lra. }
  apply Rle_trans with (E (selection P) (fun u : bool => c * dot D D * (if u then 1 else 0) + dot D D * 1)).
  - apply mean_le. intro u. unfold sent, received. cbn [active oracle compress]. fold D. destruct u.
    + apply Rle_trans with (E (compressor P)
        (fun q => (/ p P ^ 2 * dot (q D) (q D) + - (2 / p P) * dot (q D) D) + dot D D * 1)).
      * right. apply mean_ext. intro q. expand. rewrite (dot_sym _ D (q D)). field. lra.
      * rewrite (mean_add _ _ (fun q => / p P ^ 2 * dot (q D) (q D) + _)), mean_const.
        rewrite (mean_add _ _ (fun q => / p P ^ 2 * dot (q D) (q D))), !mean_scal, (proj1 (Q D) D).
        assert (K : 0 < / p P ^ 2) by (apply Rinv_0_lt_compat, pow_lt; lra).
        apply (Rmult_le_compat_l (/ p P ^ 2)) in Z; [| lra]. unfold c, Rdiv. lra.
    + rewrite E_const. right. expand. ring.
  - rewrite (mean_add _ _ (fun u : bool => c * dot D D * (if u then 1 else 0))), mean_const, mean_scal, A5'.
    right. transitivity (omega_p * E (selection P) (fun _ => dot D D)).
    + rewrite E_const. unfold c, omega_p. field. lra.
    + f_equal. apply mean_ext. intro u. symmetry. apply (E_const _ (compressor P) (dot D D)).
Qed.
Lemma own_mean : forall y, E (one_draw P h i) (fun d => dot (noise d [+] sent d) y) = 0.
Proof.
  intro y. transitivity (E (one_draw P h i) (fun d => dot (noise d) y + dot (sent d) y)).
  - apply mean_ext. intro d. apply dot_add.
  - rewrite (mean_add _ _ (fun d => dot (noise d) y)), noise_mean, (sent_mean (fun _ => y)). ring.
Qed.
End Draws.
