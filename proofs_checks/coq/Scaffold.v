(* SCAFFOLD (Karimireddy et al. 2020), option II, from the algorithm to its rate, in any real inner-product space: K
   local steps with noisy gradients, m of n clients drawn, each of them and each two equally likely. The c of the server
   is the mean of the c_i; the law of what a client sees of its gradient depends on the client and the point alone. *)
From Coq Require Import Reals Lra Lia.
Require Import Prelude BeyondMessages Means Identities Laws Algorithm Geometry FromAlgorithm Convex LocalSteps Sampling.
Open Scope R_scope.

Record state (V : Type) := { x : V; c : nat -> V }.
Arguments x {_}. Arguments c {_}.

Section Scaffold.
Variable Space : space.
Notation V := (vec Space).
Variables n m K : nat.
Variable f : nat -> V -> R.
Variable grad : nat -> V -> V.
Variable oracle : nat -> V -> law V.  (* what client i sees of its gradient at a point *)
Variable choice : law (nat -> bool).  (* which of the clients 1, ..., n are active *)
Variable initial : law (state V).
Variables eta eta_g L mu b : R.
Variable sigma2 : nat -> R.
Variable x_star : V.
Definition mean_over (y : nat -> R) := / INR n * sum y n.
Definition server (s : state V) := / INR n [*] vsum (c s) n.
(* y_j of client i. *)
Notation local s i := (local_steps (oracle i) eta (x s) (server s [-] c s i)).
(* y i is the last of client i, A are the active ones. *)
Definition step (s : state V) (y : nat -> V) (A : nat -> bool) := {|
  x := x s [+] (eta_g / INR m) [*] vsum (fun i => if A i then y i [-] x s else zero) n;
  c := fun i => if A i then c s i [-] server s [+] / (eta * INR K) [*] (x s [-] y i) else c s i |}.
Definition one_round s :=
  next (independent n (fun i => local s i K) zero) (fun y => next choice (fun A => sure (step s y A))).
Fixpoint run T := match T with O => initial | S T => next (run T) one_round end.

Definition f_mean y := mean_over (fun i => f i y).
Definition sigma2_mean := mean_over sigma2.
Definition G (s : state V) := mean_over (fun i => norm (c s i [-] grad i x_star) ^ 2).
Definition u := eta * INR K * L.
Definition v := eta_g * u.
Notation p := (p n m).
Notation nu := (nu n m).
Definition chi := sum (fun l => / INR l) (pred K) / (2 * INR K).
Definition drift := (1 - 1 / INR K) * u ^ 2.
Definition cost := drift + nu * v.  (* A *)
Definition Psi s := norm (x s [-] x_star) ^ 2 + b * v / L ^ 2 * G s.

Hypothesis counts : (1 <= m <= n)%nat /\ (1 <= K)%nat.
Hypothesis steps : 0 < eta /\ 0 < eta_g.
Hypothesis L_positive : 0 < L.
Hypothesis mu_positive : 0 < mu.
Hypothesis b_positive : 0 < b.
Hypothesis short : cost + v + p * b <= 1.
Hypothesis f_convex : forall i, convex (f i) (grad i).
Hypothesis f_smooth : forall i, smooth (f i) (grad i) L.
Hypothesis growth : forall y, mu / 2 * norm (y [-] x_star) ^ 2 <= f_mean y - f_mean x_star.
Hypothesis unbiased : forall i y, is_mean (under (oracle i y)) (fun a => a) (grad i y).
Hypothesis noise : forall i y, E (oracle i y) (fun a => norm (a [-] grad i y) ^ 2) <= sigma2 i.
Hypothesis one_drawn : forall i, (1 <= i <= n)%nat -> E choice (fun A => if A i then 1 else 0) = INR m / INR n.
Hypothesis two_drawn : forall i j, (1 <= i <= n)%nat -> (1 <= j <= n)%nat -> i <> j ->
  E choice (fun A => if A i then if A j then 1 else 0 else 0) = INR m * (INR m - 1) / (INR n * (INR n - 1)).

Lemma sizes : 1 <= INR m <= INR n /\ 1 <= INR K.
Proof.
  destruct counts as ((m1 & mn) & k1). apply le_INR in m1, mn, k1. cbn [INR] in m1, k1. lra.
Qed.
Lemma sigma2_positive : forall i, 0 <= sigma2 i.
Proof.
  intro i. eapply Rle_trans; [| apply (noise i x_star)]. apply mean_pos. intro. apply pow2_ge_0.
Qed.

(* The gradients at x_star add up to zero. *)
Lemma balanced : forall y, sum (fun i => dot (grad i x_star) y) n = 0.
Proof.
  destruct sizes as (mn & _). assert (n0 : 0 < INR n) by lra.
  set (s := fun y => sum (fun i => dot (grad i x_star) y) n).
  assert (half : forall y, 0 <= s y).
  { intro y. apply limit_zero with (b := INR n * L / 2 * norm y ^ 2). intros l l0 _.
    pose proof (growth (x_star [+] l [*] y)) as low.
    pose proof (pow2_ge_0 (norm ((x_star [+] l [*] y) [-] x_star))) as Q.
    apply (Rmult_le_compat_l (mu / 2)) in Q; [| lra].
    assert (up : sum (fun i => f i (x_star [+] l [*] y)) n <= sum (fun i => f i x_star) n
      + l * (s y + l * (INR n * L / 2 * norm y ^ 2))).
    { apply Rle_trans with (sum (fun i =>
          1 * f i x_star + 1 * (l * dot (grad i x_star) y + l ^ 2 * L / 2 * norm y ^ 2 * 1)) n).
      - apply sum_le. intros i _. pose proof (f_smooth i (x_star [+] l [*] y) x_star) as M. rewrite norm_square in *.
        eapply Rle_trans; [exact M | right]. products. field.
      - right. rewrite sum_linear, (sum_linear l _ (fun i => dot (grad i x_star) y) (fun _ => 1)), sum_one.
        unfold s. field. }
    unfold f_mean, mean_over in low. rewrite <- Rmult_minus_distr_l in low.
    assert (pos : 0 <= sum (fun i => f i (x_star [+] l [*] y)) n - sum (fun i => f i x_star) n).
    { apply Rmult_le_reg_l with (/ INR n); [apply Rinv_0_lt_compat, n0 | lra]. }
    apply Rmult_le_reg_l with l; lra. }
  intro y. apply Rle_antisym; [| apply half]. pose proof (half ((-1) [*] y)) as Q.
  assert (Z : s ((-1) [*] y) = -1 * s y) by (unfold s; rewrite <- sum_scal; apply sum_ext; intro; apply dot_scal_r).
  unfold s in *. lra.
Qed.

Lemma drift_positive : 0 <= drift.
Proof.
  destruct sizes as (_ & k1). apply Rmult_le_pos; [| apply pow2_ge_0]. unfold Rdiv. rewrite Rmult_1_l.
  pose proof (Rinv_le_contravar 1 (INR K)). rewrite Rinv_1 in *. lra.
Qed.
Lemma nu_positive : 0 <= nu.
Proof.
  destruct sizes as ((m1 & mn) & _). apply Rmult_le_pos; [lra |]. destruct (Req_dec (INR n) 1) as [one | more].
  - rewrite one, Rminus_diag_eq, Rmult_0_r, Rinv_0 by reflexivity. lra.
  - apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; lra.
Qed.

Section Round.
Variable s : state V.
Notation d := (x s [-] x_star).
Notation g i := (grad i x_star).
Notation z i := (c s i [-] g i).
Notation shift i := (server s [-] c s i).
Notation e i y := (grad i y [-] g i).

(* One client. *)
Notation far i := (far Space (grad i) (oracle i) eta (sigma2 i) (unbiased i) (noise i) (x s) (shift i)).
Notation moved i := (moved Space (grad i) (oracle i) eta (unbiased i) (x s) (shift i)).
(* Where a client asks for a gradient, at a step drawn uniformly; and c_i^+ of an active client less its
   gradient at x_star. *)
Definition visit i := next (uniform (pred K)) (fun l => local s i (pred l)).
Definition bar i (y : V) := c s i [-] server s [+] / (eta * INR K) [*] (x s [-] y) [-] g i.
Notation P i := (E (visit i) (fun y => norm (e i y) ^ 2)).
Notation far_off i := (E (visit i) (fun y => norm (y [-] x s) ^ 2)).
Lemma mean_visit : forall i F, sum (fun l => E (local s i (pred l)) F) K = INR K * E (visit i) F.
Proof.
  intros i F. destruct sizes as (_ & k1). unfold visit. rewrite mean_next, mean_uniform.
  replace (S (pred K)) with K by (destruct counts; lia). field. lra.
Qed.
Lemma bar_mean : forall i w, E (local s i K) (fun y => dot (bar i y) w) = E (visit i) (fun y => dot (e i y) w).
Proof.
  intros i w. destruct sizes as (_ & k1), steps as (eta0 & _).
  transitivity (E (local s i K) (fun y =>
    - / (eta * INR K) * dot (y [-] x s) w + dot (c s i [-] server s [-] g i) w * 1)).
  - apply mean_ext. intro y. unfold bar. products. ring.
  - rewrite mean_add, !mean_scal, mean_one, (moved i), mean_visit.
    transitivity (E (visit i) (fun y => dot (grad i y [+] shift i) w + dot (c s i [-] server s [-] g i) w * 1)).
    + rewrite mean_add, mean_scal, mean_one. field. lra.
    + apply mean_ext. intro y. products. ring.
Qed.
Lemma bar_square : forall i, E (local s i K) (fun y => norm (bar i y) ^ 2) <= P i + sigma2 i.
Proof.
  intro i. destruct sizes as (_ & k1), steps as (eta0 & _). pose proof (far i (shift i [+] g i) K) as Q.
  assert (q0 : 0 < (eta * INR K) ^ 2) by (apply pow_lt, Rmult_lt_0_compat; lra).
  apply Rmult_le_reg_l with ((eta * INR K) ^ 2); [exact q0 |]. rewrite <- mean_scal.
  eapply Rle_trans; [right | eapply Rle_trans; [exact Q |]].
  - apply mean_ext. intro y. rewrite !norm_square. unfold bar. products. field. lra.
  - rewrite (sum_ext _ (fun l => 1 * E (local s i (pred l)) (fun y => norm (e i y) ^ 2) + sigma2 i * / INR l)).
    + rewrite sum_linear, mean_visit. pose proof (harmonic K) as H. apply (Rmult_le_compat_l (sigma2 i)) in H;
        [| apply sigma2_positive].
      apply (Rmult_le_compat_l (INR K * eta ^ 2)) in H; [| apply Rmult_le_pos; [lra | apply pow2_ge_0]].
      eapply Rle_trans; [| right; symmetry; apply Rmult_plus_distr_l]. lra.
    + intro l. unfold Rdiv. f_equal. rewrite Rmult_1_l. apply mean_ext. intro y. rewrite !norm_square.
      products. ring.
Qed.

Lemma drifts : forall i, far_off i <= drift / L ^ 2
  * (E (visit i) (fun y => norm (grad i y [+] shift i) ^ 2) / 2 + chi * sigma2 i).
Proof.
  intro i. destruct sizes as (_ & k1), steps as (eta0 & _), counts as (_ & kn).
  pose (term l := E (local s i (pred l)) (fun y => norm (grad i y [+] shift i) ^ 2) + sigma2 i / INR l).
  assert (pos : forall l, 0 <= term l).
  { intro l. apply Rplus_le_le_0_compat; [apply mean_pos; intro; apply pow2_ge_0 |].
    destruct l as [| l]; [unfold Rdiv; cbn [INR]; rewrite Rinv_0; lra |].
    apply Rmult_le_pos; [apply sigma2_positive | apply Rlt_le, Rinv_0_lt_compat, lt_0_INR; lia]. }
  assert (each : forall j, E (local s i j) (fun y => norm (y [-] x s) ^ 2) <= INR j * eta ^ 2 * sum term j).
  { intro j. eapply Rle_trans; [right | eapply Rle_trans; [apply (far i zero j) | right]].
    - apply mean_ext. intro y. rewrite !norm_square. products. ring.
    - f_equal. apply sum_ext. intro l. unfold term. f_equal. apply mean_ext. intro y. rewrite !norm_square.
      products. ring. }
  assert (last : sum term (pred K) <= INR K * (E (visit i) (fun y => norm (grad i y [+] shift i) ^ 2)
    + 2 * chi * sigma2 i)).
  { unfold term, Rdiv. rewrite (sum_ext _ (fun l =>
      1 * E (local s i (pred l)) (fun y => norm (grad i y [+] shift i) ^ 2)
      + sigma2 i * / INR l)) by (intro; ring). rewrite sum_linear, Rmult_plus_distr_l, <- mean_visit, Rmult_1_l.
    apply Rplus_le_compat; [| right; unfold chi; field; lra].
    apply (sum_longer (fun l => E (local s i (pred l)) (fun y => norm (grad i y [+] shift i) ^ 2))); [lia |].
    intro l. apply mean_pos. intro. apply pow2_ge_0. }
  apply Rmult_le_reg_l with (INR K); [lra |]. rewrite <- mean_visit.
  apply Rle_trans with (sum (fun l => eta ^ 2 * sum term (pred K) * INR (pred l)) K).
  - apply sum_le. intros l I. eapply Rle_trans; [apply each |].
    pose proof (sum_longer term (pred l) (pred K) ltac:(lia) pos) as Q.
    apply (Rmult_le_compat_l (INR (pred l) * eta ^ 2)) in Q; [lra |].
    apply Rmult_le_pos; [apply pos_INR | apply pow2_ge_0].
  - rewrite sum_scal, triangle. apply (Rmult_le_compat_l (eta ^ 2 * (INR K * (INR K - 1) / 2))) in last.
    + eapply Rle_trans; [| eapply Rle_trans; [exact last |]]; [right; ring |]. right. unfold drift, u. field. lra.
    + apply Rmult_le_pos; [apply pow2_ge_0 |]. apply Rmult_le_pos; [| lra]. apply Rmult_le_pos; lra.
Qed.
Lemma slope : forall i, f i (x s) - f i x_star - dot (g i) d + P i / (2 * L) - L / 2 * far_off i
  <= E (local s i K) (fun y => dot (bar i y) d).
Proof.
  intro i. rewrite bar_mean. apply Rle_trans with (E (visit i) (fun y => (f i (x s) - f i x_star - dot (g i) d) * 1
    + (/ (2 * L) * norm (e i y) ^ 2 + - (L / 2) * norm (y [-] x s) ^ 2))).
  - rewrite !mean_add, !mean_scal, mean_one. right. field. lra.
  - apply mean_le. intro y. pose proof (f_smooth i (x s) y) as A.
    pose proof (above_tangent (f i) (grad i) L L_positive (f_convex i) (f_smooth i) x_star y) as B.
    rewrite !norm_square in *.
    assert (Q : dot (g i [-] grad i y) (g i [-] grad i y) = dot (e i y) (e i y)) by (products; ring).
    assert (Q' : dot (x s [-] y) (x s [-] y) = dot (y [-] x s) (y [-] x s)) by (products; ring).
    assert (Q'' : dot (grad i y) (x s [-] y) - dot (grad i y) (x_star [-] y) = dot (e i y) d + dot (g i) d)
      by (products; ring).
    rewrite Q in B. rewrite Q' in A. lra.
Qed.

(* Over all clients. *)
Notation all := (independent n (fun i => local s i K) zero).
Notation P_mean := (mean_over (fun i => P i)).
Lemma mean_over_le : forall y y', (forall i, y i <= y' i) -> mean_over y <= mean_over y'.
Proof.
  intros y y' H. destruct sizes as (mn & _). apply Rmult_le_compat_l; [apply Rlt_le, Rinv_0_lt_compat; lra |].
  apply sum_le. intros i _. apply H.
Qed.
Lemma mean_over_linear : forall a y a' y', mean_over (fun i => a * y i + a' * y' i)
  = a * mean_over y + a' * mean_over y'.
Proof. intros. unfold mean_over. rewrite sum_linear. ring. Qed.
Lemma mean_over_all : forall y : nat -> V -> R, E all (fun w => mean_over (fun i => y i (w i)))
  = mean_over (fun i => E (local s i K) (y i)).
Proof.
  intro y. unfold mean_over. rewrite mean_scal, mean_sum. f_equal. apply sum_ext_in. intros i I.
  apply (mean_of_one _ n (fun i => local s i K) zero i (y i) I).
Qed.
Lemma mean_over_const : forall a, mean_over (fun _ => a) = a.
Proof.
  intro a. destruct sizes as (mn & _). unfold mean_over. rewrite (sum_ext _ (fun _ => a * 1)) by (intro; ring).
  rewrite sum_scal, sum_one. field. lra.
Qed.
Lemma centre : forall w, mean_over (fun i => dot (z i) w) = dot (server s) w.
Proof.
  intro w. unfold mean_over, server. rewrite dot_scal, dot_vsum. f_equal.
  rewrite (sum_ext _ (fun i => 1 * dot (c s i) w + -1 * dot (g i) w)) by (intro; products; ring).
  rewrite sum_linear, balanced. ring.
Qed.
Lemma drift_mean : mean_over (fun i => far_off i) <= drift / L ^ 2 * (P_mean + G s + chi * sigma2_mean).
Proof.
  assert (k0 : 0 <= drift / L ^ 2).
  { apply Rmult_le_pos; [exact drift_positive | apply Rlt_le, Rinv_0_lt_compat, pow_lt, L_positive]. }
  pose (r i := norm (z i [-] server s) ^ 2).
  assert (R_G : mean_over r <= G s).
  { assert (Q : mean_over r = mean_over (fun i => 1 * (1 * norm (z i) ^ 2 + -2 * dot (z i) (server s))
      + dot (server s) (server s) * 1)).
    { unfold mean_over, r. f_equal. apply sum_ext. intro i. rewrite !norm_square. products. ring. }
    rewrite Q, !mean_over_linear, mean_over_const, centre. unfold G. pose proof (dot_pos _ (server s)). lra. }
  apply Rle_trans with (drift / L ^ 2 * (1 * mean_over (fun i => 1 * P i + 1 * r i) + chi * sigma2_mean)).
  - unfold sigma2_mean. rewrite <- (mean_over_linear 1), <- (Rplus_0_r (_ * mean_over _)).
    eapply Rle_trans; [apply (mean_over_le _ (fun i =>
      drift / L ^ 2 * (1 * (1 * P i + 1 * r i) + chi * sigma2 i) + 0 * 0)) |].
    + intro i. eapply Rle_trans; [apply drifts |]. rewrite Rmult_0_l, Rplus_0_r. apply Rmult_le_compat_l; [exact k0 |].
      apply Rplus_le_compat_r. apply Rle_trans with (E (visit i) (fun y => 1 * norm (e i y) ^ 2 + r i * 1)).
      * unfold Rdiv. rewrite Rmult_comm, <- mean_scal. apply mean_le. intro y. unfold r. rewrite !norm_square.
        pose proof (dot_pos _ (e i y [+] (z i [-] server s))) as Q.
        apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
        apply (as_sum_ge _ (/ 2 * dot (e i y [+] (z i [-] server s)) (e i y [+] (z i [-] server s))));
          [products; field | lra].
      * rewrite mean_add, !mean_scal, mean_one. lra.
    + rewrite mean_over_linear. lra.
  - apply Rmult_le_compat_l; [exact k0 |]. rewrite mean_over_linear. lra.
Qed.
Lemma slope_mean : f_mean (x s) - f_mean x_star + P_mean / (2 * L) - L / 2 * mean_over (fun i => far_off i)
  <= E all (fun y => mean_over (fun i => dot (bar i (y i)) d)).
Proof.
  rewrite (mean_over_all (fun i y => dot (bar i y) d)). eapply Rle_trans; [| apply mean_over_le; exact slope].
  unfold f_mean. right. pose proof (balanced d) as Z.
  transitivity (mean_over (fun i => 1 * (1 * (1 * f i (x s) + -1 * f i x_star)
    + -1 * dot (g i) d) + 1 * (/ (2 * L) * P i + - (L / 2) * far_off i))).
  - rewrite !mean_over_linear. unfold mean_over at 7. rewrite Z. field. destruct sizes. lra.
  - unfold mean_over. f_equal. apply sum_ext. intro i. field. lra.
Qed.
Lemma bars : E all (fun y => mean_over (fun i => norm (bar i (y i)) ^ 2)) <= P_mean + sigma2_mean.
Proof.
  rewrite (mean_over_all (fun i y => norm (bar i y) ^ 2)). eapply Rle_trans; [apply mean_over_le; exact bar_square |].
  right. unfold sigma2_mean. rewrite <- (Rmult_1_l P_mean), <- (Rmult_1_l (mean_over sigma2)), <- mean_over_linear.
  unfold mean_over. f_equal. apply sum_ext. intro i. ring.
Qed.

Notation M i := (vmean (local s i K) (bar i)).
Lemma mean_square : forall i, norm (M i) ^ 2 <= P i.
Proof.
  intro i. pose proof (vmean_is_mean _ _ (local s i K) (bar i) (M i)) as B. cbv beta in B. rewrite bar_mean in B.
  assert (Q : 0 <= E (visit i) (fun y => norm (e i y [-] M i) ^ 2)) by (apply mean_pos; intro; apply pow2_ge_0).
  assert (R : E (visit i) (fun y => norm (e i y [-] M i) ^ 2) = P i + (-2 * E (visit i) (fun y => dot (e i y) (M i))
    + norm (M i) ^ 2 * E (visit i) (fun _ => 1))).
  { rewrite <- !mean_scal, <- !mean_add. apply mean_ext. intro y. rewrite !norm_square. products. ring. }
  rewrite R, B, mean_one, norm_square in Q. rewrite norm_square. lra.
Qed.
Lemma server_square : E all (fun y => norm (/ INR n [*] vsum (fun i => bar i (y i)) n) ^ 2)
  <= P_mean + sigma2_mean / INR n.
Proof.
  destruct sizes as ((m1 & mn) & _). assert (n0 : 0 < INR n) by lra.
  assert (total : E all (fun y => norm (vsum (fun i => bar i (y i)) n) ^ 2)
    <= INR n * (P_mean + sigma2_mean) + (INR n - 1) * (INR n * P_mean)).
  { rewrite (sum_square Space (fun i => local s i K) zero bar).
    rewrite (sum_ext _ (fun i => 1 * E (local s i K) (fun y => norm (bar i y) ^ 2)
      + -1 * norm (M i) ^ 2)) by (intro; ring). rewrite sum_linear.
    assert (A : sum (fun i => E (local s i K) (fun y => norm (bar i y) ^ 2)) n <= INR n * (P_mean + sigma2_mean)).
    { pose proof (mean_over_le _ _ bar_square) as Q. unfold sigma2_mean, mean_over in *.
      apply (Rmult_le_compat_l (INR n)) in Q; [| lra]. rewrite (sum_ext (fun i => P i + sigma2 i)
        (fun i => 1 * P i + 1 * sigma2 i)), sum_linear in Q by (intro; ring).
      rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l in Q by lra. lra. }
    assert (C : norm (vsum (fun i => M i) n) ^ 2 <= INR n * sum (fun i => norm (M i) ^ 2) n).
    { pose proof (spread Space (fun i => M i) (/ INR n [*] vsum (fun i => M i) n) n) as Q.
      pose proof (sum_pos (fun i => norm (M i [-] / INR n [*] vsum (fun i => M i) n) ^ 2) n) as Q'.
      rewrite <- Q, !norm_square, !dot_scal, !dot_scal_r in Q'. specialize (Q' ltac:(intros; apply pow2_ge_0)).
      rewrite norm_square. apply (Rmult_le_compat_l (INR n)) in Q'; [| lra]. rewrite Rmult_0_r in Q'.
      eapply Rminus_le, Ropp_le_cancel. rewrite Ropp_0. eapply as_sum_ge; [| exact Q']. field. lra. }
    assert (D : sum (fun i => norm (M i) ^ 2) n <= INR n * P_mean).
    { unfold mean_over. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. apply sum_le. intros i _. apply mean_square. }
    apply (Rmult_le_compat_l (INR n - 1)) in D; [| lra]. lra. }
  apply Rle_trans with (/ INR n ^ 2 * E all (fun y => norm (vsum (fun i => bar i (y i)) n) ^ 2)).
  - right. rewrite <- mean_scal. apply mean_ext. intro y. rewrite !norm_square. products. field. lra.
  - apply (Rmult_le_compat_l (/ INR n ^ 2)) in total; [| apply Rlt_le, Rinv_0_lt_compat, pow_lt, n0].
    eapply Rle_trans; [exact total | right]. field. lra.
Qed.

(* The round, for given local steps: E over the draw. *)
Notation tau := (v / L).
Lemma distance_drawn : forall y : nat -> V, E choice (fun A => norm (x (step s y A) [-] x_star) ^ 2)
  <= norm d ^ 2 - 2 * tau * mean_over (fun i => dot (bar i (y i)) d)
    + tau ^ 2 * norm (/ INR n [*] vsum (fun i => bar i (y i)) n) ^ 2
    + nu * tau ^ 2 * (mean_over (fun i => norm (bar i (y i)) ^ 2) + G s).
Proof.
  intro y. destruct sizes as ((m1 & mn) & k1), steps as (eta0 & eta_g0). assert (n0 : 0 < INR n) by lra.
  pose (w i := y i [-] x s). pose (r i := bar i (y i)). pose (h := eta * INR K). assert (h0 : 0 < h)
    by (apply Rmult_lt_0_compat; lra).
  assert (tau_is : tau = eta_g * h) by (unfold v, u, h; field; lra).
  assert (w_r : forall i, same (w i) ((- h) [*] (r i [-] z i [+] server s))).
  { intros i a. unfold w, r, bar, h. products. field. lra. }
  assert (total : same (/ INR n [*] vsum w n) ((- h) [*] (/ INR n [*] vsum r n))).
  { intro a. pose proof (centre a) as C. unfold mean_over in C. rewrite !dot_scal, !dot_vsum.
    rewrite (sum_ext _ (fun i => (- h) * (1 * dot (r i) a + -1 * dot (z i) a) + (- h) * dot (server s) a * 1)).
    - rewrite sum_linear, sum_linear, sum_one. apply (Rmult_eq_compat_l (INR n)) in C.
      rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l in C by lra. rewrite C. field. lra.
    - intro i. rewrite (w_r i a). products. ring. }
  assert (apart : sum (fun i => norm (w i) ^ 2) n - norm (vsum w n) ^ 2 / INR n
    <= h ^ 2 * (2 * (INR n * (mean_over (fun i => norm (r i) ^ 2) + G s)))).
  { eapply Rle_trans; [apply (less_mean Space w ((- h) [*] server s) n); destruct counts; lia |].
    apply Rle_trans with (sum (fun i => h ^ 2 * (2 * (1 * norm (r i) ^ 2 + 1 * norm (z i) ^ 2))) n).
    - apply sum_le. intros i _.
      assert (S : same (w i [-] (- h) [*] server s) ((- h) [*] (r i [-] z i))).
      { intro a. pose proof (w_r i a) as Q. unfold minus in *. rewrite !dot_add, !dot_scal in *. rewrite Q.
        rewrite ?dot_add, ?dot_scal. ring. }
      rewrite !norm_square, (same_square _ _ _ S). pose proof (dot_pos _ (r i [+] z i)) as Q.
      apply (Rmult_le_compat_l (h ^ 2)) in Q; [| apply pow2_ge_0].
      apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
      apply (as_sum_ge _ (h ^ 2 * dot (r i [+] z i) (r i [+] z i))); [products; ring | lra].
    - rewrite sum_scal, sum_scal, sum_linear. unfold G, mean_over. right. field. lra. }
  assert (nu0 : 0 <= nu / 2 * / INR n).
  { apply Rmult_le_pos; [| apply Rlt_le, Rinv_0_lt_compat, n0]. apply Rmult_le_pos; [| lra]. apply nu_positive. }
  pose proof (variance Space n m choice (proj1 sizes) one_drawn two_drawn w) as V.
  pose proof (drawn Space n m choice one_drawn w d) as D.
  apply Rle_trans with (E choice (fun A => norm d ^ 2 * 1 + (2 * (eta_g / INR m) * dot (vsum (fun i => pick A w i) n) d
    + (eta_g * / INR m) ^ 2 * norm (vsum (fun i => pick A w i) n) ^ 2))).
  - right. apply mean_ext. intro A. rewrite !norm_square. cbn [step x].
    change (vsum (fun i => if A i then y i [-] x s else zero) n) with (vsum (fun i => pick A w i) n).
    generalize (vsum (fun i => pick A w i) n).
    intro a. products. field. lra.
  - rewrite !mean_add, !mean_scal, mean_one, D, Rpow_mult_distr, (Rmult_assoc (eta_g ^ 2)), V.
    assert (D' : p * dot (vsum w n) d = - INR m * (h * mean_over (fun i => dot (r i) d))).
    { pose proof (total d) as T. rewrite !dot_scal, (dot_vsum r) in T. unfold p, mean_over.
      replace (INR m / INR n * dot (vsum w n) d) with (INR m * (/ INR n * dot (vsum w n) d)) by (field; lra).
      rewrite T. ring. }
    assert (N : norm (/ INR n [*] vsum w n) ^ 2 = h ^ 2 * norm (/ INR n [*] vsum r n) ^ 2).
    { rewrite !norm_square, (same_square _ _ _ total), dot_scal, dot_scal_r. ring. }
    rewrite D', N, tau_is. apply (Rmult_le_compat_l (nu / 2 * / INR n)) in apart; [| exact nu0].
    apply (Rmult_le_compat_l (eta_g ^ 2)) in apart; [| apply pow2_ge_0].
    eapply Rle_trans; [apply Rplus_le_compat_l, Rplus_le_compat_l; rewrite Rmult_plus_distr_l;
      apply Rplus_le_compat_l; exact apart |]. unfold r. right. field. lra.
Qed.
Lemma held_drawn : forall y : nat -> V, E choice (fun A => G (step s y A))
  = p * mean_over (fun i => norm (bar i (y i)) ^ 2) + (1 - p) * G s.
Proof.
  intro y. unfold G. rewrite <- mean_over_linear. unfold mean_over. rewrite mean_scal, mean_sum. f_equal.
  apply sum_ext_in. intros i I. transitivity (E choice (fun A => norm (z i) ^ 2 * 1
    + (norm (bar i (y i)) ^ 2 - norm (z i) ^ 2) * (if A i then 1 else 0))).
  - apply mean_ext. intro A. cbn [step c]. unfold bar. destruct (A i); ring.
  - rewrite mean_add, !mean_scal, mean_one, one_drawn by exact I. unfold p. ring.
Qed.

(* own-scaffold-rate, one round. *)
Notation level := (v / L ^ 2 * (v / INR n + nu * v + p * b + chi * drift)).
Theorem scaffold_round : E (one_round s) Psi <= (1 - v * mu / L) * norm d ^ 2
  + (1 - p + cost / b) * (b * v / L ^ 2 * G s) + level * sigma2_mean.
Proof.
  destruct sizes as ((m1 & mn) & k1), steps as (eta0 & eta_g0). assert (n0 : 0 < INR n) by lra.
  assert (v0 : 0 < v) by (repeat apply Rmult_lt_0_compat; lra).
  assert (u0 : 0 < u) by (repeat apply Rmult_lt_0_compat; lra).
  assert (pos : forall y, (forall i, 0 <= y i) -> 0 <= mean_over y).
  { intros y Y. rewrite <- (mean_over_const 0). apply mean_over_le, Y. }
  pose (R2 := E all (fun y => mean_over (fun i => norm (bar i (y i)) ^ 2))).
  pose (H2 := E all (fun y => norm (/ INR n [*] vsum (fun i => bar i (y i)) n) ^ 2)).
  pose (pull := E all (fun y => mean_over (fun i => dot (bar i (y i)) d))).
  pose (D' := E all (fun y => E choice (fun A => norm (x (step s y A) [-] x_star) ^ 2))).
  pose (G' := E all (fun y => E choice (fun A => G (step s y A)))).
  assert (split : E (one_round s) Psi = D' + b * v / L ^ 2 * G').
  { unfold D', G', one_round. rewrite mean_next, <- mean_scal, <- mean_add. apply mean_ext. intro y.
    rewrite mean_next, <- mean_scal, <- mean_add. apply mean_ext. intro A. rewrite mean_sure. reflexivity. }
  assert (far' : D' <= norm d ^ 2 - 2 * tau * pull + tau ^ 2 * H2 + nu * tau ^ 2 * (R2 + G s)).
  { eapply Rle_trans; [apply mean_le; exact distance_drawn |]. right. unfold pull, H2, R2.
    transitivity (E all (fun y => norm d ^ 2 * 1 + (-2 * tau * mean_over (fun i => dot (bar i (y i)) d)
      + (tau ^ 2 * norm (/ INR n [*] vsum (fun i => bar i (y i)) n) ^ 2
      + (nu * tau ^ 2 * mean_over (fun i => norm (bar i (y i)) ^ 2) + nu * tau ^ 2 * G s * 1))))).
    - apply mean_ext. intro y. ring.
    - rewrite !mean_add, !mean_scal, mean_one. ring. }
  assert (held' : G' = p * R2 + (1 - p) * G s).
  { transitivity (E all (fun y => p * mean_over (fun i => norm (bar i (y i)) ^ 2) + (1 - p) * G s * 1)).
    - apply mean_ext. intro y. rewrite held_drawn. ring.
    - rewrite mean_add, !mean_scal, mean_one. unfold R2. ring. }
  pose proof bars as B. pose proof slope_mean as S. pose proof server_square as H. pose proof drift_mean as F.
  fold R2 in B. fold pull in S. fold H2 in H.
  rewrite split. apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  assert (nu0 : 0 <= nu * tau ^ 2) by (apply Rmult_le_pos; [exact nu_positive | apply pow2_ge_0]).
  assert (p0 : 0 < p) by (apply Rdiv_lt_0_compat; lra).
  eapply as_sum_ge; [| eapply own_scaffold_rate_11 with (E_G_t_1 := G')
    (E_S_j_2 := mean_over (fun i => far_off i)) (E_d'_2 := D')
    (G_t := G s) (L := L) (P := P_mean) (V := nu * tau ^ 2 * (R2 + G s)) (b := b) (bar_e_2 := H2) (chi := chi)
    (d_2 := norm d ^ 2) (delta := drift) (f_x_f_star := f_mean (x s) - f_mean x_star) (langle_bar_e_d_rangle := pull)
    (mu := mu) (n := INR n) (nu := nu) (p := p) (sigma_2 := sigma2_mean) (v := v)]; try assumption;
    try apply nu_positive.
  - unfold cost. field. lra.
  - unfold G'. apply mean_pos. intro y. apply mean_pos. intro A. apply pos. intro. apply pow2_ge_0.
  - apply pos. intro. apply pow2_ge_0.
  - apply pos. intro. apply mean_pos. intro. apply pow2_ge_0.
  - apply Rmult_le_pos; [exact nu0 |]. apply Rplus_le_le_0_compat; [apply mean_pos; intro |]; apply pos; intro;
      apply pow2_ge_0.
  - apply Rmult_le_pos; [| apply Rlt_le, Rinv_0_lt_compat; lra]. apply sum_pos. intros l I.
    apply Rlt_le, Rinv_0_lt_compat, lt_0_INR. lia.
  - apply drift_positive.
  - eapply Rle_trans; [| apply growth]. apply Rmult_le_pos; [lra | apply pow2_ge_0].
  - apply pos. intro. apply mean_pos. intro. apply pow2_ge_0.
  - apply mean_pos. intro y. apply mean_pos. intro A. apply pow2_ge_0.
  - apply pos, sigma2_positive.
  - apply mean_pos. intro. apply pow2_ge_0.
  - apply pow2_ge_0.
  - eapply as_sum_ge; [| apply Rge_le, Rge_minus, Rle_ge; exact far']. field. lra.
  - eapply as_sum_ge; [| apply Rge_le, Rge_minus, Rle_ge; exact S]. field. lra.
  - pose proof (growth (x s)). lra.
  - eapply as_sum_ge; [| apply Rge_le, Rge_minus, Rle_ge; exact F]. field. lra.
  - unfold Rdiv in H. lra.
  - apply (Rmult_le_compat_l (nu * tau ^ 2)) in B; [| exact nu0].
    apply Rle_trans with (nu * tau ^ 2 * (P_mean + sigma2_mean) - nu * tau ^ 2 * R2); [lra | right; field; lra].
  - rewrite held'. apply (Rmult_le_compat_l p) in B; lra.
  - unfold cost in short. lra.
Qed.
End Round.

(* own-scaffold-rate, T rounds. *)
Notation rate := (Rmax (1 - v * mu / L) (1 - p + cost / b)).
Theorem scaffold : forall T, E (run T) Psi
  <= rate ^ T * E initial Psi + v / L ^ 2 * (v / INR n + nu * v + p * b + chi * drift) * sigma2_mean
    * sum (fun t => rate ^ pred t) T.
Proof.
  assert (v0 : 0 < v) by (destruct sizes, steps; repeat apply Rmult_lt_0_compat; lra).
  apply (every_round (fun t => E (run t) Psi)).
  - eapply Rle_trans; [| apply Rmax_r]. destruct sizes as ((m1 & mn) & _).
    assert (0 <= cost / b). { apply Rmult_le_pos; [| apply Rlt_le, Rinv_0_lt_compat, b_positive].
      apply Rplus_le_le_0_compat; [apply drift_positive | apply Rmult_le_pos; [apply nu_positive | lra]]. }
    assert (p <= 1); [| lra]. apply Rmult_le_reg_r with (INR n); [lra |]. unfold p. field_simplify; lra.
  - intro t. cbn [run]. rewrite mean_next. set (noise' := _ * sigma2_mean).
    apply Rle_trans with (E (run t) (fun s => rate * Psi s + noise' * 1)).
    + apply mean_le. intro s. eapply Rle_trans; [apply scaffold_round |]. fold noise'. rewrite Rmult_1_r.
      apply Rplus_le_compat_r. unfold Psi. rewrite Rmult_plus_distr_l. apply Rplus_le_compat.
      * apply Rmult_le_compat_r; [apply pow2_ge_0 | apply Rmax_l].
      * apply Rmult_le_compat_r; [| apply Rmax_r]. apply Rmult_le_pos.
        -- apply Rlt_le, Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra | apply pow_lt, L_positive].
        -- apply Rmult_le_pos; [destruct sizes; apply Rlt_le, Rinv_0_lt_compat; lra |]. apply sum_pos. intros.
           apply pow2_ge_0.
    + rewrite mean_add, !mean_scal, mean_one. lra.
Qed.
End Scaffold.

(* The hypotheses do not contradict each other: on the line, one of two clients is drawn, f_1 = (y - 1)^2 / 2 and
   f_2 = (y + 1)^2 / 2, two local steps, each gradient 1 too large or 1 too small. *)
Theorem hypotheses_hold : let at_ i : vec line := if Nat.eqb i 1 then 1 else -1 in
  let f i := fun y : vec line => (y - at_ i) ^ 2 / 2 in let grad i := fun y : vec line => y - at_ i : vec line in
  let oracle i y := next fair (fun h : bool => sure (grad i y + (if h then 1 else -1) : vec line)) in
  let choice := next fair (fun h : bool => sure (fun i => Nat.eqb i (if h then 1 else 2))) in
  cost 2 1 2 (/ 20) 1 1 + v 2 (/ 20) 1 1 + p 2 1 * 1 <= 1 /\
  (forall i, convex (f i) (grad i)) /\ (forall i, smooth (f i) (grad i) 1) /\
  (forall y : vec line, 1 / 2 * norm (y [-] zero) ^ 2 <= f_mean line 2 f y - f_mean line 2 f zero) /\
  (forall i y, is_mean (under (oracle i y)) (fun a => a) (grad i y)) /\
  (forall i y, E (oracle i y) (fun a => norm (a [-] grad i y) ^ 2) <= 1) /\
  (forall i, (1 <= i <= 2)%nat -> E choice (fun A => if A i then 1 else 0) = INR 1 / INR 2) /\
  (forall i j, (1 <= i <= 2)%nat -> (1 <= j <= 2)%nat -> i <> j ->
    E choice (fun A => if A i then if A j then 1 else 0 else 0) = INR 1 * (INR 1 - 1) / (INR 2 * (INR 2 - 1))).
Proof.
  assert (sq : forall u : vec line, norm u ^ 2 = u * u) by (intro; apply norm_square).
  cbv zeta. unfold strongly_convex, smooth, convex. repeat match goal with |- _ /\ _ => split end.
  - unfold cost, drift, nu, v, u, p. cbn [INR]. lra.
  - intros i y w. rewrite sq. unfold minus. cbn. pose proof (Rle_0_sqr (y - w)) as Q. unfold Rsqr in Q. nra.
  - intros i y w. rewrite sq. unfold minus. cbn. nra.
  - intro y. rewrite sq. unfold f_mean, mean_over, minus. cbn. lra.
  - intros i y w. rewrite mean_next, mean_fair, !mean_sure. cbn. field.
  - intros i y. rewrite mean_next, mean_fair, !mean_sure, !sq. unfold minus. cbn. lra.
  - intros i I. rewrite mean_next, mean_fair, !mean_sure. assert (C : i = 1%nat \/ i = 2%nat) by lia.
    destruct C as [-> | ->]; cbn; lra.
  - intros i j I J D. rewrite mean_next, mean_fair, !mean_sure.
    assert (C : i = 1%nat /\ j = 2%nat \/ i = 2%nat /\ j = 1%nat) by lia.
    destruct C as [(-> & ->) | (-> & ->)]; cbn; lra.
Qed.

Definition together := (scaffold_round, scaffold, hypotheses_hold).
Print Assumptions together.
