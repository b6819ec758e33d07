(* Beyond Theorem 1, from Algorithm 2 to a linear rate: where the mean field pulls towards a point s_star, the distance
   to it shrinks by a factor in every round, and the control variates are measured against h_i(s_star), to which they
   tend. Neither MM-1, MM-2 nor A6 to A8 enters, nor that h(s_star) = 0. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude BeyondMessages Means Identities Proposition2 Propositions34 Laws Algorithm Geometry Draws Round.
Require Import FromAlgorithm Instance ProjectedStep Variates.
Open Scope R_scope.

Section Assumptions.
Variable P : problem.
Variable s_star : vec P.
Notation d h := (Shat (after P h) [-] s_star).

(* Functions of the past: |d|^2, D = -<h(Shat_t), d>, sum_i mu_i^2 |h_i(Shat_t) - h_i(s_star)|^2, and G_t. *)
Definition distance h := norm (d h) ^ 2.
Definition pull h := - dot (field P (Shat (after P h))) (d h).
Definition change h :=
  sum (fun i => mu P i ^ 2 * norm (field_of P i (Shat (after P h)) [-] field_of P i s_star) ^ 2) (n P).
Definition G_star h := sum (fun i => mu P i ^ 2 * norm (V_agent (after P h) i [-] field_of P i s_star) ^ 2) (n P).

(* What the rows assume of every past that is possible. *)
Definition along (holds : past (vec P) -> Prop) := forall t h, possible (path P t) h -> holds h.
Definition comes_no_farther := along (fun h => forall y, norm (Pi P (B_used P h) y [-] s_star) <= norm (y [-] s_star)).
Definition monotone m := 0 < m /\ along (fun h => m * distance h <= pull h).
Definition cocoercive ell := along (fun h => field_square P h <= ell * pull h).
Definition clients_cocoercive lambda := 0 < lambda /\ along (fun h => change h <= lambda * pull h).
Definition interpolated m ell :=
  0 < m < ell /\ along (fun h => field_square P h <= (ell + m) * pull h - m * ell * distance h).
Definition clients_interpolated m ell lambda :=
  0 < lambda /\ along (fun h => change h <= lambda / ell * ((ell + m) * pull h - m * ell * distance h)).
End Assumptions.

(* The Euclidean projection on a convex set comes no farther from its points. *)
Lemma euclidean : forall P s_star, line_599 P -> A8_i P -> calS P s_star ->
  (forall h v, B_used P h v = v) -> comes_no_farther P s_star.
Proof.
  intros P s_star argmin convex I same t h _ y. set (B := B_used P h) in *.
  assert (plain : forall v, norm_in B v = norm v) by (intro v; unfold norm_in, B; rewrite same; reflexivity).
  destruct (argmin B y) as (J & N).
  { split; [intros u v; unfold B; rewrite !same; reflexivity |]. exists 1. split; [lra |]. intro u. unfold B.
    rewrite same, norm_square. lra. }
  pose proof (lemma_3 P (fun u => u) (dot_add P) (dot_scal P) (calS P) convex y (Pi P B y) s_star) as Q.
  apply sqrt_le_1_alt. apply Rle_trans with (dot (Pi P B y [-] s_star) (Pi P B y [-] s_star)
    + dot (y [-] Pi P B y) (y [-] Pi P B y) + 2 * dot (Pi P B y [-] y) (s_star [-] Pi P B y)).
  - assert (0 <= dot (Pi P B y [-] y) (s_star [-] Pi P B y)).
    { apply Q; [| exact I]. split; [exact J |]. intros v In. rewrite <- !norm_square. apply pow_incr.
      split; [apply norm_pos |]. rewrite <- !plain. apply N, In. }
    pose proof (dot_pos P (y [-] Pi P B y)). lra.
  - right. generalize (Pi P B y). intro v. expand.
    rewrite (dot_sym _ v y), (dot_sym _ s_star y), (dot_sym _ v s_star). ring.
Qed.

Section Linear.
Variable P : problem.
Variable s_star : vec P.
Variable sigma : nat -> R.
Variables omega K step : R.
Notation omega_p := (omega_p P omega).
Notation sigma2_n := (sigma2_n P sigma).
Notation distance := (distance P s_star).
Notation pull := (pull P s_star).
Notation field_square := (Variates.field_square P).
Notation change := (change P s_star).
Notation G_star := (G_star P s_star).
(* The data of Algorithm 2, A3 to A5, a constant step. *)
Hypothesis weights : distribution P.
Hypothesis steps : steps_positive P.
Hypothesis constant : forall t, gamma P (S t) = step.
Hypothesis a3 : A3 P sigma.
Hypothesis a4 : A4 P omega.
Hypothesis a5 : A5 P.
(* What the update of V_i leaves over pays for the messages; and the projection. *)
Hypothesis alpha_positive : 0 < alpha P.
Hypothesis enough : 0 <= K /\ omega_p <= K * (1 - alpha P * (1 + omega_p)).
Hypothesis nearer : comes_no_farther P s_star.

Definition Psi h := distance h + K / alpha P * step ^ 2 * G_star h.
Definition level := (1 + omega_p) * (1 + alpha P * K).

Section One_round.
Variable t : nat.
Variable h : past (vec P).
Hypothesis reached : possible (path P t) h.
Notation s := (Shat (after P h)).
Notation s' w := (Shat (after P (followed h w))).
Notation V i := (V_agent (after P h) i).
Notation V' i w := (V_agent (after P (followed h w)) i).
Notation target i := (field_of P i s_star).
Notation x i := (V i [-] field_of P i s).
Notation e i := (field_of P i s [-] target i).
Notation noise' i w := (noise P (mean_oracle_of P i (map P s)) (w i%nat)).
Notation sent' i w := (sent P s (V i) (w i%nat)).
Notation own i w := (noise' i w [+] sent' i w).  (* what agent i adds to the error of H_{t+1} *)
Notation error w := (H P (after P h) w [-] field P s).
Notation mean_of x := (E (one_round P h) x).
Notation noise_square := (mean_of (fun w => norm (error w) ^ 2)).
Notation N i := (mean_of (fun w => dot (noise' i w) (noise' i w))).
Notation Q i := (mean_of (fun w => dot (sent' i w) (sent' i w))).

Lemma square_of : forall i, agent P i -> forall z c,
  mean_of (fun w => dot (z [+] c [*] own i w) (z [+] c [*] own i w)) = dot z z + c ^ 2 * (N i + Q i).
Proof.
  intros i I z c. transitivity (mean_of (fun w => dot z z * 1 + 2 * c * dot (noise' i w) z + 2 * c * dot (sent' i w) z
    + 2 * c ^ 2 * dot (noise' i w) (sent' i w) + c ^ 2 * dot (noise' i w) (noise' i w)
    + c ^ 2 * dot (sent' i w) (sent' i w))).
  - apply mean_ext. intro w. generalize (noise' i w) (sent' i w). intros u v. expand.
    rewrite (dot_sym _ z u), (dot_sym _ z v), (dot_sym _ v u). ring.
  - rewrite !mean_add, !mean_scal, mean_one, (noise_free P sigma a3 t h reached i z I), (apart P omega a4 a5 h i I).
    rewrite (sent_free P omega a4 a5 h i (fun _ => z) I). ring.
Qed.
Lemma sent_at_most : forall i, agent P i -> Q i <= omega_p * (N i + dot (x i) (x i)).
Proof.
  intros i I. eapply Rle_trans; [apply (sent_small P omega a4 a5 h i I) | right; f_equal].
  transitivity (mean_of (fun w => dot (noise' i w) (noise' i w) + -2 * dot (noise' i w) (x i) + dot (x i) (x i) * 1)).
  - apply mean_ext. intro w. generalize (noise' i w) (x i). intros u v. expand. rewrite (dot_sym _ v u). ring.
  - rewrite !mean_add, !mean_scal, mean_one, (noise_free P sigma a3 t h reached i (x i) I). ring.
Qed.

(* own-diana-client. *)
Theorem diana_client : forall i, agent P i ->
  K * mean_of (fun w => norm (V' i w [-] target i) ^ 2) + alpha P * mean_of (fun w => norm (own i w) ^ 2)
  <= K * (1 - alpha P) * norm (V i [-] target i) ^ 2 + K * alpha P * norm (e i) ^ 2
    + alpha P * (1 + omega_p) * (1 + alpha P * K) * sigma i ^ 2.
Proof.
  intros i I. pose proof (omega_p_pos P omega a4 a5). destruct a5 as (p01 & _), (a3 t h i reached I) as (S0 & _).
  pose proof (square_pos P _ (under (one_round P h)) (fun w => noise' i w)).
  pose proof (square_pos P _ (under (one_round P h)) (fun w => sent' i w)).
  pose proof (noise_small P sigma a3 t h reached i I). pose proof (sent_at_most i I).
  pose (z := x i [+] e i [+] (- alpha P) [*] x i).
  assert (kept : mean_of (fun w => norm (V' i w [-] target i) ^ 2) = dot z z + alpha P ^ 2 * (N i + Q i)).
  { rewrite <- (square_of i I). apply mean_ext. intro w. rewrite norm_square. apply same_square. intro y. unfold z.
    cbn [after Algorithm.step V_agent]. unfold noise, sent, received, message, Delta, field_of.
    generalize (mean_oracle_of P i (map P s_star)) (mean_oracle_of P i (map P s)). intros m' m.
    destruct (active (w i)); expand; field; lra. }
  assert (own2 : mean_of (fun w => norm (own i w) ^ 2) = N i + Q i).
  { transitivity (mean_of (fun w => dot (zero [+] 1 [*] own i w) (zero [+] 1 [*] own i w))).
    - apply mean_ext. intro w. rewrite norm_square. apply same_square. intro y. expand. ring.
    - rewrite (square_of i I), dot_zero. ring. }
  assert (start : norm (V i [-] target i) ^ 2 = dot (x i [+] e i) (x i [+] e i)).
  { rewrite norm_square. apply same_square. intro y. expand. ring. }
  rewrite kept, own2, start, norm_square. apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_diana_client_1 with (e_i := e i) (x_i := x i) (E_left_n_i_right_2 := N i)
    (E_left_q_i_right_2 := Q i) (K := K) (alpha := alpha P) (omega_p := omega_p) (sigma_i := sigma i)];
    try assumption; try lra.
  unfold z. generalize (x i) (e i). intros u v.
  repeat rewrite ?dot_add, ?dot_scal, ?dot_add_r, ?dot_scal_r. rewrite (dot_sym _ u v). ring.
Qed.

Lemma all_clients : K * mean_of (fun w => G_star (followed h w)) + alpha P * noise_square
  <= K * (1 - alpha P) * G_star h + K * alpha P * change h + alpha P * level * sigma2_n.
Proof.
  assert (held : mean_of (fun w => G_star (followed h w))
    = sum (fun i => mu P i ^ 2 * mean_of (fun w => norm (V' i w [-] target i) ^ 2)) (n P)).
  { unfold G_star. rewrite mean_sum. apply sum_ext. intro i. apply (mean_scal _ _ (mu P i ^ 2)). }
  assert (off : noise_square = sum (fun i => mu P i ^ 2 * mean_of (fun w => norm (own i w) ^ 2)) (n P)).
  { rewrite (sum_ext _ (fun i => mu P i ^ 2 * mean_of (fun w => dot (own i w) (own i w)))).
    - rewrite <- pythagoras by (apply (uncorrelated P sigma omega a3 a4 a5 t h reached)).
      apply mean_ext. intro w. rewrite norm_square. apply same_square, (error_own P weights a5).
    - intro i. f_equal. apply mean_ext. intro w. apply norm_square. }
  rewrite held, off, <- sum_linear. apply Rle_trans with (sum (fun i =>
    1 * (K * (1 - alpha P) * (mu P i ^ 2 * norm (V i [-] target i) ^ 2) + K * alpha P * (mu P i ^ 2 * norm (e i) ^ 2))
    + alpha P * level * (mu P i ^ 2 * sigma i ^ 2)) (n P));
    [| right; rewrite !sum_linear; unfold G_star, change, sigma2_n, spread; ring].
  apply sum_le. intros i I. pose proof (diana_client i I) as C. unfold level.
  apply (Rmult_le_compat_l (mu P i ^ 2)) in C; [lra | apply pow2_ge_0].
Qed.

(* The server. *)
Lemma server : mean_of (fun w => distance (followed h w))
  <= distance h - 2 * step * pull h + step ^ 2 * (field_square h + noise_square).
Proof.
  pose (d := s [-] s_star). pose (to := d [+] step [*] field P s).
  apply Rle_trans with (mean_of (fun w => dot to to * 1 + 2 * step * dot (error w) to
    + step ^ 2 * norm (error w) ^ 2)).
  - apply mean_le. intro w. unfold Linear.distance. eapply Rle_trans.
    + apply pow_incr. split; [apply norm_pos |]. cbn [after Algorithm.step Shat]. apply (nearer t h reached).
    + right. rewrite !norm_square, constant. set (xi := error w).
      transitivity (dot (to [+] step [*] xi) (to [+] step [*] xi)).
      * apply same_square. intro y. unfold to, d, xi. expand. ring.
      * generalize xi to. intros u v. expand. rewrite (dot_sym _ v u). ring.
  - rewrite !mean_add, !mean_scal, mean_one, (error_mean P sigma omega weights a3 a4 a5 t h reached).
    unfold Linear.distance, Linear.pull, Variates.field_square, to. fold d.
    rewrite !norm_square. generalize (field P s). intro u. expand.
    rewrite (dot_sym _ d u). right. ring.
Qed.
End One_round.

Lemma after_rounds : forall rate noise, 0 <= rate ->
  along P (fun h => E (one_round P h) (fun w => Psi (followed h w)) <= rate * Psi h + noise) ->
  forall T, E (path P T) Psi <= rate ^ T * E (path P 0) Psi + noise * sum (fun t => rate ^ pred t) T.
Proof.
  intros rate noise positive once. apply (every_round (fun t => E (path P t) Psi)); [exact positive |]. intro t.
  rewrite one_more. apply Rle_trans with (E (path P t) (fun h => rate * Psi h + noise * 1)).
  - apply E_le. intros h I. rewrite Rmult_1_r. apply (once t h I).
  - rewrite mean_add, !mean_scal, mean_one. lra.
Qed.
Lemma parts_positive : forall h, 0 <= distance h /\ 0 <= G_star h /\ 0 <= change h.
Proof.
  intro h. repeat split; try apply pow2_ge_0; apply sum_pos; intros i _; apply Rmult_le_pos; apply pow2_ge_0.
Qed.
Lemma step_positive : 0 < step.
Proof. rewrite <- (constant 0%nat). apply steps. Qed.
(* d', G' and N are E|d_{t+1}|^2, E[G_{t+1}] and E|H_{t+1} - h|^2, given the past. *)
Lemma one_round_is : forall t h, possible (path P t) h -> exists d' G' N, 0 <= d' /\ 0 <= G' /\ 0 <= N /\
  E (one_round P h) (fun w => Psi (followed h w)) = d' + K / alpha P * step ^ 2 * G' /\
  d' <= distance h - 2 * step * pull h + step ^ 2 * (field_square h + N) /\
  K * G' + alpha P * N <= K * (1 - alpha P) * G_star h + K * alpha P * change h + alpha P * level * sigma2_n.
Proof.
  intros t h reached. do 3 eexists. split; [| split; [| split; [| split; [| split;
    [apply (server t h reached) | apply (all_clients t h reached)]]]]]; try (apply mean_pos; intro).
  - apply parts_positive.
  - apply parts_positive.
  - apply pow2_ge_0.
  - unfold Psi. rewrite mean_add, (mean_scal _ _ (K / alpha P * step ^ 2)). reflexivity.
Qed.
Lemma larger_factor : forall a b h, a * distance h + b * (K / alpha P * step ^ 2 * G_star h) <= Rmax a b * Psi h.
Proof.
  intros a b h. destruct (parts_positive h) as (D & G & _), enough as (K0 & _).
  unfold Psi. rewrite Rmult_plus_distr_l.
  apply Rplus_le_compat; apply Rmult_le_compat_r; try apply Rmax_l; try apply Rmax_r; try exact D.
  apply Rmult_le_pos; [apply Rmult_le_pos; [| apply pow2_ge_0] | exact G].
  apply Rmult_le_pos; [| apply Rlt_le, Rinv_0_lt_compat]; assumption.
Qed.

(* own-diana-rate. *)
Section Cocoercive.
Variables m ell lambda : R.
Hypothesis pulls : monotone P s_star m.
Hypothesis all : cocoercive P s_star ell.
Hypothesis each : clients_cocoercive P s_star lambda.
Hypothesis short : step * (ell + K * lambda) <= 2.
Definition rate := Rmax (1 - step * m * (2 - step * (ell + K * lambda))) (1 - alpha P).

Theorem diana_round : along P (fun h =>
  E (one_round P h) (fun w => Psi (followed h w)) <= rate * Psi h + level * step ^ 2 * sigma2_n).
Proof.
  intros t h reached. destruct pulls as (m0 & Q1), each as (l0 & Q3), enough as (K0 & _).
  specialize (Q1 t h reached). specialize (Q3 t h reached). pose proof (all t h reached) as Q2. cbv beta in *.
  destruct (parts_positive h) as (D & G & A).
  destruct (one_round_is t h reached) as (d' & G' & N & d0 & G0 & N0 & -> & line & sum).
  eapply Rle_trans; [| apply Rplus_le_compat_r, larger_factor].
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_diana_rate_4 with (A := change h) (D := pull h) (E_d'_2 := d') (G_t := G_star h)
    (G_t_1 := G') (K := K) (N := N) (alpha := alpha P) (d_2 := distance h) (gamma := step)
    (h_2 := field_square h) (lambda := lambda) (m := m) (omega_p := omega_p)
    (room := 2 - step * (ell + K * lambda)) (sigma_2_n := sigma2_n)];
    try assumption; try apply pow2_ge_0; try apply sigma2_pos; try apply step_positive;
    try apply (omega_p_pos P omega a4 a5); unfold level in *; try lra.
  - apply Rle_trans with (m * distance h); [apply Rmult_le_pos; lra | exact Q1].
  - pose proof step_positive. replace (/ step * _ + _) with ell by (field; lra). lra.
Qed.

(* For alpha > 1, which K = 0 allows, the factor could be negative. *)
Theorem diana_rate : alpha P <= 1 -> forall T,
  E (path P T) Psi
  <= rate ^ T * E (path P 0) Psi + level * step ^ 2 * sigma2_n * sum (fun t => rate ^ pred t) T.
Proof.
  intros at_most_1. apply after_rounds; [| exact diana_round].
  apply Rle_trans with (1 - alpha P); [lra | apply Rmax_r].
Qed.
End Cocoercive.

(* own-diana-sharp. *)
Section Interpolated.
Variables m ell lambda : R.
Hypothesis fields : interpolated P s_star m ell.
Hypothesis own_fields : clients_interpolated P s_star m ell lambda.
Notation b := (1 + K * lambda / ell).
Hypothesis shorter : step * b * (ell + m) <= 2.
Definition sharp_rate := Rmax (1 - step * m * (2 - step * b * m)) (1 - alpha P).

Theorem sharp_round : along P (fun h =>
  E (one_round P h) (fun w => Psi (followed h w)) <= sharp_rate * Psi h + level * step ^ 2 * sigma2_n).
Proof.
  intros t h reached. destruct fields as ((m0 & m1) & Q1), own_fields as (l0 & Q2), enough as (K0 & _).
  specialize (Q1 t h reached). specialize (Q2 t h reached). cbv beta in *.
  destruct (parts_positive h) as (D & G & A).
  destruct (one_round_is t h reached) as (d' & G' & N & d0 & G0 & N0 & -> & line & sum).
  assert (mono : 0 <= pull h + -1 * distance h * m).
  { unfold Linear.pull, Variates.field_square, Linear.distance in Q1 |- *. rewrite !norm_square in Q1.
    rewrite norm_square. set (d := Shat (after P h) [-] s_star) in *. rewrite (dot_sym _ _ d) in Q1 |- *.
    eapply as_sum_ge; [| eapply own_diana_sharp_4 with (d := d) (h := field P (Shat (after P h))) (ell_m := ell - m)
      (m := m)]; lra. }
  eapply Rle_trans; [| apply Rplus_le_compat_r, larger_factor].
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_diana_sharp_5 with (A := change h) (D := pull h) (E_d'_2 := d') (G_t := G_star h)
    (G_t_1 := G') (K := K) (N := N) (alpha := alpha P) (d_2 := distance h) (ell := ell) (gamma := step)
    (h_2 := field_square h) (lambda := lambda) (m := m) (omega_p := omega_p)
    (room := 2 - step * b * (ell + m)) (sigma_2_n := sigma2_n)];
    try assumption; try apply pow2_ge_0; try apply sigma2_pos; try apply step_positive;
    try apply (omega_p_pos P omega a4 a5); unfold level in *; try lra.
  apply Rle_trans with (m * distance h); [apply Rmult_le_pos |]; lra.
Qed.

Theorem diana_sharp : alpha P <= 1 -> forall T,
  E (path P T) Psi
  <= sharp_rate ^ T * E (path P 0) Psi + level * step ^ 2 * sigma2_n * sum (fun t => sharp_rate ^ pred t) T.
Proof.
  intros at_most_1. apply after_rounds; [| exact sharp_round].
  apply Rle_trans with (1 - alpha P); [lra | apply Rmax_r].
Qed.
End Interpolated.
End Linear.

(* The hypotheses do not contradict each other: on the line of Instance.v, where h_i(s) = own_mean i - s and
   h(s) = - s, with a smaller alpha. *)
Definition slower : problem := Build_problem line (calS example) (Theta example) (f example) (g example) (psi example)
  (phi example) (map example) (n example) (mu example) (sample example) (pi example) (Sbar example) (initial example)
  (p example) (selection example) (oracles example) (compressor example) (/ 8) (gamma example) (B_used example)
  (Pi example).
Theorem linear_hypotheses_hold : let P := slower in
  distribution P /\ steps_positive P /\ (forall t, gamma P (S t) = / 100) /\ A3 P (fun _ => 1) /\ A4 P 1 /\ A5 P /\
  0 < alpha P <= 1 /\ 0 <= 6 /\ omega_p P 1 <= 6 * (1 - alpha P * (1 + omega_p P 1)) /\ comes_no_farther P 0 /\
  monotone P 0 1 /\ cocoercive P 0 1 /\ clients_cocoercive P 0 (/ 2) /\ / 100 * (1 + 6 * / 2) <= 2 /\
  interpolated P 0 (/ 2) 1 /\ clients_interpolated P 0 (/ 2) 1 (/ 2) /\
  / 100 * (1 + 6 * / 2 / 1) * (1 + / 2) <= 2.
Proof.
  cbv zeta. destruct hypotheses_hold as (D & _ & S0 & argmin & _ & _ & _ & A4' & A5' & _ & _ & _ & _ & convex & _).
  assert (field_is : forall s, field slower s = - s).
  { intro s. unfold field. change (mean_oracle slower) with (mean_oracle example). rewrite mean_line. unfold minus. cbn.
    ring. }
  assert (own : forall i s, dot (field_of slower i s [-] field_of slower i 0) (field_of slower i s [-] field_of slower
    i 0) = s * s).
  { intros i s. unfold field_of. change (mean_oracle_of slower) with (mean_oracle_of example). rewrite !mean_of_line.
    unfold minus. cbn. ring. }
  assert (all : forall h, distance slower 0 h = Shat (after slower h) * Shat (after slower h) /\
    pull slower 0 h = Shat (after slower h) * Shat (after slower h) /\
    field_square slower h = Shat (after slower h) * Shat (after slower h) /\
    change slower 0 h = Shat (after slower h) * Shat (after slower h) / 2).
  { intro h. unfold distance, pull, field_square, change. rewrite !norm_square, field_is.
    rewrite (sum_ext _ (fun i => mu slower i ^ 2 * (Shat (after slower h) * Shat (after slower h))))
      by (intro i; rewrite norm_square, own; reflexivity).
    unfold minus. cbn. repeat split; field. }
  assert (o : omega_p slower 1 = 3) by (unfold omega_p; cbn; field).
  split; [exact D |]. split; [exact S0 |]. split; [reflexivity |]. split.
  { intros t h i _ _. cbv zeta. change (mean_oracle_of slower) with (mean_oracle_of example). rewrite mean_of_line.
    split; [lra |]. split.
    - intro y. cbn. field.
    - cbn [oracles slower example]. rewrite mean_either, !norm_square. unfold minus. cbn. right. field. }
  split; [exact A4' |]. split; [exact A5' |]. split; [cbn; lra |]. split; [lra |]. split; [rewrite o; cbn; lra |].
  split; [apply euclidean; [exact argmin | exact convex | cbn; lra | reflexivity] |].
  assert (sq : forall u : R, 0 <= u * u) by apply Rle_0_sqr.
  repeat split; try lra; intros t h _; destruct (all h) as (Z1 & Z2 & Z3 & Z4);
    rewrite ?Z1, ?Z2, ?Z3, ?Z4; specialize (sq (Shat (after slower h))); lra.
Qed.

Definition together :=
  (diana_client, diana_round, diana_rate, sharp_round, diana_sharp, euclidean, linear_hypotheses_hold).
Print Assumptions together.
