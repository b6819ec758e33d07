(* Beyond Theorem 1, of one round of Algorithm 2: the noise and the control variates in the Euclidean norm. Neither A7
   nor A8 enters, nor what the projection is: only, for the control variates, that it ends in S. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondTheorem Means Identities Propositions34 Laws Algorithm Geometry Draws Round.
Open Scope R_scope.

Section Agents.
Variable P : problem.
Variable sigma : nat -> R.
Variable omega : R.
Hypothesis mus : distribution P.
Hypothesis a3 : A3 P sigma.
Hypothesis a4 : A4 P omega.
Hypothesis a5 : A5 P.
Variable t : nat.
Variable h : past (vec P).
Hypothesis reached : possible (path P t) h.
Notation s := (Shat (after P h)).
Notation s' w := (Shat (after P (followed h w))).
Notation target i := (mean_oracle_of P i (map P s)).
Notation x i := (V_agent (after P h) i [-] field_of P i s).
Notation noise' i w := (noise P (target i) (w i%nat)).
Notation sent' i w := (sent P s (V_agent (after P h) i) (w i%nat)).
Notation delta i w := (noise' i w [+] (-1) [*] x i).
Notation own i w := (noise' i w [+] sent' i w).
Notation error w := (H P (after P h) w [-] field P s).
Notation omega_p := (omega_p P omega).
Notation mean_of x := (E (one_round P h) x).

Lemma weighted : forall i, agent P i -> 0 <= mu P i /\ 0 <= sigma i /\ 0 <= 0.
Proof. intros i I. split; [apply mus; exact I | split; [apply (a3 t h i reached I) | lra]]. Qed.
Lemma noise_free : forall i y, agent P i -> mean_of (fun w => dot (noise' i w) y) = 0.
Proof.
  intros i y I. rewrite (of_one P h i (fun d => dot (noise P (target i) d) y) I).
  apply (noise_mean P h i (target i) (proj1 (proj2 (a3 t h i reached I)))).
Qed.
Lemma sent_free : forall i (y : vec P -> vec P), agent P i -> mean_of (fun w => dot (sent' i w) (y (oracle (w i)))) = 0.
Proof.
  intros i y I. rewrite (of_one P h i (fun d => dot (sent P s (V_agent (after P h) i) d) (y (oracle d))) I).
  apply (sent_mean P h omega a4 a5 i).
Qed.
Lemma apart : forall i, agent P i -> mean_of (fun w => dot (noise' i w) (sent' i w)) = 0.
Proof.
  intros i I. rewrite <- (sent_free i (fun a => a [-] target i) I). apply mean_ext. intro w. apply dot_sym.
Qed.
Lemma uncorrelated : forall i j, agent P i -> agent P j -> i <> j -> mean_of (fun w => dot (own i w) (own j w)) = 0.
Proof.
  intros i j I J D. pose (o := fun k d => noise P (target k) d [+] sent P s (V_agent (after P h) k) d).
  transitivity (mean_of (fun w => dot (o i (w i)) (o j (w j)))); [reflexivity |].
  unfold one_round. rewrite (mean_of_two _ _ _ _ _ _ (fun d e => dot (o i d) (o j e)) I J D).
  transitivity (E (one_draw P h j) (fun _ => 0)); [| apply E_const]. apply mean_ext. intro e.
  apply (own_mean P h omega a4 a5 i s (V_agent (after P h) i) (target i) (proj1 (proj2 (a3 t h i reached I)))).
Qed.
Lemma noise_small : forall i, agent P i -> mean_of (fun w => dot (noise' i w) (noise' i w)) <= sigma i ^ 2.
Proof.
  intros i I. rewrite (of_one P h i (fun d => dot (noise P (target i) d) (noise P (target i) d)) I).
  apply (noise_square P h i (target i) (sigma i) (proj2 (proj2 (a3 t h i reached I)))).
Qed.
Lemma sent_small : forall i, agent P i ->
  mean_of (fun w => dot (sent' i w) (sent' i w)) <= omega_p * mean_of (fun w => dot (delta i w) (delta i w)).
Proof.
  intros i I. pose proof (sent_square P h omega a4 a5 i s (V_agent (after P h) i)) as Q.
  rewrite <- !of_one in Q by exact I. eapply Rle_trans; [exact Q | right; f_equal]. apply mean_ext. intro w.
  apply same_square. intro y. unfold noise, field_of. expand. ring.
Qed.
Lemma G_of_x : Propositions34.G P (n P) (mu P) (fun i => x i) = G P h.
Proof. apply sum_ext. intro i. rewrite norm_square. reflexivity. Qed.

(* own-noise-plain: Proposition 3 in the Euclidean norm. *)
Theorem noise_plain : mean_of (fun w => norm (error w) ^ 2)
  <= (1 + omega_p) * spread (n P) (mu P) sigma + omega_p * G P h.
Proof.
  pose proof (omega_p_pos P omega a4 a5). rewrite <- G_of_x. pose proof (proposition_3 P _ (under (one_round P h))
    (fun u => u) (dot_zero P) (dot_add P) (dot_scal P) (n P) (mu P) sigma (fun _ => 0) (fun i => x i)
    (fun i w => noise' i w) (fun i w => sent' i w) omega_p 1 1 ltac:(repeat split; lra) weighted
    (fun i => noise_free i (x i)) apart uncorrelated noise_small sent_small ltac:(intro; lra)) as Q.
  rewrite !Rmult_1_r in Q. eapply Rle_trans; [right | exact Q]. apply mean_ext. intro w. rewrite norm_square.
  apply same_square, (error_own P mus a5).
Qed.

Section Next.
Variable L : nat -> R.
Hypothesis a6_i : A6_i P L.
Hypothesis inside : calS P s.
Hypothesis next_inside : forall w, calS P (s' w).
Notation received i w := (x i [+] alpha P [*] (delta i w [+] sent' i w)).  (* V_{t+1,i} - h_i(Shat_t) *)
Notation change i w := (field_of P i (s' w) [-] field_of P i s).
Notation moved2 := (mean_of (fun w => norm (s' w [-] s) ^ 2)).

Lemma next_x : forall i w,
  same (V_agent (after P (followed h w)) i [-] field_of P i (s' w)) (minus (received i w) (change i w)).
Proof.
  intros i w y. destruct a5 as (p01 & _). generalize (field_of P i (s' w)) as next_field. intro next_field.
  cbn [after step V_agent]. unfold noise, sent, Draws.received, message, Delta, field_of.
  destruct (active (w i)); expand; field; lra.
Qed.

(* own-variates: Proposition 4 before the projection comes in. *)
Theorem variates : 0 <= alpha P -> alpha P * (1 + omega_p) <= 1 -> forall eta, 0 < eta ->
  mean_of (fun w => G P (followed h w))
  <= (1 + eta) * (1 - alpha P) * G P h + (1 + eta) * alpha P * spread (n P) (mu P) sigma
    + (1 + 1 / eta) * slopes (n P) (mu P) L * moved2.
Proof.
  intros al0 al1 eta eta0. pose proof (omega_p_pos P omega a4 a5) as o. rewrite <- G_of_x.
  apply Rle_trans with (sum (fun i => mu P i ^ 2 * mean_of (fun w =>
    dot (minus (received i w) (change i w)) (minus (received i w) (change i w)))) (n P)).
  { right. unfold G. rewrite mean_sum. apply sum_ext. intro i. rewrite (mean_scal _ _ (mu P i ^ 2)). f_equal.
    apply mean_ext. intro w. rewrite norm_square. apply same_square, next_x. }
  unfold Propositions34.G, spread, slopes.
  apply Rle_trans with (sum (fun i => 1 * ((1 + eta) * (1 - alpha P) * (mu P i ^ 2 * dot (x i) (x i))
      + (1 + eta) * alpha P * (mu P i ^ 2 * sigma i ^ 2))
    + (1 + 1 / eta) * moved2 * (mu P i ^ 2 * L i ^ 2)) (n P)).
  2: { right. rewrite sum_linear, sum_linear. ring. }
  apply sum_le. intros i I. destruct (weighted i I) as (W1 & W2 & _), (a6_i i I) as (L0 & lip).
  pose proof (fun u => square_pos P _ (under (one_round P h)) u) as pos.
  assert (A : mean_of (fun w => dot (received i w) (received i w))
    <= (1 - alpha P) * dot (x i) (x i) + alpha P * sigma i ^ 2
      + alpha P * (alpha P * (1 + omega_p) - 1) * mean_of (fun w => dot (delta i w) (delta i w))).
  { apply (Propositions34.after P _ (under (one_round P h)) (n P) (mu P) sigma (fun _ => 0) (fun i => x i)
      (fun i w => noise' i w) (fun i w => sent' i w) omega_p 1 1) with (gamma := 1) (eta := 1) (Ebar := 0);
      try assumption; try (repeat split; lra).
    - exact weighted.
    - intros k K. apply noise_free, K.
    - intros k K. rewrite <- (sent_free k (fun a => a [-] target k [-] x k) K). reflexivity.
    - intros k K. apply (sent_free k (fun _ => x k) K).
    - exact noise_small.
    - exact sent_small. }
  assert (Y : mean_of (fun w => dot (minus (received i w) (change i w)) (minus (received i w) (change i w)))
    <= (1 + eta) * mean_of (fun w => dot (received i w) (received i w))
      + (1 + / eta) * mean_of (fun w => dot (change i w) (change i w))).
  { rewrite <- (mean_scal _ _ (1 + eta)), <- (mean_scal _ _ (1 + / eta)), <- mean_add. apply mean_le. intro w.
    apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
    eapply as_sum_ge; [| eapply own_variates_3 with (a := scal (-1) (change i w)) (b := received i w)
      (kappa := eta)]; [| assumption].
    generalize (received i w) (change i w). intros u v. expand. rewrite (dot_sym _ u v). ring. }
  assert (D : mean_of (fun w => dot (change i w) (change i w)) <= L i ^ 2 * moved2).
  { rewrite <- (mean_scal _ _ (L i ^ 2)). apply mean_le. intro w. rewrite <- norm_square, <- Rpow_mult_distr.
    apply pow_incr. split; [apply norm_pos | apply lip; [exact inside | apply next_inside]]. }
  assert (M0 : 0 <= moved2) by (apply mean_pos; intro; apply pow2_ge_0).
  pose proof (dot_pos P (x i)).
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_variates_2 with (D := mean_of (fun w => dot (change i w) (change i w)))
    (Delta := moved2) (L_i := L i) (P := mean_of (fun w => dot (delta i w) (delta i w)))
    (U := mean_of (fun w => dot (received i w) (received i w)))
    (W := mean_of (fun w => dot (minus (received i w) (change i w)) (minus (received i w) (change i w))))
    (alpha := alpha P) (eta := eta) (mu_i := mu P i) (omega_p := omega_p) (sigma_i := sigma i)
    (x := dot (x i) (x i))]; try apply pos; try assumption; lra.
Qed.
End Next.
End Agents.

Definition together := (noise_plain, variates).
Print Assumptions together.
