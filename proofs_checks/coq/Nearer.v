(* Of one round of Algorithm 2 whose map Pi goes into S and comes no farther from its points, as the Euclidean
   projection does: where the iterates are, how far they move, and how near to Shat_t + gamma h, a point of S. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude Means Identities Laws Algorithm Geometry Draws Round FromAlgorithm Inside Singular Variates.
Open Scope R_scope.

Section Nearer.
Variable P : problem.
Hypothesis start : starts_inside P.
Hypothesis projection : nearer P.

Lemma inside_now : forall t h, possible (path P t) h -> calS P (Shat (after P h)).
Proof.
  intros t h Q. destruct t as [| t]; cbn [path] in Q; apply possible_next in Q; destruct Q as (w & A & D).
  - apply possible_sure in D. subst h. destruct w as [s v]. apply (start s v A).
  - apply possible_next in D. destruct D as (d & _ & D). apply possible_sure in D. subst h.
    cbn [after step Shat]. apply projection.
Qed.
Lemma next_in : forall h w, calS P (Shat (after P (followed h w))).
Proof. intros h w. cbn [after step Shat]. apply projection. Qed.
Lemma inside_always : stays_inside P.
Proof. intros t h I. split; [apply (inside_now t h I) | intros w _; apply next_in]. Qed.

Variable h : past (vec P).
Notation s := (Shat (after P h)).
Notation s' w := (Shat (after P (followed h w))).
Notation step_size := (gamma P (S (rounds h))).
Notation error w := (H P (after P h) w [-] field P s).
Notation ds w := (s' w [-] s).
Lemma nearer_to : forall m, calS P m -> forall w,
  dot (s' w [-] m) (s' w [-] m) <= dot (s [+] step_size [*] H P (after P h) w [-] m)
    (s [+] step_size [*] H P (after P h) w [-] m).
Proof.
  intros m M w. rewrite <- !norm_square. apply pow_incr. split; [apply norm_pos |].
  cbn [after step Shat]. apply projection, M.
Qed.

(* own-moved. *)
Theorem moved : forall sigma omega t, distribution P -> A3 P sigma -> A4 P omega -> A5 P -> possible (path P t) h ->
  moved_square P h <= step_size ^ 2 * (field_square P h + error_square P h).
Proof.
  intros sigma omega t weights a3 a4 a5 reached.
  apply (moved_plain P sigma omega weights a3 a4 a5 t h reached). intros w _.
  pose proof (nearer_to s (inside_now t h reached) w) as Q. rewrite !norm_square. eapply Rle_trans; [exact Q | right].
  rewrite (same_square _ _ (step_size [*] H P (after P h) w)); [rewrite dot_scal, dot_scal_r; ring |].
  intro y. expand. ring.
Qed.

(* Without noise the next iterate would be a point of S, from which Pi keeps no farther than the noise did. *)
Lemma kept_near : distribution P -> MM_1_values P -> A8_i P -> calS P s -> 0 < step_size <= 1 -> forall w,
  dot (ds w [-] step_size [*] field P s) (ds w [-] step_size [*] field P s) <= step_size ^ 2 * dot (error w) (error w).
Proof.
  intros weights values a8_i I Z w. assert (M : calS P (s [+] step_size [*] field P s)).
  { apply (proj1 values ((1 - step_size) [*] s [+] step_size [*] mean_oracle P (map P s))).
    - intro y. unfold field. expand. ring.
    - apply a8_i; [lra | exact I | apply (oracle_inside P values a8_i weights)]. }
  eapply Rle_trans; [right | eapply Rle_trans; [apply (nearer_to _ M w) | right]].
  - apply same_square. intro y. expand. ring.
  - transitivity (dot (step_size [*] error w) (step_size [*] error w)); [| rewrite dot_scal, dot_scal_r; ring].
    apply same_square. intro y. expand. ring.
Qed.
End Nearer.
Print Assumptions moved.
