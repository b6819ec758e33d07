(* Norms, and the norm of a symmetric matrix B without its square root.

   The certificates know B through B^{1/2}: inner products of plain vectors and of images under B^{1/2} occur, none
   between the two kinds. So the pairs (u, v) with <(u, v), (u', v')> = <u, u'> + <B v, v'> will do: a plain vector u
   is (u, 0), and B^{1/2} u is (0, u). *)
From Coq Require Import Reals Lra.
Require Import Prelude Means Identities Algorithm.
Open Scope R_scope.

Lemma dot_zero_r : forall (Space : space) (u : vec Space), dot u zero = 0.
Proof. intros. rewrite dot_sym. apply dot_zero. Qed.
Ltac expand :=
  unfold minus; repeat rewrite ?dot_add, ?dot_scal, ?dot_add_r, ?dot_scal_r, ?dot_zero, ?dot_zero_r.

Lemma norm_square : forall (Space : space) (u : vec Space), norm u ^ 2 = dot u u.
Proof. intros. unfold norm. apply pow2_sqrt, dot_pos. Qed.
Lemma norm_pos : forall (Space : space) (u : vec Space), 0 <= norm u.
Proof. intros. apply sqrt_pos. Qed.
Lemma norm_le : forall (Space : space) (u : vec Space) c, 0 <= c -> norm u <= c -> dot u u <= c ^ 2.
Proof.
  intros Space u c C H. rewrite <- norm_square. apply pow_incr. split; [apply norm_pos | exact H].
Qed.
Lemma same_square : forall (Space : space) (u v : vec Space), same u v -> dot u u = dot v v.
Proof. intros Space u v H. rewrite (H u), dot_sym, (H v). reflexivity. Qed.
Lemma same_sym : forall (Space : space) (u v : vec Space), same u v -> same v u.
Proof. intros Space u v H y. symmetry. apply H. Qed.

Section Matrix.
Variable Space : space.
Variable B : vec Space -> vec Space.
Hypothesis symmetric : forall u v, dot (B u) v = dot u (B v).
Hypothesis positive : forall u, 0 <= dot u (B u).

Lemma norm_in_square : forall u, norm_in B u ^ 2 = dot u (B u).
Proof. intro u. unfold norm_in. apply pow2_sqrt, positive. Qed.
Lemma norm_in_le : forall u v, norm_in B u <= norm_in B v -> dot u (B u) <= dot v (B v).
Proof.
  intros u v H. rewrite <- !norm_in_square. apply pow_incr. split; [apply sqrt_pos | exact H].
Qed.
Lemma same_in : forall u v, same u v -> dot u (B u) = dot v (B v).
Proof. intros u v H. rewrite (H (B u)), <- symmetric, dot_sym, (H (B v)). reflexivity. Qed.
Lemma same_form : forall u u' v v', same u u' -> same v v' -> dot u (B v) = dot u' (B v').
Proof.
  intros u u' v v' H H'. rewrite (H (B v)), <- symmetric, dot_sym, (H' (B u')), dot_sym, symmetric. reflexivity.
Qed.
Lemma swap : forall u v, dot u (B v) = dot v (B u).
Proof. intros u v. rewrite <- symmetric. apply dot_sym. Qed.
Lemma B_minus : forall u v w, dot u (B (v [-] w)) = dot u (B v) - dot u (B w).
Proof. intros. rewrite <- !symmetric. expand. ring. Qed.

Definition wide : space.
Proof.
  refine (Build_space (vec Space * vec Space) (zero, zero) (fun u v => (fst u [+] fst v, snd u [+] snd v))
    (fun c u => (c [*] fst u, c [*] snd u)) (fun u v => dot (fst u) (fst v) + dot (B (snd u)) (snd v)) _ _ _ _ _).
  - intros u v. rewrite (dot_sym _ (fst u)), symmetric, (dot_sym _ (snd u)). reflexivity.
  - intros v. cbn. rewrite dot_zero, symmetric, dot_zero. ring.
  - intros u v w. cbn. rewrite dot_add, !symmetric, dot_add. ring.
  - intros c u v. cbn. rewrite dot_scal, !symmetric, dot_scal. ring.
  - intro u. apply Rplus_le_le_0_compat; [apply dot_pos |]. rewrite symmetric. apply positive.
Defined.
Definition plain (u : vec Space) : vec wide := (u, zero).
Definition root (u : vec wide) : vec wide := (zero, fst u).

Lemma B_zero : forall y, dot (B zero) y = 0.
Proof. intro y. rewrite symmetric. apply dot_zero. Qed.
Lemma dot_plain : forall u v, dot (plain u) (plain v) = dot u v.
Proof. intros. cbn. rewrite B_zero. ring. Qed.
Lemma dot_plain_minus : forall u v,
  dot (minus (plain u) (plain v)) (minus (plain u) (plain v)) = dot (u [-] v) (u [-] v).
Proof.
  intros. change (dot (u [-] v) (u [-] v) + dot (B (zero [+] (-1) [*] zero)) (zero [+] (-1) [*] zero)
    = dot (u [-] v) (u [-] v)). rewrite symmetric, dot_add, dot_scal, !dot_zero. ring.
Qed.
Lemma dot_plain_l : forall u (v : vec wide), dot (plain u) v = dot u (fst v).
Proof. intros. cbn. rewrite B_zero. ring. Qed.
Lemma dot_root : forall u v, dot (root u) (root v) = dot (fst u) (B (fst v)).
Proof. intros. cbn. rewrite dot_zero, symmetric. ring. Qed.
Lemma root_zero : forall y, dot (root zero) y = 0.
Proof. intro y. cbn. rewrite dot_zero, B_zero. ring. Qed.
Lemma root_add : forall u v y, dot (root (add u v)) y = dot (root u) y + dot (root v) y.
Proof. intros. cbn. rewrite !dot_zero, !symmetric, dot_add. ring. Qed.
Lemma root_scal : forall c u y, dot (root (scal c u)) y = c * dot (root u) y.
Proof. intros. cbn. rewrite !dot_zero, !symmetric, dot_scal. ring. Qed.
Lemma wide_upper : forall v_max, (forall u, dot u (B u) <= v_max * dot u u) -> 0 < v_max ->
  forall u, dot (root u) (root u) <= v_max * dot u u.
Proof.
  intros v_max H V u. rewrite dot_root. apply Rle_trans with (v_max * dot (fst u) (fst u)); [apply H |].
  apply Rmult_le_compat_l; [lra |]. cbn. pose proof (positive (snd u)). rewrite symmetric. lra.
Qed.
Lemma fst_vsum : forall (y : nat -> vec wide) n, fst (vsum y n) = vsum (fun i => fst (y i)) n.
Proof. intros y n. induction n as [| n IH]; cbn [vsum]; [| cbn; rewrite IH]; reflexivity. Qed.
End Matrix.
