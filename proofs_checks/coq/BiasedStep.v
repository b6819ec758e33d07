(* EF21-MM, beyond Theorem 1: Algorithm 2 with messages that may be biased, and what agents send and keep in a round.

   What a problem is, and what is drawn, are as in Algorithm.v; the law of Q is that of C here, and alpha is not used.
   Nobody divides by p, an agent keeps all that it sends, and the server moves along V_{t+1}: a direction like any other
   (Nearer.v). *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondMessages Means Identities Laws Algorithm Geometry Round Inside Singular.
Open Scope R_scope.

Section Algorithm.
Variable P : problem.
Notation V := (vec P).

Definition ef21_step t (B : V -> V) (s : state P) w :=
  let V_next := V_server s [+] over_active P w (fun i => mu P i [*] message P s w i) in {|
  Shat := Pi P B (Shat s [+] gamma P t [*] V_next);
  V_agent := fun i => if active (w i) then V_agent s i [+] message P s w i else V_agent s i;
  V_server := V_next
|}.
Fixpoint ef21 (h : past V) : state P :=
  match h with
  | began s v => {| Shat := s; V_agent := v; V_server := vsum (fun i => mu P i [*] v i) (n P) |}
  | followed h w => ef21_step (S (rounds h)) (B_used P h) (ef21 h) w
  end.

(* G_t, with the weights mu_i, not their squares. *)
Definition weighted (x : nat -> R) := sum (fun i => mu P i * x i) (n P).
Definition G_ef21 h := weighted (fun i => norm (V_agent (ef21 h) i [-] field_of P i (Shat (ef21 h))) ^ 2).

(* In the place of A4, A3 and L 599. *)
Definition contraction a := 0 < a <= 1 /\
  forall x, E (compressor P) (fun C => norm (C x [-] x) ^ 2) <= (1 - a) * norm x ^ 2.
Definition exact_oracles := forall t h i a, possible (path P t) h -> agent P i -> possible (oracles P h i) a ->
  same a (mean_oracle_of P i (map P (Shat (ef21 h)))).
Definition noisy_oracles (sigma : nat -> R) := forall t h i, possible (path P t) h -> agent P i ->
  let m := mean_oracle_of P i (map P (Shat (ef21 h))) in
  0 <= sigma i /\ is_mean (under (oracles P h i)) (fun a => a) m /\
  E (oracles P h i) (fun a => norm (a [-] m) ^ 2) <= sigma i ^ 2.
End Algorithm.

(* What the agents send and keep in one round, given its past. *)
Section Messages.
Variable P : problem.
Hypothesis mus : distribution P.
Hypothesis a5 : A5 P.
Variable h : past (vec P).
Notation s := (Shat (ef21 P h)).
Notation s' w := (Shat (ef21 P (followed h w))).
Notation x i := (V_agent (ef21 P h) i [-] field_of P i s).
Notation own i w := (V_agent (ef21 P (followed h w)) i [-] field_of P i s).  (* V_{t+1,i} - h_i(Shat_t) *)
Definition kept_error := E (one_round P h) (fun w => weighted P (fun i => norm (own i w) ^ 2)).
Definition direction_error :=
  E (one_round P h) (fun w => norm (V_server (ef21 P (followed h w)) [-] field P s) ^ 2).
Definition moved_square := E (one_round P h) (fun w => norm (s' w [-] s) ^ 2).

Lemma weighted_le : forall y z, (forall i, agent P i -> y i <= z i) -> weighted P y <= weighted P z.
Proof. intros y z Q. apply sum_le. intros i I. apply Rmult_le_compat_l; [apply mus | apply Q]; exact I. Qed.
Lemma weighted_linear : forall c d y z,
  weighted P (fun i => c * y i + d * z i) = c * weighted P y + d * weighted P z.
Proof. intros. unfold weighted. rewrite <- sum_linear. apply sum_ext. intro. ring. Qed.
Lemma weighted_one : weighted P (fun _ => 1) = 1.
Proof. transitivity (sum (mu P) (n P)); [apply sum_ext; intro; ring | apply mus]. Qed.
Lemma weighted_pos : forall y, (forall i, 0 <= y i) -> 0 <= weighted P y.
Proof. intros y Q. apply sum_pos. intros i I. apply Rmult_le_pos; [apply mus; exact I | apply Q]. Qed.

(* The server's V is the mean of the agents', so that its error is the mean of theirs. *)
Lemma V_conserved : forall k, same (V_server (ef21 P k)) (vsum (fun i => mu P i [*] V_agent (ef21 P k) i) (n P)).
Proof.
  induction k as [u v | k IH w]; intro y; [reflexivity |].
  cbn [ef21 ef21_step V_server V_agent]. rewrite dot_add, (IH y). unfold over_active. clear IH.
  induction (n P) as [| j I]; cbn [vsum]; [rewrite !dot_zero; ring |].
  rewrite !dot_add, <- I. destruct (active (w (S j))); expand; ring.
Qed.
Lemma direction_is : forall w,
  same (V_server (ef21 P (followed h w)) [-] field P s) (vsum (fun i => mu P i [*] own i w) (n P)).
Proof.
  intros w y. destruct mus as (_ & one). unfold minus at 1. rewrite dot_add, dot_scal, V_conserved.
  generalize (V_agent (ef21 P (followed h w))). intro v.
  assert (Q : forall k, dot (vsum (fun i => mu P i [*] v i) k) y
    + (- dot (vsum (fun i => mu P i [*] mean_oracle_of P i (map P s)) k) y + dot s y * sum (mu P) k)
    = dot (vsum (fun i => mu P i [*] (v i [-] field_of P i s)) k) y).
  { induction k as [| k IH]; cbn [vsum sum]; [rewrite !dot_zero; ring |].
    rewrite !dot_add, <- IH. unfold field_of. expand. ring. }
  rewrite <- Q, one. unfold field, mean_oracle. expand. ring.
Qed.
Lemma jensen : direction_error <= kept_error.
Proof.
  apply mean_le. intro w. rewrite norm_square. pose (e := V_server (ef21 P (followed h w)) [-] field P s). fold e.
  assert (Q : 0 <= weighted P (fun i => dot e e + dot (own i w) (own i w) + -2 * dot e (own i w))).
  { apply weighted_pos. intro i. eapply as_sum_ge; [| eapply own_biased_error_2 with (e := e) (e_i := own i w)
      (mu_i := 1)]; lra. }
  assert (A : weighted P (fun i => dot e (own i w)) = dot e e).
  { rewrite (direction_is w : same e _), dot_vsum. apply sum_ext. intro i. rewrite dot_scal, (dot_sym _ e). ring. }
  assert (D : weighted P (fun i => dot e e + dot (own i w) (own i w) + -2 * dot e (own i w))
    = weighted P (fun i => norm (own i w) ^ 2) + -2 * dot e e + 1 * dot e e).
  { transitivity (weighted P (fun i =>
      1 * (1 * norm (own i w) ^ 2 + -2 * dot e (own i w)) + dot e e * 1)).
    - apply sum_ext. intro i. rewrite norm_square. ring.
    - rewrite !weighted_linear, weighted_one, A. ring. }
  rewrite D in Q. apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_biased_error_3 with (e := e) (Sigma_i_mu_i := 1)
    (Sigma_i_mu_i_e_i_2 := weighted P (fun i => norm (own i w) ^ 2))]; try lra.
  apply weighted_pos. intro i. apply pow2_ge_0.
Qed.

(* One agent: with chance p its message arrives. *)
Section Agent.
Variable a : R.
Hypothesis contracts : contraction P a.
Variable i : nat.
Notation v := (V_agent (ef21 P h) i).
Notation hears := (both (under (oracles P h i)) (under (compressor P))).
Definition kept (d : draw (vec P)) :=
  (if active d then v [+] compress d (oracle d [-] s [-] v) else v) [-] field_of P i s.
Notation arrived z := (kept {| active := true; oracle := fst z; compress := snd z |}).
Lemma by_participation : E (one_draw P h i) (fun d => norm (kept d) ^ 2)
  = p P * mean hears (fun z => norm (arrived z) ^ 2) + (1 - p P) * dot (x i) (x i).
Proof.
  destruct a5 as (_ & chance). unfold one_draw. rewrite mean_next.
  transitivity (E (selection P) (fun u : bool => (mean hears (fun z => norm (arrived z) ^ 2) - dot (x i) (x i))
    * (if u then 1 else 0) + dot (x i) (x i) * 1)).
  - apply mean_ext. intro u. rewrite mean_next. destruct u.
    + transitivity (mean hears (fun z => norm (arrived z) ^ 2)); [| ring]. cbn [both mean]. apply mean_ext. intro o.
      rewrite mean_next. apply mean_ext. intro C. apply mean_sure.
    + transitivity (E (oracles P h i) (fun _ => dot (x i) (x i))); [| rewrite E_const; ring]. apply mean_ext. intro o.
      rewrite mean_next. transitivity (E (compressor P) (fun _ => dot (x i) (x i))); [| apply E_const].
      apply mean_ext. intro C. rewrite mean_sure. apply norm_square.
  - rewrite (mean_add _ _ (fun u : bool => _ * (if u then 1 else 0))), mean_const, mean_scal, chance. ring.
Qed.

Lemma kept_exact : (forall o, possible (oracles P h i) o -> same o (mean_oracle_of P i (map P s))) ->
  E (one_draw P h i) (fun d => norm (kept d) ^ 2) <= (1 - p P * a) * dot (x i) (x i).
Proof.
  intro exact_i. destruct contracts as (a01 & shrinks), a5 as (p01 & _). rewrite by_participation.
  pose (lost := mean hears (fun z => norm (arrived z) ^ 2)). fold lost.
  assert (Q : lost <= (1 - a) * dot (x i) (x i)).
  { rewrite <- (E_const _ (oracles P h i)). unfold lost. cbn [both mean]. apply E_le. intros o O.
    pose (y := o [-] s [-] v). pose proof (exact_i o O) as e.
    assert (Y : dot y y = dot (x i) (x i)).
    { transitivity (dot ((-1) [*] x i) ((-1) [*] x i)); [| expand; ring]. apply same_square. intro z.
      unfold y, field_of. expand. rewrite (e z). ring. }
    rewrite <- Y, <- norm_square. eapply Rle_trans; [right | exact (shrinks y)]. apply mean_ext. intro C.
    rewrite !norm_square. apply same_square. intro z. unfold kept. cbn [active oracle compress fst snd]. fold y.
    generalize (C y). intro r. unfold y, field_of. expand. rewrite (e z). ring. }
  assert (L0 : 0 <= lost) by (apply mean_pos; intro; apply pow2_ge_0).
  pose proof (sqrt_def _ L0) as D. pose proof (norm_square P (x i)) as X. cbn [pow] in X. rewrite Rmult_1_r in X.
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_biased_error_1 with (C_x_i_x_i := (sqrt lost : vec line))
    (x_i := (norm (x i) : vec line)) (E_e_i_2 := p P * lost + (1 - p P) * dot (x i) (x i)) (a := a) (p := p P)];
    cbn [dot line]; rewrite ?D, ?X; try lra.
  apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra. apply dot_pos.
Qed.
Lemma kept_noisy : forall sigma_i eta, 0 < eta -> 0 <= sigma_i -> let m := mean_oracle_of P i (map P s) in
  is_mean (under (oracles P h i)) (fun o => o) m -> E (oracles P h i) (fun o => norm (o [-] m) ^ 2) <= sigma_i ^ 2 ->
  E (one_draw P h i) (fun d => norm (kept d) ^ 2)
  <= (1 + eta) * (1 - p P * a) * dot (x i) (x i) + p P * ((1 + eta) * (1 - a) + 1 + 1 / eta) * sigma_i ^ 2.
Proof.
  intros sigma_i eta e0 s0 m unbiased small. destruct contracts as (a01 & shrinks), a5 as (p01 & _).
  rewrite by_participation. pose (y := fun o => o [-] s [-] v).
  pose (lost := fun z : vec P * (vec P -> vec P) => snd z (y (fst z)) [-] y (fst z)).
  pose (noise := fun z : vec P * (vec P -> vec P) => fst z [-] m).
  assert (sums : mean hears (fun z => norm (arrived z) ^ 2) = mean hears (fun z => dot (lost z) (lost z))
    + mean hears (fun z => dot (noise z) (noise z)) + 2 * mean hears (fun z => dot (lost z) (noise z))).
  { rewrite <- mean_scal, <- !mean_add. apply mean_ext. intros [o C]. rewrite norm_square.
    transitivity (dot (lost (o, C) [+] noise (o, C)) (lost (o, C) [+] noise (o, C))).
    - apply same_square. intro z. unfold kept, lost, noise. cbn [active oracle compress fst snd]. fold (y o).
      generalize (C (y o)). intro r. unfold y, field_of. fold m. expand. ring.
    - expand. rewrite (dot_sym _ (noise _) (lost _)). ring. }
  assert (N : mean hears (fun z => dot (noise z) (noise z)) = E (oracles P h i) (fun o => norm (o [-] m) ^ 2)).
  { cbn [both mean]. apply mean_ext. intro o. rewrite norm_square.
    apply (E_const _ (compressor P) (dot (o [-] m) (o [-] m))). }
  assert (Q : mean hears (fun z => dot (lost z) (lost z))
    <= (1 - a) * (mean hears (fun z => dot (noise z) (noise z)) + dot (x i) (x i))).
  { apply Rle_trans with (E (oracles P h i) (fun o => (1 - a) * norm (y o) ^ 2)).
    - cbn [both mean]. apply mean_le. intro o. eapply Rle_trans; [right | apply (shrinks (y o))]. apply mean_ext.
      intro C. rewrite norm_square. reflexivity.
    - rewrite (mean_scal _ _ (1 - a)), N. apply Rmult_le_compat_l; [lra |]. right.
      rewrite <- (E_const _ (oracles P h i) (dot (x i) (x i))), <- mean_add.
      transitivity (E (oracles P h i) (fun o => (norm (o [-] m) ^ 2 + dot (x i) (x i)) + -2 * dot o (x i)
        + 2 * dot m (x i) * 1)).
      + apply mean_ext. intro o. rewrite !norm_square. unfold y, field_of. fold m. expand.
        rewrite (dot_sym _ m o), (dot_sym _ s o), (dot_sym _ v o), (dot_sym _ s m), (dot_sym _ v m), (dot_sym _ v s).
        ring.
      + rewrite (mean_add _ _ (fun o => (norm (o [-] m) ^ 2 + _) + -2 * dot o _)),
          (mean_add _ _ (fun o => norm (o [-] m) ^ 2 + _)), mean_const, (mean_scal _ _ (-2)), (unbiased (x i)). ring. }
  assert (young : 0 <= mean hears (fun z => dot (noise z) (noise z)) + mean hears (fun z => dot (lost z) (lost z))
    * eta ^ 2 + -2 * mean hears (fun z => dot (lost z) (noise z)) * eta).
  { apply Rle_trans with (mean hears (fun z => dot (noise z [-] eta [*] lost z) (noise z [-] eta [*] lost z)));
      [apply mean_pos; intro; apply dot_pos | right].
    transitivity (mean hears (fun z => dot (noise z) (noise z) + eta ^ 2 * dot (lost z) (lost z)
      + -2 * eta * dot (lost z) (noise z))).
    - apply mean_ext. intro z. expand. rewrite (dot_sym _ (noise z) (lost z)). ring.
    - rewrite (mean_add _ _ (fun z => dot (noise z) (noise z) + eta ^ 2 * dot (lost z) (lost z))), mean_add,
        !mean_scal. ring. }
  rewrite sums. apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_biased_error_noise_1 with (x_i := x i) (eta := eta) (p := p P) (sigma_i := sigma_i)
    (E_langle_C_x_i_x_i_n_i_rangle := mean hears (fun z => dot (lost z) (noise z)))
    (E_left_C_x_i_x_i_right_2 := mean hears (fun z => dot (lost z) (lost z)))
    (E_left_n_i_right_2 := mean hears (fun z => dot (noise z) (noise z))) (x_1_a := 1 - a)];
    try (apply mean_pos; intro; apply dot_pos); lra.
Qed.
End Agent.

(* All agents together. *)
Variable a : R.
Hypothesis contracts : contraction P a.
Variable t : nat.
Hypothesis reached : possible (path P t) h.
Lemma kept_le : forall c d z,
  (forall i, agent P i -> E (one_draw P h i) (fun d => norm (kept i d) ^ 2) <= c * dot (x i) (x i) + d * z i) ->
  kept_error <= c * G_ef21 P h + d * weighted P z.
Proof.
  intros c d z Q. unfold G_ef21. rewrite <- weighted_linear. unfold kept_error. unfold weighted at 1.
  rewrite mean_sum. apply Rle_trans with (weighted P (fun i => E (one_round P h) (fun w => norm (own i w) ^ 2))).
  - right. apply sum_ext. intro i. apply (mean_scal _ _ (mu P i)).
  - apply weighted_le. intros i I. rewrite norm_square. eapply Rle_trans; [right | exact (Q i I)].
    apply (of_one P h i (fun d => norm (kept i d) ^ 2) I).
Qed.
Lemma kept_error_exact : exact_oracles P -> kept_error <= (1 - p P * a) * G_ef21 P h.
Proof.
  intro exact_all. rewrite <- (Rplus_0_r (_ * G_ef21 P h)), <- (Rmult_0_l (weighted P (fun _ => 0))).
  apply kept_le. intros i I. rewrite Rmult_0_l, Rplus_0_r. apply (kept_exact a contracts).
  intros o O. exact (exact_all t h i o reached I O).
Qed.
Lemma kept_error_noisy : forall sigma eta, noisy_oracles P sigma -> 0 < eta -> kept_error
  <= (1 + eta) * (1 - p P * a) * G_ef21 P h
    + p P * ((1 + eta) * (1 - a) + 1 + 1 / eta) * weighted P (fun i => sigma i ^ 2).
Proof.
  intros sigma eta noisy e0. apply kept_le. intros i I. destruct (noisy t h i reached I) as (s0 & unbiased & small).
  exact (kept_noisy a contracts i (sigma i) eta e0 s0 unbiased small).
Qed.

(* own-biased-error, and own-biased-error-noise of one agent. *)
Theorem biased_error : exact_oracles P -> direction_error <= (1 - p P * a) * G_ef21 P h.
Proof. intro exact_all. eapply Rle_trans; [apply jensen | apply kept_error_exact, exact_all]. Qed.
Theorem biased_error_noise : forall sigma, noisy_oracles P sigma -> forall eta, 0 < eta -> forall i, agent P i ->
  E (one_round P h) (fun w => norm (own i w) ^ 2) <= (1 + eta) * (1 - p P * a) * norm (x i) ^ 2
    + p P * ((1 + eta) * (1 - a) + 1 + 1 / eta) * sigma i ^ 2.
Proof.
  intros sigma noisy eta e0 i I. destruct (noisy t h i reached I) as (s0 & unbiased & small). rewrite norm_square.
  eapply Rle_trans; [right | exact (kept_noisy a contracts i (sigma i) eta e0 s0 unbiased small)].
  apply (of_one P h i (fun d => norm (kept i d) ^ 2) I).
Qed.

(* What is left of the error follows Shat. *)
Hypothesis start : starts_inside P.
Hypothesis projection : nearer P.
Variable L : nat -> R.
Hypothesis a6_i : A6_i P L.
Lemma inside_ef21 : forall k j, possible (path P k) j -> calS P (Shat (ef21 P j)).
Proof.
  intros k j J. destruct k as [| k]; cbn [path] in J; apply possible_next in J; destruct J as (w & A & C).
  - apply possible_sure in C. subst j. destruct w as [u v]. apply (start u v A).
  - apply possible_next in C. destruct C as (d & _ & C). apply possible_sure in C. subst j. apply projection.
Qed.
Lemma follows : forall eta, 0 < eta -> E (one_round P h) (fun w => G_ef21 P (followed h w))
  <= (1 + eta) * kept_error + (1 + 1 / eta) * weighted P (fun i => L i ^ 2) * moved_square.
Proof.
  intros eta e0. unfold kept_error, moved_square. rewrite <- (mean_scal _ _ (1 + eta)), <- (mean_scal _ _ (_ * _)),
    <- mean_add. apply mean_le. intro w.
  apply Rle_trans with (weighted P (fun i => (1 + eta) * norm (own i w) ^ 2
    + (1 + 1 / eta) * norm (s' w [-] s) ^ 2 * L i ^ 2)); [| right; rewrite weighted_linear; ring].
  apply weighted_le. intros i I. destruct (a6_i i I) as (L0 & lip).
  pose (change := field_of P i (s' w) [-] field_of P i s).
  assert (A : dot change change <= norm (s' w [-] s) ^ 2 * L i ^ 2).
  { rewrite <- norm_square, <- Rpow_mult_distr. apply pow_incr. split; [apply norm_pos |]. rewrite Rmult_comm.
    apply lip; [exact (inside_ef21 t h reached) | apply projection]. }
  assert (D : same (V_agent (ef21 P (followed h w)) i [-] field_of P i (s' w)) (own i w [-] change)).
  { intro y. unfold change. generalize (field_of P i (s' w)). intro u. expand. ring. }
  rewrite !norm_square, (same_square _ _ _ D).
  assert (young : dot (own i w [-] change) (own i w [-] change)
    <= (1 + eta) * dot (own i w) (own i w) + (1 + / eta) * dot change change).
  { apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
    eapply as_sum_ge; [| eapply own_biased_variates_3 with (a := scal (-1) change) (b := own i w) (kappa := eta)];
      [| assumption].
    generalize (own i w) change. intros u v. expand. rewrite (dot_sym _ u v). ring. }
  rewrite norm_square in A. pose proof (Rinv_0_lt_compat _ e0).
  apply (Rmult_le_compat_l (1 + / eta)) in A; lra.
Qed.

(* own-biased-variates. *)
Theorem biased_variates : exact_oracles P -> forall eta, 0 < eta -> E (one_round P h) (fun w => G_ef21 P (followed h w))
  <= (1 + eta) * (1 - p P * a) * G_ef21 P h + (1 + 1 / eta) * weighted P (fun i => L i ^ 2) * moved_square.
Proof.
  intros exact_all eta e0. pose proof (follows eta e0). pose proof (kept_error_exact exact_all) as Q.
  apply (Rmult_le_compat_l (1 + eta)) in Q; lra.
Qed.
End Messages.

Definition together := (biased_error, biased_error_noise, biased_variates).
Print Assumptions together.
