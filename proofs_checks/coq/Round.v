(* One round of Algorithm 2, given its past: Propositions 2 to 5 (L 1372, 1452, 1547, 1757) from the assumptions. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude AppendixDLemmas Means Identities Proposition2 Propositions34 Laws Algorithm Geometry Draws.
Open Scope R_scope.

(* Proposition 5: the server's control variate is the mean of the agents'. *)
Theorem variates_conserved : forall (P : problem) (h : past (vec P)),
  same (V_server (after P h)) (vsum (fun i => mu P i [*] V_agent (after P h) i) (n P)).
Proof.
  intros P h. induction h as [s v | h IH w]; intro y; [reflexivity |].
  cbn [after step V_server V_agent]. rewrite dot_add, dot_scal, (IH y). unfold over_active. clear IH.
  induction (n P) as [| k I]; cbn [vsum]; [rewrite !dot_zero; ring |].
  rewrite !dot_add, <- I. destruct (active (w (S k))); expand; ring.
Qed.

(* Lemma 3 at a point y of S, in terms of B. *)
Lemma nearest : forall (P : problem) (B : vec P -> vec P), line_599 P -> A8_i P -> positive_definite P B ->
  forall x y, calS P y -> 0 <= dot (Pi P B x [-] x) (B (y [-] Pi P B x)).
Proof.
  intros P B argmin a8_i definite x y Y. destruct (argmin B x definite) as (I & N), definite as (sym & v & v0 & low).
  assert (pos : forall u, 0 <= dot u (B u)).
  { intro u. eapply Rle_trans; [| apply low]. apply Rmult_le_pos; [lra | apply pow2_ge_0]. }
  pose proof (lemma_3 (wide P B sym pos) (root P B sym pos) (root_add P B sym pos) (root_scal P B sym pos)
    (fun u => calS P (fst u)) (fun u v l => a8_i (fst u) (fst v) l) (plain P B sym pos x)
    (plain P B sym pos (Pi P B x)) (plain P B sym pos y)) as Q.
  rewrite dot_root in Q. apply Q; [| exact Y]. split; [exact I |]. intros z Z. rewrite !dot_root.
  apply (norm_in_le P B pos), (N (fst z) Z).
Qed.

Section Round.
Variable P : problem.
Notation V := (vec P).
Variable B : V -> V -> V.
Variables sigma L : nat -> R.
Variables omega C1 C2 v_min v_max : R.
Hypothesis mus : distribution P.
Hypothesis start : starts_inside P.
Hypothesis steps : steps_positive P.
Hypothesis argmin : line_599 P.
Hypothesis a3 : A3 P sigma.
Hypothesis a4 : A4 P omega.
Hypothesis a5 : A5 P.
Hypothesis a7_i : A7_i P B C1 C2.
Hypothesis a7_ii : A7_ii P B v_min v_max.
Hypothesis a8_i : A8_i P.
Hypothesis a8_ii : A8_ii P B.

Lemma definite : forall s, calS P s -> positive_definite P (B s).
Proof.
  intros s I. destruct a7_i as (_ & _ & Q), a7_ii as (Z & R). split; [apply Q; exact I |].
  exists v_min. split; [lra |]. intro u. apply R. exact I.
Qed.
Lemma inside : forall t h, possible (path P t) h -> calS P (Shat (after P h)).
Proof.
  induction t as [| t IH]; intros h Q; cbn [path] in Q; apply possible_next in Q; destruct Q as (w & A & C).
  - apply possible_sure in C. subst h. destruct w as [s v]. apply (start s v A).
  - apply possible_next in C. destruct C as (d & _ & C). apply possible_sure in C. subst h.
    cbn [after step Shat]. apply argmin. rewrite (a8_ii _ _ A). apply definite, (IH _ A).
Qed.

Variable t : nat.
Variable h : past V.
Hypothesis reached : possible (path P t) h.
Notation s := (Shat (after P h)).
Notation s' w := (Shat (after P (followed h w))).
Notation Bs := (B s).
Notation step_size := (gamma P (S (rounds h))).
Notation target i := (mean_oracle_of P i (map P s)).
Notation x i := (V_agent (after P h) i [-] field_of P i s).
Notation own i w := (noise P (target i) (w i%nat) [+] sent P s (V_agent (after P h) i) (w i%nat)).
Notation error w := (H P (after P h) w [-] field P s).
Definition variance := E (one_round P h) (fun w => norm_in (B_used P h) (error w) ^ 2).

Lemma symmetric_B : forall u v, dot (Bs u) v = dot u (Bs v).
Proof. apply definite, (inside _ _ reached). Qed.
Lemma lower_B : forall u, v_min * dot u u <= dot u (Bs u).
Proof. intro u. rewrite <- norm_square. apply a7_ii, (inside _ _ reached). Qed.
Lemma upper_B : forall u, dot u (Bs u) <= v_max * dot u u.
Proof. intro u. rewrite <- norm_square. apply a7_ii, (inside _ _ reached). Qed.
Lemma positive_B : forall u, 0 <= dot u (Bs u).
Proof.
  intro u. apply Rle_trans with (v_min * dot u u); [| apply lower_B]. apply Rmult_le_pos; [| apply dot_pos].
  destruct a7_ii. lra.
Qed.
Notation Wide := (wide P Bs symmetric_B positive_B).
Notation flat := (plain P Bs symmetric_B positive_B).
Notation root := (root P Bs symmetric_B positive_B).
Notation In_S := (fun u : vec Wide => calS P (fst u)).

Lemma variance_is : variance = E (one_round P h) (fun w => dot (error w) (Bs (error w))).
Proof.
  unfold variance. rewrite (a8_ii _ _ reached). apply mean_ext. intro w. apply (norm_in_square P Bs positive_B).
Qed.

(* H - h is the weighted sum of the agents' own errors (L 1478-1488). *)
Lemma error_own : forall w, same (error w) (vsum (fun i => mu P i [*] own i w) (n P)).
Proof.
  intros w y. destruct mus as (_ & one), a5 as (p01 & _).
  assert (Q : forall k, dot (vsum (fun i => mu P i [*] V_agent (after P h) i) k) y
    + 1 / p P * dot (vsum (fun i => if active (w i) then mu P i [*] message P (after P h) w i else zero) k) y
    - dot (vsum (fun i => mu P i [*] target i) k) y + dot s y * sum (mu P) k
    = dot (vsum (fun i => mu P i [*] own i w) k) y).
  { induction k as [| k IH]; cbn [vsum sum]; [rewrite !dot_zero; ring |].
    rewrite !dot_add, <- IH, !dot_scal. unfold noise, sent, received, message, Delta.
    destruct (active (w (S k))); expand; field; lra. }
  rewrite <- Q, one. unfold H, over_active, field, mean_oracle. expand.
  rewrite variates_conserved. ring.
Qed.

Lemma projected : forall (x : vec Wide) x0, same (fst x) x0 ->
  projection Wide root In_S x (flat (Pi P Bs x0)).
Proof.
  intros x x0 Q. destruct (argmin _ x0 (definite _ (inside _ _ reached))) as (I & N). split; [exact I |].
  intros y Y. rewrite !dot_root. specialize (N (fst y) Y).
  apply (norm_in_le P Bs positive_B) in N.
  rewrite (same_in P Bs symmetric_B (Pi P Bs x0 [-] x0) (fst (minus (flat (Pi P Bs x0)) x))) in N.
  2: { intro z. cbn. unfold minus. rewrite !dot_add, !dot_scal, (Q z). ring. }
  rewrite (same_in P Bs symmetric_B (fst y [-] x0) (fst (minus y x))) in N.
  2: { intro z. cbn. unfold minus. rewrite !dot_add, !dot_scal, (Q z). ring. }
  exact N.
Qed.
Lemma next_is : forall w, s' w = Pi P Bs (s [+] step_size [*] H P (after P h) w).
Proof. intro w. cbn [after step Shat]. rewrite (a8_ii _ _ reached). reflexivity. Qed.
Lemma moved : forall w, projection Wide root In_S
  (add (flat s) (scal step_size (add (flat (field P s)) (flat (error w))))) (flat (s' w)).
Proof. intro w. rewrite next_is. apply projected. intro y. cbn. expand. ring. Qed.
Notation bar := (Pi P Bs (s [+] step_size [*] field P s)).
Lemma moved_bar : projection Wide root In_S (add (flat s) (scal step_size (flat (field P s)))) (flat bar).
Proof. apply projected. intro y. reflexivity. Qed.
Lemma next_inside : forall w, calS P (s' w).
Proof. intro w. apply (proj1 (moved w)). Qed.
Lemma barE_is : barE P h = dot (bar [-] s) (Bs (bar [-] s)) / step_size ^ 2.
Proof. unfold barE. rewrite (a8_ii _ _ reached), (norm_in_square P Bs positive_B). reflexivity. Qed.

(* Proposition 2. *)
Notation C_bar M := (C2 + C1 * M).
Section Proposition_2.
Hypothesis mm_1 : MM_1 P.
Hypothesis mm_2 : MM_2 P.

Lemma round_2_positive : forall M, 0 < M -> A6_ii P M -> 0 <= 1 - 2 * step_size * / v_min * C_bar M ->
  E (one_round P h) (fun w => W P (followed h w))
  <= W P h - step_size / 4 * (1 - 2 * step_size * / v_min * C_bar M) * barE P h
    + step_size * (1 - step_size * / v_min * C_bar M) * variance.
Proof.
  intros M M0 (_ & a6) small. destruct a7_i as (c1 & c2 & a7), a7_ii as (v & _).
  pose proof (inside _ _ reached) as I. destruct (a7 _ I) as (_ & a7'). clear a7.
  pose (dphi := fun w => phi P (map P (s' w)) [-] phi P (map P s)).
  rewrite variance_is, barE_is.
  pose proof (proposition_2 Wide root (root_add P Bs symmetric_B positive_B) (root_scal P Bs symmetric_B positive_B)
    In_S (fun u v l => a8_i (fst u) (fst v) l) _ (under (one_round P h)) (flat s) (flat (field P s)) (flat bar)
    (flat (phi P (map P s))) (f P (map P s)) (g P (map P s)) (psi P (map P s)) step_size C1 C2 M v_min
    (fun w => flat (error w)) (fun w => flat (s' w)) (fun w => flat (dphi w))
    (fun w => flat (dphi w [-] Bs (s' w [-] s)))
    (fun w => f P (map P (s' w))) (fun w => g P (map P (s' w))) (fun w => psi P (map P (s' w)))) as Q.
  cbv beta zeta in Q. rewrite dot_root in Q. change (fst (minus (flat bar) (flat s))) with (bar [-] s) in Q.
  rewrite (mean_ext _ _ (fun w => dot (root (flat (error w))) (root (flat (error w))))
    (fun w => dot (error w) (Bs (error w)))) in Q by (intro w; apply dot_root).
  assert (ds : forall w, dot (minus (flat (s' w)) (flat s)) (minus (flat (s' w)) (flat s))
    = dot (s' w [-] s) (s' w [-] s)).
  { intro w. apply dot_plain_minus. }
  apply Q; clear Q.
  - apply steps.
  - exact I.
  - exact moved.
  - exact moved_bar.
  - lra.
  - intro w. rewrite dot_add, !dot_plain. specialize (mm_1 (map P s) (map P (s' w))).
    fold (dphi w) in mm_1. unfold field, minus at 1.
    rewrite dot_add, dot_scal. lra.
  - intro w. specialize (mm_2 _ (next_inside w) (map P s)). rewrite dot_add_r, !dot_plain. unfold dphi, minus.
    rewrite dot_add_r, dot_scal_r. lra.
  - rewrite dot_plain. apply norm_le; [lra | apply a6; exact I].
  - intro w. rewrite dot_root, !dot_plain. unfold minus at 1. rewrite dot_add_r, dot_scal_r. cbn [fst plain].
    change (fst (minus (flat (s' w)) (flat s))) with (s' w [-] s). ring.
  - intro w. rewrite dot_plain, ds, <- !norm_square. destruct (a7' _ (next_inside w)) as (Q & _). fold (dphi w) in Q.
    replace (C1 ^ 2 * (norm (s' w [-] s) ^ 2) ^ 2) with ((C1 * norm (s' w [-] s) ^ 2) ^ 2) by ring.
    apply pow_incr. split; [apply norm_pos | exact Q].
  - intro w. rewrite ds, <- norm_square. destruct (a7' _ (next_inside w)) as (_ & Q). fold (dphi w) in Q.
    apply Rle_trans with (Rabs (dot (s' w [-] s) (dphi w))); [| exact Q].
    apply Rle_trans with (dot (s' w [-] s) (dphi w)); [right | apply Rle_abs].
    rewrite dot_sym, dot_plain_l, dot_sym. reflexivity.
  - intro w. rewrite ds, dot_root. apply lower_B.
  - exact small.
Qed.

(* The same where the supremum of |h| is 0: by a limit in M. *)
Theorem round_2 : forall M, A6_ii P M -> 0 < 1 - 2 * step_size * / v_min * C_bar M ->
  E (one_round P h) (fun w => W P (followed h w))
  <= W P h - step_size / 4 * (1 - 2 * step_size * / v_min * C_bar M) * barE P h
    + step_size * (1 - step_size * / v_min * C_bar M) * variance.
Proof.
  intros M (M0 & a6) small. pose proof (steps (rounds h)) as Z. destruct a7_i as (c1 & c2 & _), a7_ii as (v & _).
  pose (k := 2 * step_size * / v_min * C1).
  assert (K : 0 < k) by (unfold k; repeat apply Rmult_lt_0_compat; try apply Rinv_0_lt_compat; lra).
  pose (room := (1 - 2 * step_size * / v_min * C_bar M) / k).
  assert (R : 0 < room) by (apply Rdiv_lt_0_compat; assumption).
  assert (KR : k * room = 1 - 2 * step_size * / v_min * C_bar M) by (unfold room; field; lra).
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  apply limit_zero with (b := room * k * (step_size / 4 * barE P h - step_size / 2 * variance)). intros l L0 L1.
  assert (A : A6_ii P (M + l * room)).
  { pose proof (Rmult_lt_0_compat _ _ L0 R). split; [lra |]. intros u U. specialize (a6 u U). lra. }
  assert (S' : 0 <= 1 - 2 * step_size * / v_min * C_bar (M + l * room)).
  { replace (1 - 2 * step_size * / v_min * C_bar (M + l * room)) with (k * room - l * (k * room)).
    - pose proof (Rmult_lt_0_compat _ _ K R). nra.
    - rewrite KR at 1. unfold k. ring. }
  pose proof (Rmult_lt_0_compat _ _ L0 R) as LR.
  pose proof (round_2_positive (M + l * room) ltac:(lra) A S') as Q. unfold k. lra.
Qed.
End Proposition_2.

(* What Propositions 3 and 4 are told about the agents. *)
Notation noise' i w := (flat (noise P (target i) (w i%nat))).
Notation sent' i w := (flat (sent P s (V_agent (after P h) i) (w i%nat))).
Lemma of_one : forall i F, agent P i -> E (one_round P h) (fun w => F (w i)) = E (one_draw P h i) F.
Proof. intros i F I. apply (mean_of_one _ _ _ _ _ F I). Qed.
Lemma unbiased_noise : forall i, agent P i -> E (one_round P h) (fun w => dot (noise' i w) (flat (x i))) = 0.
Proof.
  intros i I. rewrite <- (noise_mean P h i (target i) (proj1 (proj2 (a3 t h i reached I))) (x i)), <- of_one by exact I.
  apply mean_ext. intro w. apply dot_plain.
Qed.
Lemma unbiased_sent : forall i (y : V -> V), agent P i ->
  E (one_round P h) (fun w => dot (sent' i w) (flat (y (oracle (w i))))) = 0.
Proof.
  intros i y I. rewrite <- (sent_mean P h omega a4 a5 i s (V_agent (after P h) i) y), <- of_one by exact I.
  apply mean_ext. intro w. apply dot_plain.
Qed.
Lemma unbiased_sent_B : forall i, agent P i ->
  E (one_round P h) (fun w => dot (root (noise' i w)) (root (sent' i w))) = 0.
Proof.
  intros i I. rewrite <- (unbiased_sent i (fun a => Bs (a [-] target i)) I). apply mean_ext. intro w.
  rewrite dot_root, dot_plain, dot_sym. apply symmetric_B.
Qed.
Lemma uncorrelated : forall i j, agent P i -> agent P j -> i <> j -> E (one_round P h) (fun w =>
  dot (root (add (noise' i w) (sent' i w))) (root (add (noise' j w) (sent' j w)))) = 0.
Proof.
  intros i j I J D. pose (o := fun k d => noise P (target k) d [+] sent P s (V_agent (after P h) k) d).
  transitivity (E (one_round P h) (fun w => dot (o i (w i)) (Bs (o j (w j))))).
  - apply mean_ext. intro w. apply dot_root.
  - unfold one_round. rewrite (mean_of_two _ _ _ _ _ _ (fun d e => dot (o i d) (Bs (o j e))) I J D).
    transitivity (E (one_draw P h j) (fun _ => 0)); [| apply E_const]. apply mean_ext. intro e.
    apply (own_mean P h omega a4 a5 i s (V_agent (after P h) i) (target i) (proj1 (proj2 (a3 t h i reached I)))).
Qed.
Lemma noise_bounded : forall i, agent P i -> E (one_round P h) (fun w => dot (noise' i w) (noise' i w)) <= sigma i ^ 2.
Proof.
  intros i I. eapply Rle_trans; [right |
    apply (noise_square P h i (target i) (sigma i) (proj2 (proj2 (a3 t h i reached I))))].
  rewrite <- of_one by exact I. apply mean_ext. intro w. apply dot_plain.
Qed.
Lemma sent_bounded : forall i, agent P i -> E (one_round P h) (fun w => dot (sent' i w) (sent' i w))
  <= omega_p P omega * E (one_round P h) (fun w =>
      dot (add (noise' i w) (scal (-1) (flat (x i)))) (add (noise' i w) (scal (-1) (flat (x i))))).
Proof.
  intros i I. pose proof (sent_square P h omega a4 a5 i s (V_agent (after P h) i)) as Q.
  rewrite <- !of_one in Q by exact I.
  eapply Rle_trans; [right | eapply Rle_trans; [exact Q | right; f_equal]]; apply mean_ext; intro w.
  - apply dot_plain.
  - change (add (noise' i w) (scal (-1) (flat (x i)))) with (minus (noise' i w) (flat (x i))).
    rewrite dot_plain_minus. apply same_square. intro y. unfold noise, field_of. expand. ring.
Qed.
Lemma omega_p_pos : 0 <= omega_p P omega.
Proof.
  destruct a4 as (o & _), a5 as (q & _). unfold omega_p. apply Rplus_le_le_0_compat; [exact o |].
  apply Rmult_le_pos; [lra |]. unfold Rdiv. apply Rmult_le_pos; [lra |]. apply Rlt_le, Rinv_0_lt_compat. lra.
Qed.
Lemma error_B : forall w, let e := vsum (fun i => scal (mu P i) (add (noise' i w) (sent' i w))) (n P) in
  dot (root e) (root e) = dot (error w) (Bs (error w)).
Proof.
  intros w e. rewrite dot_root. apply same_in; [apply symmetric_B |]. apply same_sym. unfold e. rewrite fst_vsum.
  apply error_own.
Qed.
Lemma G_is : Propositions34.G Wide (n P) (mu P) (fun i => flat (x i)) = G P h.
Proof. apply sum_ext. intro i. rewrite dot_plain, norm_square. reflexivity. Qed.

Theorem round_3 :
  variance <= (1 + omega_p P omega) * v_max * spread (n P) (mu P) sigma + omega_p P omega * v_max * G P h.
Proof.
  destruct a7_ii as (v & _), mus as (pos & _). rewrite variance_is, <- G_is.
  eapply Rle_trans; [right | apply (proposition_3 Wide _ (under (one_round P h)) root
    (root_zero P Bs symmetric_B positive_B) (root_add P Bs symmetric_B positive_B)
    (root_scal P Bs symmetric_B positive_B) (n P) (mu P) sigma (fun _ => 0) (fun i => flat (x i))
    (fun i w => noise' i w) (fun i w => sent' i w) (omega_p P omega) v_min v_max)].
  - apply mean_ext. intro w. symmetry. apply error_B.
  - pose proof omega_p_pos. lra.
  - intros i I. split; [apply pos; exact I | split; [apply (a3 t h i reached I) | lra]].
  - exact unbiased_noise.
  - exact unbiased_sent_B.
  - exact uncorrelated.
  - exact noise_bounded.
  - exact sent_bounded.
  - apply wide_upper; [exact upper_B | lra].
Qed.

Section Proposition_4.
Hypothesis a6_i : A6_i P L.
Notation change i w := (field_of P i (s' w) [-] field_of P i s).

Lemma next_variate : forall i w,
  let X := add (add (flat (x i)) (scal (alpha P) (add (add (noise' i w) (scal (-1) (flat (x i)))) (sent' i w))))
    (scal (-1) (flat (change i w))) in
  dot X X = norm (V_agent (after P (followed h w)) i [-] field_of P i (s' w)) ^ 2.
Proof.
  intros i w X. destruct a5 as (p01 & _). rewrite norm_square.
  transitivity (dot (fst X) (fst X) + dot (Bs (snd X)) (snd X)); [reflexivity |].
  assert (Z : dot (Bs (snd X)) (snd X) = 0).
  { rewrite symmetric_B. unfold X. cbn [snd plain add scal wide]. expand. ring. }
  rewrite Z, Rplus_0_r. apply same_square. intro y. unfold X. cbn [fst plain add scal wide].
  generalize (field_of P i (s' w)) as next_field. intro next_field. cbn [after step V_agent].
  unfold noise, sent, received, message, Delta, field_of. destruct (active (w i)); expand; field; lra.
Qed.

Theorem round_4 : forall b, 0 < b -> 0 <= alpha P -> alpha P * (1 + omega_p P omega) <= 1 ->
  let K := v_max / v_min * slopes (n P) (mu P) L in
  E (one_round P h) (fun w => G P (followed h w))
  <= (1 + b) * (1 - alpha P + 2 * omega_p P omega / b * K * step_size ^ 2) * G P h
    + 2 * (1 + b) / b * slopes (n P) (mu P) L / v_min * step_size ^ 2 * barE P h
    + (1 + b) * (alpha P + 2 * (1 + omega_p P omega) / b * K * step_size ^ 2) * spread (n P) (mu P) sigma.
Proof.
  intros b b0 al0 al1 K. unfold K. destruct a7_ii as (v & _), mus as (pos & _). rewrite <- G_is.
  eapply Rle_trans; [right | apply (proposition_4 Wide _ (under (one_round P h)) root
    (root_zero P Bs symmetric_B positive_B) (root_add P Bs symmetric_B positive_B)
    (root_scal P Bs symmetric_B positive_B) (n P) (mu P) sigma L (fun i => flat (x i))
    (fun i w => noise' i w) (fun i w => sent' i w) (omega_p P omega) v_min v_max) with
    (ds := fun w => flat (s' w [-] s)) (change := fun i w => flat (change i w))].
  - unfold G. rewrite mean_sum. apply sum_ext. intro i. rewrite (mean_scal _ _ (mu P i ^ 2)). f_equal.
    apply mean_ext. intro w. symmetry. apply next_variate.
  - pose proof omega_p_pos. lra.
  - intros i I. split; [apply pos; exact I | split; [apply (a3 t h i reached I) | apply a6_i; exact I]].
  - exact unbiased_noise.
  - intros i I. rewrite <- (unbiased_sent i (fun a => a [-] target i [-] x i) I). apply mean_ext. intro w.
    rewrite !dot_add_r, dot_scal_r, !dot_plain. unfold noise, minus. expand. ring.
  - intros i I. apply (unbiased_sent i (fun _ => x i) I).
  - exact unbiased_sent_B.
  - exact uncorrelated.
  - exact noise_bounded.
  - exact sent_bounded.
  - apply wide_upper; [exact upper_B | lra].
  - pose proof (steps (rounds h)). repeat split; try lra. rewrite barE_is.
    apply Rmult_le_pos; [apply positive_B | apply Rlt_le, Rinv_0_lt_compat, pow_lt; lra].
  - exact al1.
  - intros i w I. rewrite !dot_plain. destruct (a6_i i I) as (L0 & Q).
    specialize (Q _ _ (inside _ _ reached) (next_inside w)).
    rewrite <- !norm_square, <- Rpow_mult_distr. apply pow_incr. split; [apply norm_pos | exact Q].
  - intro w. rewrite dot_plain, dot_root. apply lower_B.
  - intro w. rewrite error_B, barE_is.
    pose proof (corollary_ii_back Wide root (root_add P Bs symmetric_B positive_B)
      (root_scal P Bs symmetric_B positive_B) In_S (fun u v l => a8_i (fst u) (fst v) l) _ _ _ _ _ _
      (steps (rounds h)) (moved w) moved_bar) as Q.
    rewrite !dot_root in Q. rewrite dot_root.
    change (fst (minus (flat (s' w)) (flat s))) with (s' w [-] s) in Q.
    change (fst (minus (flat bar) (flat s))) with (bar [-] s) in Q. cbn [fst plain] in Q |- *. unfold Rdiv. lra.
Qed.
End Proposition_4.
End Round.
