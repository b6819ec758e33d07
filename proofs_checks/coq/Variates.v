(* Beyond Theorem 1, of one round of Algorithm 2: the noise and the control variates in the Euclidean norm. Neither A7
   nor A8 enters, nor what the projection is: only, for the control variates, that it ends in S. At the end both in the
   mean over all paths, and the numbers that the choice 1 + eta = 1 / sqrt (1 - alpha) gives; in between, how far the
   iterates move where no projection is active, and what A7 says of that. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondTheorem Means Identities Propositions34 Laws Algorithm Geometry Draws Round FromAlgorithm.
Require Import Singular.
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

(* Unbiased: the error is orthogonal, in the mean, to what the past knows. *)
Lemma error_mean : forall y, E (one_round P h) (fun w => dot (error w) y) = 0.
Proof.
  intro y. rewrite (mean_ext _ _ _ (fun w => sum (fun i => mu P i * dot
    (noise P (mean_oracle_of P i (map P s)) (w i) [+] sent P s (V_agent (after P h) i) (w i)) y) (n P))).
  - rewrite mean_sum. apply sum_zero. intros i I. rewrite (mean_scal _ _ (mu P i)).
    pose proof (own_mean P h omega a4 a5 i s (V_agent (after P h) i) _ (proj1 (proj2 (a3 t h i reached I))) y) as Q.
    rewrite <- (of_one P h i _ I) in Q. rewrite Q. ring.
  - intro w. rewrite (error_own P mus a5 h w y), dot_vsum. apply sum_ext. intro i. apply dot_scal.
Qed.

(* own-moved, where no outcome moves by more than |gamma H|. *)
Lemma moved_plain : forall c, (forall w, possible (one_round P h) w ->
    norm (s' w [-] s) ^ 2 <= c ^ 2 * norm (H P (after P h) w) ^ 2) ->
  mean_of (fun w => norm (s' w [-] s) ^ 2) <= c ^ 2 * (norm (field P s) ^ 2 + mean_of (fun w => norm (error w) ^ 2)).
Proof.
  intros c M. apply Rle_trans with (mean_of (fun w =>
    (c ^ 2 * norm (field P s) ^ 2 * 1 + 2 * c ^ 2 * dot (error w) (field P s)) + c ^ 2 * norm (error w) ^ 2)).
  - apply E_le. intros w I. eapply Rle_trans; [apply M, I | right]. rewrite !norm_square. expand.
    rewrite (dot_sym _ (field P s) (H _ _ _)). ring.
  - right. rewrite (mean_add _ _ (fun w => _ * 1 + _ * dot (error w) (field P s))), (mean_add _ _ (fun w => _ * 1)),
      mean_const, !mean_scal, error_mean. ring.
Qed.

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
Hypothesis next_inside : forall w, possible (one_round P h) w -> calS P (s' w).
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
  { rewrite <- (mean_scal _ _ (L i ^ 2)). apply E_le. intros w J. rewrite <- norm_square, <- Rpow_mult_distr.
    apply pow_incr. split; [apply norm_pos | apply lip; [exact inside | apply next_inside, J]]. }
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

(* In the mean over all paths. *)
Definition error_square (P : problem) (h : past (vec P)) :=
  E (one_round P h) (fun w => norm (H P (after P h) w [-] field P (Shat (after P h))) ^ 2).
Definition moved_square (P : problem) (h : past (vec P)) :=
  E (one_round P h) (fun w => norm (Shat (after P (followed h w)) [-] Shat (after P h)) ^ 2).
Definition field_square (P : problem) (h : past (vec P)) := norm (field P (Shat (after P h))) ^ 2.
(* |h|_B^2 at Shat_t. *)
Definition seminorm (P : problem) (B : vec P -> vec P -> vec P) (h : past (vec P)) :=
  norm_in (B (Shat (after P h))) (field P (Shat (after P h))) ^ 2.
Definition initial_field (P : problem) := E (initial P) (fun x => norm (field P (fst x)) ^ 2).
Lemma field_is : forall P, initial_field P = E (path P 0) (field_square P).
Proof. intro P. cbn [path]. rewrite mean_next. apply mean_ext. intro x. rewrite mean_sure. reflexivity. Qed.
Definition stays_inside (P : problem) := forall t h, possible (path P t) h ->
  calS P (Shat (after P h)) /\ forall w, possible (one_round P h) w -> calS P (Shat (after P (followed h w))).

(* Where no projection is active: where the iterates are, and how far they move. *)
Section Inactive.
Variable P : problem.
Hypothesis start : starts_inside P.
Hypothesis kept : keeps P.
Hypothesis inactive : lands_inside P.

Lemma free_inside : forall t h, possible (path P t) h -> calS P (Shat (after P h)).
Proof.
  induction t as [| t IH]; intros h Q; cbn [path] in Q; apply possible_next in Q; destruct Q as (w & A & D).
  - apply possible_sure in D. subst h. destruct w as [s v]. apply (start s v A).
  - apply possible_next in D. destruct D as (d & I & D). apply possible_sure in D. subst h.
    cbn [after step Shat]. apply kept. rewrite (rounds_of_path P t w A). apply inactive; assumption.
Qed.
Lemma free_next : forall t h w, possible (path P t) h -> possible (one_round P h) w ->
  calS P (Shat (after P (followed h w))) /\
  same (Shat (after P (followed h w)) [-] Shat (after P h)) (gamma P (S t) [*] H P (after P h) w).
Proof.
  intros t h w I J. destruct (kept h _ (inactive t h w I J)) as (In & K). cbn [after step Shat].
  rewrite (rounds_of_path P t h I). split; [exact In |]. intro y. unfold minus. rewrite dot_add, (K y). expand. ring.
Qed.
Lemma free_stays : stays_inside P.
Proof.
  intros t h I. split; [apply (free_inside t h I) |]. intros w J. apply (free_next t h w I J).
Qed.
Lemma free_moved : forall sigma omega t h, distribution P -> A3 P sigma -> A4 P omega -> A5 P ->
  possible (path P t) h ->
  moved_square P h <= gamma P (S t) ^ 2 * (field_square P h + error_square P h).
Proof.
  intros sigma omega t h weights a3 a4 a5 reached.
  apply (moved_plain P sigma omega weights a3 a4 a5 t h reached). intros w I. right.
  destruct (free_next t h w reached I) as (_ & Q). rewrite !norm_square, (same_square _ _ _ Q). expand. ring.
Qed.
End Inactive.

(* What the seminorm of B is for the moves, whatever keeps the iterates in S and no farther than |gamma H|. *)
Section Moves.
Variable P : problem.
Variable B : vec P -> vec P -> vec P.
Variables C1 C2 v_min v_max : R.
Hypothesis a7_i : A7_i P B C1 C2.
Hypothesis a7_ii : A7_ii P B v_min v_max.

Lemma matrices : semidefinite P B v_max.
Proof.
  destruct a7_i as (_ & _ & a7), a7_ii as (v & a7'). intros s I. split; [apply (a7 s I) |]. intro u.
  pose proof (a7' s u I). pose proof (Rmult_le_pos v_min _ ltac:(lra) (pow2_ge_0 (norm u))). lra.
Qed.
Lemma field_below : forall h, calS P (Shat (after P h)) -> field_square P h <= seminorm P B h / v_min.
Proof.
  intros h I. unfold seminorm, field_square. set (s := Shat (after P h)) in *.
  rewrite (norm_in_square P (B s) (fun u => proj1 (proj2 (matrices s I) u))). destruct a7_ii as (v & a7).
  apply Rmult_le_reg_l with v_min; [lra |].
  replace (v_min * (dot (field P s) (B s (field P s)) / v_min)) with (dot (field P s) (B s (field P s)))
    by (field; lra).
  apply (a7 s (field P s) I).
Qed.
Lemma moved_in_mean : forall t, (forall h, possible (path P t) h -> calS P (Shat (after P h)) /\
    moved_square P h <= gamma P (S t) ^ 2 * (field_square P h + error_square P h)) ->
  E (path P t) (moved_square P)
  <= gamma P (S t) ^ 2 * (E (path P t) (seminorm P B) / v_min + E (path P t) (error_square P)).
Proof.
  intros t each. destruct a7_ii as (v & _). apply Rle_trans with (E (path P t) (fun h =>
    gamma P (S t) ^ 2 / v_min * seminorm P B h + gamma P (S t) ^ 2 * error_square P h)).
  - apply E_le. intros h I. destruct (each h I) as (In & Q). eapply Rle_trans; [exact Q |].
    pose proof (Rmult_le_compat_l _ _ _ (pow2_ge_0 (gamma P (S t))) (field_below h In)). lra.
  - rewrite (mean_add _ _ (fun h => _ * seminorm P B h)), !mean_scal. right. field. lra.
Qed.
End Moves.

Section Rounds.
Variable P : problem.
Variables sigma L : nat -> R.
Variable omega : R.
Hypothesis mus : distribution P.
Hypothesis a3 : A3 P sigma.
Hypothesis a4 : A4 P omega.
Hypothesis a5 : A5 P.
Notation omega_p := (omega_p P omega).
Notation sigma2_n := (sigma2_n P sigma).
Notation mean_G t := (E (path P t) (G P)).
Notation mean_square t := (E (path P t) (error_square P)).

Lemma mean_noise : forall t, mean_square t <= (1 + omega_p) * sigma2_n + omega_p * mean_G t.
Proof.
  intro t. apply Rle_trans with (E (path P t) (fun h => (1 + omega_p) * sigma2_n * 1 + omega_p * G P h)).
  - apply E_le. intros h I. pose proof (noise_plain P sigma omega mus a3 a4 a5 t h I).
    unfold error_square, FromAlgorithm.sigma2_n. lra.
  - rewrite (mean_add _ _ (fun _ => (1 + omega_p) * sigma2_n * 1)), mean_const, mean_scal. lra.
Qed.
Lemma mean_variates : A6_i P L -> stays_inside P -> 0 <= alpha P -> alpha P * (1 + omega_p) <= 1 ->
  forall eta, 0 < eta -> forall t,
  mean_G (S t) <= (1 + eta) * (1 - alpha P) * mean_G t + (1 + eta) * alpha P * sigma2_n
    + (1 + 1 / eta) * L2_n P L * E (path P t) (moved_square P).
Proof.
  intros a6_i inside al0 al1 eta eta0 t. rewrite one_more.
  apply Rle_trans with (E (path P t) (fun h => (1 + eta) * (1 - alpha P) * G P h
    + (1 + 1 / eta) * L2_n P L * moved_square P h + (1 + eta) * alpha P * sigma2_n * 1)).
  - apply E_le. intros h I. destruct (inside t h I) as (In & In').
    pose proof (variates P sigma omega mus a3 a4 a5 t h I L a6_i In In' al0 al1 eta eta0).
    unfold moved_square, L2_n, FromAlgorithm.sigma2_n. lra.
  - rewrite (E_linear P t (G P) (moved_square P) (fun _ => 1)), E_const. lra.
Qed.
Lemma mean_G_pos : forall t, 0 <= mean_G t.
Proof. intro t. apply mean_pos. intro. apply G_pos. Qed.
Lemma mean_square_pos : forall t, 0 <= mean_square t.
Proof. intro t. apply mean_pos. intro. apply mean_pos. intro. apply pow2_ge_0. Qed.

(* 1 + eta = 1 / sqrt (1 - alpha). *)
Notation q := (sqrt (1 - alpha P)).
Notation eta := (/ q - 1).
Hypothesis compressed : 0 < omega_p.
Hypothesis rate : 0 < alpha P <= 1 / (1 + omega_p).
Lemma alpha_small : alpha P * (1 + omega_p) <= 1.
Proof.
  destruct rate as (_ & Q). apply (Rmult_le_compat_r (1 + omega_p)) in Q; [| lra]. unfold Rdiv in Q.
  rewrite Rmult_1_l, Rinv_l in Q; lra.
Qed.
Lemma q_is : 0 < q /\ q * q = 1 - alpha P /\ 0 < eta /\ (1 + eta) * (1 - alpha P) = / (1 + eta) /\
  alpha P = 1 - / (1 + eta) ^ 2 /\ (1 + q) / alpha P = (1 + eta) / eta.
Proof.
  pose proof alpha_small as A. assert (A1 : alpha P < 1).
  { pose proof (Rmult_lt_0_compat _ _ (proj1 rate) compressed). lra. }
  assert (Q : 0 < q) by (apply sqrt_lt_R0; lra). assert (Q2 : q * q = 1 - alpha P) by (apply sqrt_def; lra).
  set (r := q) in *. clearbody r. assert (Q1 : r < 1) by nra. assert (E0 : 0 < / r - 1).
  { assert (1 < / r) by (apply Rmult_lt_reg_r with r; [| rewrite Rinv_l]; lra). lra. }
  repeat split; try assumption.
  - rewrite <- Q2. field. lra.
  - replace (1 + (/ r - 1)) with (/ r) by ring. rewrite pow_inv, Rinv_inv. lra.
  - replace (alpha P) with (1 - r * r) by lra. field. repeat split; nra.
Qed.
Lemma room : 0 <= 1 - eta * omega_p * (2 + eta).
Proof.
  pose proof alpha_small as A. destruct q_is as (_ & _ & E0 & _ & al & _). rewrite al in A. set (b := eta) in *.
  apply (Rmult_le_compat_l ((1 + b) ^ 2)) in A; [| apply pow2_ge_0].
  replace ((1 + b) ^ 2 * ((1 - / (1 + b) ^ 2) * (1 + omega_p))) with (b * (2 + b) * (1 + omega_p)) in A
    by (field; lra). lra.
Qed.
Lemma variates_at_most : A6_i P L -> stays_inside P -> forall t above moved,
  L2_n P L <= above -> E (path P t) (moved_square P) <= moved ->
  mean_G (S t) <= / (1 + eta) * mean_G t + (1 + eta) * (1 - / (1 + eta) ^ 2) * sigma2_n
    + (1 + 1 / eta) * (above * moved).
Proof.
  intros a6_i inside t above moved larger far. destruct q_is as (_ & _ & E0 & contraction & al & _).
  eapply Rle_trans; [apply (mean_variates a6_i inside ltac:(lra) alpha_small eta E0) |].
  rewrite contraction. rewrite <- al. apply Rplus_le_compat_l. rewrite Rmult_assoc. apply Rmult_le_compat_l.
  - pose proof (Rdiv_lt_0_compat 1 eta ltac:(lra) E0). lra.
  - apply Rmult_le_compat; [apply L2_pos | | exact larger | exact far].
    apply mean_pos. intro. apply mean_pos. intro. apply pow2_ge_0.
Qed.
Lemma recursion : A6_i P L -> stays_inside P -> forall t h, possible (path P t) h ->
  E (one_round P h) (fun w => G P (followed h w))
  <= q * G P h + alpha P / q * sigma2_n + L2_n P L / (1 - q) * moved_square P h.
Proof.
  intros a6_i inside t h reached. destruct q_is as (q0 & Q2 & E0 & _), (inside t h reached) as (In & In').
  assert (q1 : q < 1) by (destruct rate; nra).
  pose proof (variates P sigma omega mus a3 a4 a5 t h reached L a6_i In In' ltac:(lra) alpha_small eta E0) as Q.
  eapply Rle_trans; [exact Q | right]. unfold moved_square, L2_n, FromAlgorithm.sigma2_n.
  generalize dependent q. intros r r0 r2 _ r1 _. replace (1 - alpha P) with (r * r). field. lra.
Qed.
End Rounds.

Definition together := (noise_plain, moved_plain, variates, mean_noise, mean_variates, q_is, recursion).
Print Assumptions together.
