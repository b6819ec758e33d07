(* ProxSkip (Mishchenko et al. 2022), from the algorithm to its rate, in any real inner-product space: a gradient step
   in each round, the prox with probability p. *)
From Coq Require Import Reals Lra.
Require Import Prelude BeyondMessages Means Identities Laws Algorithm Geometry Convex.
Open Scope R_scope.

Record state (V : Type) := { x : V; h : V }.
Arguments x {_}. Arguments h {_}.

Section ProxSkip.
Variable Space : space.
Notation V := (vec Space).
Variable f : V -> R.
Variables grad P : V -> V.
Variable coin : law bool.
Variable initial : law (state V).
Variables gamma p m L : R.
Variable x_star : V.
Definition moved s := x s [-] gamma [*] (grad (x s) [-] h s).
Definition step s (prox : bool) :=
  let x' := if prox then P (moved s [-] (gamma / p) [*] h s) else moved s in
  {| x := x'; h := h s [+] (p / gamma) [*] (x' [-] moved s) |}.
Definition one_round s := next coin (fun prox => sure (step s prox)).
Fixpoint run T := match T with O => initial | S T => next (run T) one_round end.
Definition h_star := grad x_star.
Definition Psi s := norm (x s [-] x_star) ^ 2 + gamma ^ 2 / p ^ 2 * norm (h s [-] h_star) ^ 2.

Hypothesis m_positive : 0 < m.
Hypothesis L_positive : 0 < L.
Hypothesis f_convex : strongly_convex f grad m.
Hypothesis f_smooth : smooth f grad L.
Hypothesis step_size : 0 < gamma <= 1 / L.
Hypothesis p_positive : 0 < p.
Hypothesis chance : E coin (fun prox => if prox then 1 else 0) = p.
Hypothesis firm : forall u v, norm (P u [-] P v) ^ 2 <= dot (P u [-] P v) (u [-] v).
Hypothesis fixed : same (P (x_star [-] (gamma / p) [*] h_star)) x_star.

Lemma p_at_most_one : p <= 1.
Proof.
  rewrite <- chance. apply Rle_trans with (E coin (fun _ => 1)); [| right; apply E_const].
  apply mean_le. intros [|]; lra.
Qed.

(* own-proxskip, one round. *)
Theorem proxskip_round : forall s, E (one_round s) Psi
  <= (1 - gamma * m) * norm (x s [-] x_star) ^ 2 + (1 - p ^ 2) * (gamma ^ 2 / p ^ 2) * norm (h s [-] h_star) ^ 2.
Proof.
  intro s. pose proof p_at_most_one as p1. pose proof step_size as (g0 & gL).
  pose (dx := x s [-] x_star). pose (dh := h s [-] h_star). pose (D := grad (x s) [-] h_star).
  pose (u := moved s [-] (gamma / p) [*] h s). pose (dP := P u [-] x_star).
  (* The coin. *)
  assert (mixed : E (one_round s) Psi = p * Psi (step s true) + (1 - p) * Psi (step s false)).
  { unfold one_round. rewrite mean_next. transitivity (E coin (fun prox => (Psi (step s true) - Psi (step s false))
      * (if prox then 1 else 0) + Psi (step s false) * 1)).
    - apply mean_ext. intros [|]; rewrite mean_sure; ring.
    - rewrite (mean_add _ _ (fun prox : bool => _ * (if prox then 1 else 0))), mean_const, mean_scal, chance. ring. }
  assert (pos : forall s, 0 <= Psi s).
  { intro r. unfold Psi. rewrite !norm_square. pose proof (dot_pos _ (x r [-] x_star)).
    pose proof (dot_pos _ (h r [-] h_star)). apply Rplus_le_le_0_compat; [assumption |].
    apply Rmult_le_pos; [| assumption]. apply Rlt_le, Rdiv_lt_0_compat; apply pow_lt; assumption. }
  (* With the prox. *)
  assert (F : 0 <= dot dP (u [-] (x_star [-] (gamma / p) [*] h_star)) - dot dP dP).
  { pose proof (firm u (x_star [-] (gamma / p) [*] h_star)) as Q. rewrite norm_square in Q.
    assert (S : same (P u [-] P (x_star [-] (gamma / p) [*] h_star)) dP).
    { intro y. pose proof (fixed y) as Z. unfold dP, minus in *. rewrite !dot_add, !dot_scal, Z. reflexivity. }
    rewrite (same_square _ _ _ S), (S (u [-] _)) in Q. lra. }
  assert (done : Psi (step s true) <= dot (dx [-] gamma [*] (D [-] dh) [-] (gamma / p) [*] dh)
    (dx [-] gamma [*] (D [-] dh) [-] (gamma / p) [*] dh)).
  { apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0. eapply as_sum_ge; [| eapply own_proxskip_1 with (delta_P := dP)
      (delta_h := dh) (delta_nabla_f := D) (delta_x := dx) (gamma := gamma) (p := p)]; try assumption; try lra.
    - unfold Psi. rewrite !norm_square. cbn [step x h]. fold u. unfold dP, dx, dh, D. generalize (P u). intro x'.
      unfold moved. products. field. lra.
    - eapply as_sum_ge; [| exact F]. unfold dP. generalize (P u). intro x'. unfold u, dx, dh, D, moved. products.
      field. lra. }
  (* The gradient step. *)
  assert (contraction : 0 <= (1 - gamma * m) * dot dx dx - dot (dx [-] gamma [*] D) (dx [-] gamma [*] D)).
  { assert (w0 : 0 <= / gamma - L).
    { apply Rmult_le_reg_l with gamma; [exact g0 |]. apply (Rmult_le_compat_r L) in gL; [| lra].
      replace (1 / L * L) with 1 in gL by (field; lra). replace (gamma * (/ gamma - L)) with (1 - gamma * L)
        by (field; lra). lra. }
    assert (C : convex f grad).
    { intros v w. pose proof (f_convex v w) as Q. pose proof (pow2_ge_0 (norm (v [-] w))) as N.
      apply (Rmult_le_compat_l (m / 2)) in N; lra. }
    pose proof (cocoercive f grad L L_positive C f_smooth (x s) x_star) as B. fold h_star in B. fold D dx in B.
    pose proof (f_convex (x s) x_star) as Q. pose proof (f_convex x_star (x s)) as Q'. rewrite norm_square in Q, Q'.
    eapply as_sum_ge; [| eapply own_proxskip_2 with (delta_nabla_f := D) (delta_x := dx) (L_f := L) (m := m)
      (w := / gamma - L)]; try assumption; try lra.
    - products. field. split; lra.
    - pose proof (Rplus_le_compat _ _ _ _ Q Q') as M. change (grad x_star) with h_star in M. unfold dx, D. multiplied M.
  }
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0, !norm_square. fold dx dh.
  eapply as_sum_ge; [| eapply own_proxskip_3 with (delta_h := dh) (delta_nabla_f := D) (delta_x := dx)
    (E_Psi_t_1 := E (one_round s) Psi) (Psi_mathrm_prox := Psi (step s true)) (Psi_mathrm_skip := Psi (step s false))
    (gamma := gamma) (m := m) (p := p)]; try assumption; try apply pos; try lra.
  - apply mean_pos. exact (fun _ => pos _).
  - multiplied done.
  - apply Rmult_le_pos; [lra |]. right. unfold Psi. rewrite !norm_square. cbn [step x h].
    unfold moved, dx, dh, D. products. field. lra.
  - multiplied contraction.
Qed.

(* own-proxskip, T rounds. *)
Notation rate := (Rmax (1 - gamma * m) (1 - p ^ 2)).
Theorem proxskip : forall T, E (run T) Psi <= rate ^ T * E initial Psi.
Proof.
  intro T. induction T as [| T IH]; [cbn [run pow]; lra |]. cbn [run]. rewrite mean_next.
  apply Rle_trans with (E (run T) (fun s => rate * Psi s)).
  - apply mean_le. intro s. eapply Rle_trans; [apply proxskip_round |]. unfold Psi.
    pose proof (Rmax_l (1 - gamma * m) (1 - p ^ 2)) as A. pose proof (Rmax_r (1 - gamma * m) (1 - p ^ 2)) as B.
    set (r := rate) in *. apply (Rmult_le_compat_r (norm (x s [-] x_star) ^ 2)) in A; [| apply pow2_ge_0].
    apply (Rmult_le_compat_r (gamma ^ 2 / p ^ 2 * norm (h s [-] h_star) ^ 2)) in B; [lra |].
    apply Rmult_le_pos; [| apply pow2_ge_0].
    apply Rlt_le, Rdiv_lt_0_compat; apply pow_lt; [apply step_size | assumption].
  - rewrite mean_scal. cbn [pow]. rewrite Rmult_assoc. apply Rmult_le_compat_l; [| exact IH].
    eapply Rle_trans; [| apply Rmax_r]. pose proof p_at_most_one. nra.
Qed.
End ProxSkip.

(* The hypotheses do not contradict each other: on the line, f = u^2 / 4, P the prox of 0 on [1, oo), p = 1/2. *)
Theorem hypotheses_hold : let f := fun u : vec line => u ^ 2 / 4 in let grad := fun u : vec line => u / 2 in
  let P := fun u : vec line => Rmax 1 u : vec line in let one : vec line := 1 in
  strongly_convex f grad (/ 2) /\ smooth f grad 1 /\ E fair (fun prox : bool => if prox then 1 else 0) = / 2 /\
  (forall u v, norm (P u [-] P v) ^ 2 <= dot (P u [-] P v) (u [-] v)) /\
  same (P (one [-] (1 / / 2) [*] h_star line grad one)) one.
Proof.
  assert (sq : forall u : vec line, norm u ^ 2 = u * u) by (intro; apply norm_square).
  cbv zeta. unfold strongly_convex, smooth. repeat match goal with |- _ /\ _ => split end.
  - intros u v. rewrite sq. unfold minus. cbn. lra.
  - intros u v. rewrite sq. unfold minus. cbn. pose proof (Rle_0_sqr (u - v)) as Q. unfold Rsqr in Q. lra.
  - rewrite mean_fair. lra.
  - intros u v. rewrite sq. unfold minus. cbn.
    destruct (Rle_or_lt 1 u), (Rle_or_lt 1 v); rewrite ?(Rmax_right 1 u), ?(Rmax_right 1 v), ?(Rmax_left 1 u),
      ?(Rmax_left 1 v) by lra; nra.
  - intro y. unfold h_star, minus. cbn. rewrite Rmax_left by lra. reflexivity.
Qed.

Definition together := (proxskip_round, proxskip, hypotheses_hold).
Print Assumptions together.
