(* Propositions 3 and 4 (prop:update_error, prop:varcont-PP2) for n agents, from what the assumptions say about means.

   Assumed: A3 as unbiasedness and variance of the oracles; A4 and A5 through Lemma 1 at what each agent sends, as
   unbiasedness and variance of the messages; that the errors of two agents are uncorrelated (they are independent, as
   amended); A6(i); A7(ii) with A8(ii); and the corollary of Lemma 3, which Proposition2.v proves. *)
From Coq Require Import Reals Lra Lia.
Require Import Prelude AppendixDLemmas Means.
Open Scope R_scope.

Section Agents.
Variable Space : space.
Variable Omega : Type.
Variable E : expectation Omega.

(* Uncorrelated vectors: the square of the sum is the sum of the squares. *)
Lemma pythagoras : forall (mu : nat -> R) (y : nat -> Omega -> vec Space) n,
  (forall i j, (1 <= i <= n)%nat -> (1 <= j <= n)%nat -> i <> j -> mean E (fun w => dot (y i w) (y j w)) = 0) ->
  mean E (fun w => dot (vsum (fun i => scal (mu i) (y i w)) n) (vsum (fun i => scal (mu i) (y i w)) n))
  = sum (fun i => mu i ^ 2 * mean E (fun w => dot (y i w) (y i w))) n.
Proof.
  intros mu y n. induction n as [| n IH]; intro H; cbn [sum vsum].
  - transitivity (mean E (fun _ => 0 * 1)); [apply mean_ext; intro; rewrite dot_zero; ring | apply mean_const].
  - rewrite <- IH by (intros; apply H; lia).
    assert (C : mean E (fun w => sum (fun i => mu i * dot (y i w) (y (S n) w)) n) = 0).
    { rewrite mean_sum. apply sum_zero. intros i I.
      rewrite (mean_scal _ E (mu i) (fun w => dot (y i w) (y (S n) w))), H by lia. ring. }
    rewrite (mean_ext _ E _ (fun w => (dot (vsum (fun i => scal (mu i) (y i w)) n) (vsum (fun i => scal (mu i) (y i
      w)) n)
      + 2 * mu (S n) * sum (fun i => mu i * dot (y i w) (y (S n) w)) n) + mu (S n) ^ 2 * dot (y (S n) w) (y (S n)
          w))).
    + rewrite (mean_add _ E (fun w => dot (vsum (fun i => scal (mu i) (y i w)) n) (vsum (fun i => scal (mu i) (y i
        w)) n)
        + 2 * mu (S n) * sum (fun i => mu i * dot (y i w) (y (S n) w)) n)).
      rewrite (mean_add _ E (fun w => dot (vsum (fun i => scal (mu i) (y i w)) n) (vsum (fun i => scal (mu i) (y i
        w)) n))).
      rewrite (mean_scal _ E (2 * mu (S n)) (fun w => sum (fun i => mu i * dot (y i w) (y (S n) w)) n)), C.
      rewrite (mean_scal _ E (mu (S n) ^ 2)). ring.
    + intro w. rewrite !dot_add, !dot_add_r, !dot_scal, !dot_scal_r.
      rewrite (dot_sym _ (y (S n) w) (vsum _ n)), (dot_vsum _ (y (S n) w)).
      rewrite (sum_ext (fun i => dot (scal (mu i) (y i w)) (y (S n) w)) (fun i => mu i * dot (y i w) (y (S n) w))).
      * ring.
      * intros; apply dot_scal.
Qed.

Variable root : vec Space -> vec Space.
Hypothesis root_zero : forall y, dot (root zero) y = 0.
Hypothesis root_add : forall u v y, dot (root (add u v)) y = dot (root u) y + dot (root v) y.
Hypothesis root_scal : forall c u y, dot (root (scal c u)) y = c * dot (root u) y.
Notation bdot u v := (dot (root u) (root v)).
Lemma root_vsum : forall mu y n v,
  dot (root (vsum (fun i => scal (mu i) (y i)) n)) v = dot (vsum (fun i => scal (mu i) (root (y i))) n) v.
Proof.
  intros mu y n v. induction n as [| n IH]; cbn [vsum].
  - rewrite root_zero, dot_zero. reflexivity.
  - rewrite root_add, root_scal, IH, dot_add, dot_scal. reflexivity.
Qed.

(* x i = V_{t,i} - h_i is past; oracle noise and compression error are random. *)
Variable n : nat.
Variables mu sigma L : nat -> R.
Variable x : nat -> vec Space.
Variables noise sent : nat -> Omega -> vec Space.
Variables omega_p v_min v_max : R.
Hypothesis signs : 0 <= omega_p /\ 0 < v_min /\ 0 < v_max.
Notation agent i := (1 <= i <= n)%nat.
Hypothesis weights : forall i, agent i -> 0 <= mu i /\ 0 <= sigma i /\ 0 <= L i.
Notation delta i w := (add (noise i w) (scal (-1) (x i))).  (* what agent i sends, before compression *)
Notation own i w := (add (noise i w) (sent i w)).
Hypothesis unbiased_noise : forall i, agent i -> mean E (fun w => dot (noise i w) (x i)) = 0.
Hypothesis unbiased_sent : forall i, agent i -> mean E (fun w => dot (sent i w) (delta i w)) = 0.
Hypothesis unbiased_sent_past : forall i, agent i -> mean E (fun w => dot (sent i w) (x i)) = 0.
Hypothesis unbiased_sent_B : forall i, agent i -> mean E (fun w => bdot (noise i w) (sent i w)) = 0.
Hypothesis uncorrelated : forall i j, agent i -> agent j -> i <> j ->
  mean E (fun w => bdot (own i w) (own j w)) = 0.
Hypothesis A3 : forall i, agent i -> mean E (fun w => dot (noise i w) (noise i w)) <= sigma i ^ 2.
Hypothesis lemma_1 : forall i, agent i ->
  mean E (fun w => dot (sent i w) (sent i w)) <= omega_p * mean E (fun w => dot (delta i w) (delta i w)).
Hypothesis A7_upper : forall u, bdot u u <= v_max * dot u u.

Notation error w := (vsum (fun i => scal (mu i) (own i w)) n).  (* H_{t+1} - h *)
Definition G := sum (fun i => mu i ^ 2 * dot (x i) (x i)) n.
Definition spread := sum (fun i => mu i ^ 2 * sigma i ^ 2) n.  (* sigma^2 / n *)
Definition slopes := sum (fun i => mu i ^ 2 * L i ^ 2) n.  (* L^2 / n *)

Lemma moment_delta : forall i, agent i ->
  mean E (fun w => dot (delta i w) (delta i w)) = mean E (fun w => dot (noise i w) (noise i w)) + dot (x i) (x i).
Proof.
  intros i I. transitivity (mean E (fun w => (dot (noise i w) (noise i w) + -2 * dot (noise i w) (x i)) + dot (x i) (x
    i) * 1)).
  - apply mean_ext. intro w. rewrite !dot_add, !dot_add_r, !dot_scal, !dot_scal_r, (dot_sym _ (x i) (noise i w)).
      ring.
  - rewrite (mean_add _ E (fun w => dot (noise i w) (noise i w) + -2 * dot (noise i w) (x i))), (mean_add _ E (fun w
      => dot (noise i w) (noise i w))).
    rewrite (mean_scal _ E (-2)), (unbiased_noise i I), mean_const. ring.
Qed.

Lemma square_pos : forall u : Omega -> vec Space, 0 <= mean E (fun w => dot (u w) (u w)).
Proof. intro u. apply mean_pos. intro. apply dot_pos. Qed.
Lemma upper : forall u : Omega -> vec Space, mean E (fun w => bdot (u w) (u w)) <= v_max * mean E (fun w => dot (u
  w) (u w)).
Proof. intro u. rewrite <- (mean_scal _ E v_max). apply mean_le. intro. apply A7_upper. Qed.

Theorem proposition_3 : mean E (fun w => bdot (error w) (error w)) <= (1 + omega_p) * v_max * spread + omega_p *
  v_max * G.
Proof.
  destruct signs as (S1 & S2 & S3).
  rewrite (mean_ext _ E _ (fun w => dot (vsum (fun i => scal (mu i) (root (own i w))) n) (vsum (fun i => scal (mu i)
    (root (own i w))) n))).
  2: { intro w. rewrite root_vsum, (dot_sym _ (vsum _ n)), root_vsum. reflexivity. }
  rewrite (pythagoras mu (fun i w => root (own i w))) by (intros; apply uncorrelated; assumption).
  unfold spread, G. rewrite <- (sum_linear ((1 + omega_p) * v_max) (omega_p * v_max)).
  apply sum_le. intros i I. destruct (weights i I) as (W1 & W2 & W3).
  apply Rminus_le. apply Ropp_le_cancel. rewrite Ropp_0.
  assert (Q : mean E (fun w => bdot (own i w) (own i w)) = mean E (fun w => bdot (noise i w) (noise i w)) + mean E
    (fun w => bdot (sent i w) (sent i w))).
  { transitivity (mean E (fun w => (bdot (noise i w) (noise i w) + 2 * bdot (noise i w) (sent i w)) + bdot (sent i
      w) (sent i w))).
    - apply mean_ext. intro w. rewrite root_add, !(dot_sym _ _ (root (own i w))), !root_add.
      rewrite (dot_sym _ (root (sent i w)) (root (noise i
        w))). ring.
    - rewrite (mean_add _ E (fun w => bdot (noise i w) (noise i w) + 2 * bdot (noise i w) (sent i w))), (mean_add _
        E (fun w => bdot (noise i w) (noise i w))).
      rewrite (mean_scal _ E 2), (unbiased_sent_B i I). ring. }
  rewrite Q. pose proof (lemma_1 i I) as H1. rewrite (moment_delta i I) in H1. pose proof (A3 i I) as H2.
  pose proof (upper (noise i)) as H3. pose proof (upper (sent i)) as H4.
  eapply as_sum_ge; [| eapply prop3_3 with (x_i := x i) (mu_i := mu i) (omega_p := omega_p) (sigma_i := sigma i)
    (v_max := v_max)
    (E_left_B_t_1_2_n_i_right_2 := mean E (fun w => bdot (noise i w) (noise i w)))
    (E_left_B_t_1_2_q_i_right_2 := mean E (fun w => bdot (sent i w) (sent i w)))
    (E_left_n_i_right_2 := mean E (fun w => dot (noise i w) (noise i w)))
    (E_left_q_i_right_2 := mean E (fun w => dot (sent i w) (sent i w)))]; try assumption; try apply square_pos; try
      lra.
Qed.

(* The next state: h_i moves by change i w, the step is ds w, the control variate moves by alpha times what is sent.
  *)
Variables alpha gamma eta Ebar : R.
Variable ds : Omega -> vec Space.
Variable change : nat -> Omega -> vec Space.
Hypothesis sizes : 0 <= alpha /\ 0 < gamma /\ 0 < eta /\ 0 <= Ebar.
Hypothesis alpha_small : alpha * (1 + omega_p) <= 1.
Hypothesis A6_i : forall i w, agent i -> dot (change i w) (change i w) <= L i ^ 2 * dot (ds w) (ds w).
Hypothesis A7_lower : forall w, v_min * dot (ds w) (ds w) <= bdot (ds w) (ds w).
Hypothesis exchange : forall w, bdot (ds w) (ds w) / gamma ^ 2 <= 2 * Ebar + 2 * bdot (error w) (error w).
Notation received i w := (add (x i) (scal alpha (add (delta i w) (sent i w)))).  (* V_{t+1,i} - h_i *)
Notation next i w := (add (received i w) (scal (-1) (change i w))).

Definition E_next := mean E (fun w => / gamma ^ 2 * bdot (ds w) (ds w)).
Lemma E_next_pos : 0 <= E_next.
Proof.
  apply mean_pos. intro w. destruct sizes as (_ & Z & _). pose proof (dot_pos Space (root (ds w))). nonnegative.
Qed.

Lemma after : forall i, agent i -> mean E (fun w => dot (received i w) (received i w))
  <= (1 - alpha) * dot (x i) (x i) + alpha * sigma i ^ 2
     + alpha * (alpha * (1 + omega_p) - 1) * mean E (fun w => dot (delta i w) (delta i w)).
Proof.
  intros i I. destruct signs as (S1 & S2 & S3), sizes as (Z1 & Z2 & Z3 & Z4), (weights i I) as (W1 & W2 & W3).
  pose (N := fun w => dot (noise i w) (noise i w)). pose (Q := fun w => dot (sent i w) (sent i w)).
  assert (C : mean E (fun w => dot (noise i w) (sent i w)) = 0).
  { transitivity (mean E (fun w => dot (sent i w) (delta i w) + dot (sent i w) (x i))).
    - apply mean_ext. intro w. rewrite dot_add_r, dot_scal_r, (dot_sym _ (sent i w) (noise i w)). ring.
    - rewrite (mean_add _ E (fun w => dot (sent i w) (delta i w))), (unbiased_sent i I).
      rewrite (unbiased_sent_past i I). ring. }
  assert (U : mean E (fun w => dot (received i w) (received i w))
    = (1 - alpha) ^ 2 * dot (x i) (x i) + alpha ^ 2 * mean E N + alpha ^ 2 * mean E Q).
  { transitivity (mean E (fun w => ((((1 - alpha) ^ 2 * dot (x i) (x i) * 1 + alpha ^ 2 * N w) + alpha ^ 2 * Q w)
      + 2 * (1 - alpha) * alpha * dot (noise i w) (x i)) + 2 * (1 - alpha) * alpha * dot (sent i w) (x i)
      + 2 * alpha ^ 2 * dot (noise i w) (sent i w))).
    - apply mean_ext. intro w. unfold N, Q. repeat rewrite ?dot_add, ?dot_add_r, ?dot_scal, ?dot_scal_r.
      rewrite (dot_sym _ (x i) (noise i w)), (dot_sym _ (x i) (sent i w)), (dot_sym _ (sent i w) (noise i w)). ring.
    - rewrite (mean_add _ E (fun w => _ + 2 * (1 - alpha) * alpha * dot (sent i w) (x i))).
      rewrite (mean_add _ E (fun w => _ + 2 * (1 - alpha) * alpha * dot (noise i w) (x i))).
      rewrite (mean_add _ E (fun w => _ + alpha ^ 2 * Q w)), (mean_add _ E (fun w => _ + alpha ^ 2 * N w)).
      rewrite (mean_add _ E (fun w => _ * 1)), mean_const, !mean_scal, C,
        (unbiased_noise i I), (unbiased_sent_past i I). ring. }
  rewrite U, (moment_delta i I). pose proof (lemma_1 i I) as H1. rewrite (moment_delta i I) in H1.
  pose proof (A3 i I) as H2. fold N in H1, H2 |- *. fold Q in H1 |- *.
  apply Rminus_le. apply Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply prop4_2 with (x_i := x i) (E_left_n_i_right_2 := mean E N) (E_left_q_i_right_2 := mean
    E Q)
    (alpha := alpha) (omega_p := omega_p) (sigma_i := sigma i)]; try assumption; try apply square_pos; lra.
Qed.

Lemma drift : forall i, agent i ->
  mean E (fun w => dot (change i w) (change i w)) <= L i ^ 2 / v_min * gamma ^ 2 * E_next.
Proof.
  intros i I. destruct signs as (S1 & S2 & S3), sizes as (Z1 & Z2 & Z3 & Z4), (weights i I) as (W1 & W2 & W3).
  unfold E_next. rewrite <- (mean_scal _ E (L i ^ 2 / v_min * gamma ^ 2)). apply mean_le. intro w.
  apply Rminus_le. apply Ropp_le_cancel. rewrite Ropp_0. pose proof (A6_i i w I). pose proof (A7_lower w).
  eapply as_sum_ge; [| eapply prop4_1 with (B_t_1_2_Delta_hat_S := root (ds w)) (Delta_h_i := change i w)
    (Delta_hat_S := ds w) (L_i := L i) (v_min := v_min)]; try assumption; try lra. field; lra.
Qed.

Lemma one_agent : forall i, agent i -> mu i ^ 2 * mean E (fun w => dot (next i w) (next i w))
  <= (1 + eta) * (1 - alpha) * (mu i ^ 2 * dot (x i) (x i)) + (1 + eta) * alpha * (mu i ^ 2 * sigma i ^ 2)
     + (1 + / eta) * / v_min * gamma ^ 2 * E_next * (mu i ^ 2 * L i ^ 2).
Proof.
  intros i I. destruct signs as (S1 & S2 & S3), sizes as (Z1 & Z2 & Z3 & Z4), (weights i I) as (W1 & W2 & W3).
  assert (Y : mean E (fun w => dot (next i w) (next i w)) <= (1 + eta) * mean E (fun w => dot (received i w)
    (received i w))
    + (1 + / eta) * mean E (fun w => dot (change i w) (change i w))).
  { rewrite <- (mean_scal _ E (1 + eta)), <- (mean_scal _ E (1 + / eta)), <- mean_add. apply mean_le. intro w.
    apply Rminus_le. apply Ropp_le_cancel. rewrite Ropp_0.
    eapply as_sum_ge; [| eapply prop4_young_1 with (a := scal (-1) (change i w)) (b := received i w) (kappa :=
      eta)]; [| assumption].
    rewrite (dot_add _ (received i w) (scal (-1) (change i w))), !(dot_add_r _ _ (received i w) (scal (-1) (change i
      w))).
    rewrite (dot_sym _ (received i w) (scal (-1) (change i w))). rewrite !dot_scal, !dot_scal_r. ring. }
  pose proof (after i I) as A. pose proof (drift i I) as D. pose proof E_next_pos.
  apply Rminus_le. apply Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply prop4_3 with (D := mean E (fun w => dot (change i w) (change i w))) (E_t := E_next)
    (L_i := L i)
    (P := mean E (fun w => dot (delta i w) (delta i w))) (U := mean E (fun w => dot (received i w) (received i w)))
    (W := mean E (fun w => dot (next i w) (next i w))) (alpha := alpha) (eta := eta) (gamma := gamma) (mu_i := mu i)
    (omega_p := omega_p) (sigma_i := sigma i) (v_min := v_min) (x := dot (x i) (x i))];
    try assumption; try apply square_pos; try apply dot_pos; try lra.
Qed.

Theorem proposition_4 : sum (fun i => mu i ^ 2 * mean E (fun w => dot (next i w) (next i w))) n
  <= (1 + eta) * (1 - alpha + 2 * omega_p / eta * (v_max / v_min * slopes) * gamma ^ 2) * G
    + 2 * (1 + eta) / eta * slopes / v_min * gamma ^ 2 * Ebar
    + (1 + eta) * (alpha + 2 * (1 + omega_p) / eta * (v_max / v_min * slopes) * gamma ^ 2) * spread.
Proof.
  destruct signs as (S1 & S2 & S3), sizes as (Z1 & Z2 & Z3 & Z4). pose proof E_next_pos as P.
  assert (A : sum (fun i => mu i ^ 2 * mean E (fun w => dot (next i w) (next i w))) n <= (1 + eta) * (1 - alpha) * G
    + (1 + eta) * alpha * spread + (1 + / eta) * / v_min * gamma ^ 2 * E_next * slopes).
  { unfold G, spread, slopes. rewrite <- sum_linear.
    apply Rle_trans with (sum (fun i => 1 * ((1 + eta) * (1 - alpha) * (mu i ^ 2 * dot (x i) (x i)) + (1 + eta) *
      alpha * (mu i ^ 2 * sigma i ^ 2))
      + (1 + / eta) * / v_min * gamma ^ 2 * E_next * (mu i ^ 2 * L i ^ 2)) n).
    - apply sum_le. intros i I. pose proof (one_agent i I). lra.
    - rewrite sum_linear. lra. }
  assert (X : E_next <= 2 * Ebar + 2 * mean E (fun w => bdot (error w) (error w))).
  { apply mean_ge. intro w. pose proof (exchange w) as Q. unfold Rdiv in Q. lra. }
  assert (SP : 0 <= G /\ 0 <= spread /\ 0 <= slopes).
  { unfold G, spread, slopes. repeat split; apply sum_pos; intros i I; destruct (weights i I);
      [pose proof (dot_pos Space (x i)) | |]; nonnegative. }
  pose proof proposition_3 as V. destruct SP as (SP1 & SP2 & SP3).
  assert (NU : 0 <= mean E (fun w => bdot (error w) (error w))) by (apply (square_pos (fun w => root (error w)))).
  assert (GN : 0 <= sum (fun i => mu i ^ 2 * mean E (fun w => dot (next i w) (next i w))) n).
  { apply sum_pos. intros i I. destruct (weights i I). pose proof (square_pos (fun w => next i w)). nonnegative. }
  apply Rminus_le. apply Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply prop4_4 with (E_t := E_next) (G := G) (Lambda := slopes) (Sigma := spread) (alpha :=
    alpha)
    (bar_E := Ebar) (eta := eta) (gamma := gamma) (nu := mean E (fun w => bdot (error w) (error w))) (omega_p :=
      omega_p)
    (v_max := v_max) (v_min := v_min)
    (G' := sum (fun i => mu i ^ 2 * mean E (fun w => dot (next i w) (next i w))) n)]; try assumption; try lra.
  field; lra.
Qed.
End Agents.

Definition together := (proposition_3, proposition_4).
Print Assumptions together.
