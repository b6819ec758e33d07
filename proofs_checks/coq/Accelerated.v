(* Nesterov's acceleration, from the algorithm to the bound over T rounds, in any real inner-product space: of the
   quadratic surrogate, with restarts, and of one client whose messages lose something. *)
From Coq Require Import Reals Lra Lia.
Require Import Prelude BeyondMessages Means Identities Laws Algorithm Geometry Convex.
Open Scope R_scope.

Record point (V : Type) := { x : V; z : V }.
Arguments x {_}. Arguments z {_}.
Definition from {V} (u : V) := {| x := u; z := u |}.
Definition y {Space : space} t (s : point (vec Space)) := (1 - 1 / t) [*] x s [+] (1 / t) [*] z s.
(* The condition on the momentum; t 0 is any number. *)
Definition momentum (t : nat -> R) := forall k, 1 <= t (S k) /\ t (S k) ^ 2 - t (S k) <= t k ^ 2.
Definition nesterov k := match k with O => 0 | S _ => (INR k + 1) / 2 end.
Lemma nesterov_is_one : momentum nesterov.
Proof.
  intro k. pose proof (pos_INR k) as K. unfold nesterov. rewrite S_INR. split; [lra |].
  destruct k as [| k]; [cbn; lra |]. rewrite S_INR in *. pose proof (pos_INR k) as K0.
  pose proof (own_accelerated_restart_1 (INR k + 1) ltac:(lra)). lra.
Qed.

Section Exact.
Variable Space : space.
Notation V := (vec Space).
Variables f g : V -> R.
Variables grad prox : V -> V.
Variable dom : V -> Prop.
Variable L : R.
Variable x_star : V.
Definition step t (s : point V) :=
  let x' := prox (y t s [-] (1 / L) [*] grad (y t s)) in {| x := x'; z := z s [+] t [*] (x' [-] y t s) |}.
Fixpoint after (t : nat -> R) s k := match k with O => s | S k => step (t (S k)) (after t s k) end.
Definition W u := f u + g u.
Definition potential t (s : point V) := t ^ 2 * (W (x s) - W x_star) + L / 2 * norm (z s [-] x_star) ^ 2.

Hypothesis L_positive : 0 < L.
Hypothesis f_convex : convex f grad.
Hypothesis mm_1 : smooth f grad L.
Hypothesis g_convex : convex_on dom g.
Hypothesis mm_2 : prox_of dom g L prox.
Hypothesis minimiser : minimises dom W x_star.

Lemma inside : forall t s, dom (x (step t s)).
Proof. intros t s. apply mm_2. Qed.

(* own-accelerated, one round. *)
Theorem accelerated_round : forall t before s, dom (x s) -> 1 <= t -> t ^ 2 - t <= before ^ 2 ->
  potential t (step t s) <= potential before s.
Proof.
  intros t before s I T room. destruct minimiser as (star & least). replace t with (1 + (t - 1)) in * by ring.
  set (u := t - 1) in *. clearbody u. pose (s' := step (1 + u) s). pose (q := y (1 + u) s). fold s'.
  assert (zs : z s' = z (step (1 + u) s)) by reflexivity. cbn [step z] in zs. fold q in zs.
  pose proof (mm_1 (x s') q) as M. pose proof (f_convex (x s) q) as C. pose proof (f_convex x_star q) as C'.
  pose proof (subgradient dom g L prox g_convex mm_2 (q [-] (1 / L) [*] grad q)) as P.
  change (prox (q [-] (1 / L) [*] grad q)) with (x s') in P, zs. pose proof (P _ I) as Q. pose proof (P _ star) as Q'.
  clearbody s'. set (G := grad q) in *. set (fq := f q) in *. clearbody G fq. rewrite norm_square in M, C, C'.
  unfold q, y in *. apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0. unfold potential. rewrite !norm_square, zs.
  eapply as_sum_ge; [| eapply own_accelerated_3 with (x := x s) (x_plus := x s') (x_star := x_star) (z := z s) (L := L)
    (W := W (x s)) (W_plus := W (x s')) (W_star := W x_star) (t_1 := u) (t_minus := before)]; try assumption; try lra.
  - products. field. lra.
  - eapply as_sum_ge; [| eapply own_accelerated_1 with (nabla_f_y := G) (x := x s) (x_plus := x s') (z := z s)
      (L := L) (f_x := f (x s)) (f_x_plus := f (x s')) (f_y := fq) (g_x := g (x s)) (g_x_plus := g (x s'))
      (t_1 := u)]; try assumption; try lra; [| multiplied M | multiplied C | multiplied Q].
    unfold W. field. lra.
  - eapply as_sum_ge; [| eapply own_accelerated_2 with (nabla_f_y := G) (x := x s) (x_plus := x s') (z := z s)
      (x_star := x_star) (L := L) (f_x := f x_star) (f_x_plus := f (x s')) (f_y := fq) (g_x := g x_star)
      (g_x_plus := g (x s')) (t_1 := u)]; try assumption; try lra; [| multiplied M | multiplied C' | multiplied Q'].
    unfold W. field. lra.
  - apply Rmult_le_pos; [pose proof (least _ I) |]; lra.
Qed.

(* T rounds, and the rate for t_T >= T / 2 from z_0 = x_0. *)
Theorem accelerated : forall t, momentum t -> forall s, dom (x s) ->
  forall T, potential (t T) (after t s T) <= potential (t 0%nat) s.
Proof.
  intros t M s I T. induction T as [| T IH]; [apply Rle_refl |]. destruct (M T) as (T1 & room).
  eapply Rle_trans; [| exact IH]. apply accelerated_round; [| exact T1 | exact room].
  destruct T; [exact I | apply inside].
Qed.
Theorem accelerated_rate : forall t, momentum t -> t 0%nat = 0 -> forall u, dom u ->
  forall T, (1 <= T)%nat -> INR T / 2 <= t T ->
  W (x (after t (from u) T)) - W x_star <= 2 * L * norm (u [-] x_star) ^ 2 / INR T ^ 2.
Proof.
  intros t M t0 u I T T1 half. assert (T0 : 0 < INR T) by (apply lt_0_INR; lia).
  pose proof (accelerated t M (from u) I T) as Q. unfold potential in Q. rewrite t0 in Q. cbn [from x z] in Q.
  assert (D : dom (x (after t (from u) T))) by (destruct T; [exact I | apply inside]).
  pose proof (proj2 minimiser _ D) as low. pose proof (pow2_ge_0 (norm (z (after t (from u) T) [-] x_star))) as P.
  apply (Rmult_le_compat_l (L / 2)) in P; [| lra]. set (gap := W (x (after t (from u) T)) - W x_star) in *.
  assert (S : INR T ^ 2 / 4 * gap <= t T ^ 2 * gap).
  { apply Rmult_le_compat_r; [unfold gap; lra |]. replace (INR T ^ 2 / 4) with ((INR T / 2) ^ 2) by field.
    apply pow_incr. lra. }
  apply Rmult_le_reg_l with (INR T ^ 2 / 4); [apply Rdiv_lt_0_compat; [apply pow_lt; exact T0 | lra] |].
  eapply Rle_trans; [exact S |]. replace (INR T ^ 2 / 4 * (2 * L * norm (u [-] x_star) ^ 2 / INR T ^ 2))
    with (L / 2 * norm (u [-] x_star) ^ 2) by (field; lra). lra.
Qed.

(* own-accelerated-restart: a block of T rounds, and j blocks. *)
Definition block T u := x (after nesterov (from u) T).
Fixpoint restarted T u j := match j with O => u | S j => block T (restarted T u j) end.
Section Restarts.
Variable mu : R.
Hypothesis mu_positive : 0 < mu.
Hypothesis growth : forall u, dom u -> mu / 2 * norm (u [-] x_star) ^ 2 <= W u - W x_star.
Theorem restart : forall u, dom u -> forall T, (1 <= T)%nat ->
  W (block T u) - W x_star <= 4 * L / (mu * (INR T + 1) ^ 2) * (W u - W x_star).
Proof.
  intros u I T T1. pose proof (accelerated nesterov nesterov_is_one (from u) I T) as Q. unfold potential in Q.
  destruct T as [| T]; [lia |]. pose proof (proj2 minimiser _ I) as low. pose proof (growth u I) as G.
  pose proof (proj2 minimiser _ (inside (nesterov (S T)) (after nesterov (from u) T))) as low'.
  change (step _ _) with (after nesterov (from u) (S T)) in low'. fold (block (S T) u) in Q, low'.
  set (last := z (after nesterov (from u) (S T))) in *. cbn [nesterov from x z] in Q. rewrite !norm_square in *.
  assert (T0 : 0 < INR (S T)) by (apply lt_0_INR; lia). set (size := INR (S T)) in *.
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0.
  eapply as_sum_ge; [| eapply own_accelerated_restart_2 with (x := u) (x_plus := last) (x_star := x_star) (z := u)
    (L := L) (T := size) (W_x_0_W_star := W u - W x_star) (W_x_T_W_star := W (block (S T) u) - W x_star)
    (mu := mu)]; try assumption; try lra.
  - field. lra.
  - multiplied Q.
  - right. products. ring.
  - multiplied G.
Qed.
Theorem restarts : forall u, dom u -> forall T, (1 <= T)%nat -> forall j,
  W (restarted T u j) - W x_star <= (4 * L / (mu * (INR T + 1) ^ 2)) ^ j * (W u - W x_star).
Proof.
  intros u I T T1 j. assert (T0 : 0 <= INR T) by apply pos_INR.
  assert (Q : 0 <= 4 * L / (mu * (INR T + 1) ^ 2)).
  { apply Rlt_le, Rdiv_lt_0_compat; [lra | apply Rmult_lt_0_compat; [assumption | apply pow_lt; lra]]. }
  assert (D : forall j, dom (restarted T u j)) by (intros [| k]; [exact I | destruct T; [lia | apply inside]]).
  induction j as [| j IH]; cbn [restarted pow]; [lra |]. eapply Rle_trans; [apply restart; [apply D | exact T1] |].
  rewrite Rmult_assoc. apply Rmult_le_compat_l; assumption.
Qed.
End Restarts.
End Exact.

(* own-accelerated-message: given the past, the server has G, drawn from the law `message`, for the gradient at y. *)
Section Messages.
Variable Space : space.
Notation V := (vec Space).
Variable f : V -> R.
Variable grad : V -> V.
Variable message : V -> law V.
Variables L K : R.
Variable x_star : V.
Variable t : nat -> R.
Variable initial : law (point V).
Definition eta := 1 / (L * K).
Definition zeta := 1 / (L * K ^ 2).
Definition move t (s : point V) G := {| x := y t s [-] eta [*] G; z := z s [-] (zeta * t) [*] G |}.
Definition one_message t s : law (point V) := next (message (grad (y t s))) (fun G => sure (move t s G)).
Fixpoint run T := match T with O => initial | S T => next (run T) (one_message (t (S T))) end.
Definition lyapunov t (s : point V) := t ^ 2 * (f (x s) - f x_star) + 1 / (2 * zeta) * norm (z s [-] x_star) ^ 2.

Hypothesis L_positive : 0 < L.
Hypothesis K_positive : 0 < K.
Hypothesis f_convex : convex f grad.
Hypothesis f_smooth : smooth f grad L.
Hypothesis unbiased : forall v, is_mean (under (message v)) (fun G => G) v.
Hypothesis second_moment : forall v, E (message v) (fun G => norm G ^ 2) <= K * norm v ^ 2.
Hypothesis minimiser : forall u, f x_star <= f u.

Lemma mean_quadratic : forall v a b c w,
  E (message v) (fun G => a * 1 + b * dot G w + c * dot G G) = a + b * dot v w + c * E (message v) (fun G => dot G G).
Proof.
  intros v a b c w. rewrite (mean_add _ _ (fun G => a * 1 + b * dot G w)), (mean_add _ _ (fun _ => a * 1)), mean_const,
    !mean_scal. rewrite (unbiased v w). reflexivity.
Qed.
Lemma steps_positive : 0 < eta /\ 0 < zeta.
Proof. split; apply Rdiv_lt_0_compat; try lra; apply Rmult_lt_0_compat; try apply pow_lt; assumption. Qed.

Theorem message_round : forall size before s, 1 <= size -> size ^ 2 - size <= before ^ 2 ->
  E (one_message size s) (lyapunov size) <= lyapunov before s.
Proof.
  intros size before s T room. replace size with (1 + (size - 1)) in * by ring. set (u := size - 1) in *. clearbody u.
  pose (q := y (1 + u) s). destruct steps_positive as (e0 & z0).
  unfold one_message. fold q. set (v := grad q).
  assert (second : E (message v) (fun G => dot G G) <= K * dot v v).
  { rewrite <- (norm_square _ v). eapply Rle_trans; [right | apply second_moment]. apply mean_ext. intro G.
    symmetry. apply norm_square. }
  assert (var : 0 <= E (message v) (fun G => dot G G) - dot v v).
  { replace (_ - _) with (dot v v + -2 * dot v v + 1 * E (message v) (fun G => dot G G)) by ring.
    rewrite <- mean_quadratic. apply mean_pos. intro G. eapply as_sum_ge; [| apply (dot_pos _ (G [-] v))].
    products. ring. }
  set (m2 := E (message v) (fun G => dot G G)) in *.
  pose (Ef := E (message v) (fun G => f (q [-] eta [*] G))).
  assert (M : Ef <= f q - eta * dot v v + L / 2 * eta ^ 2 * m2).
  { apply Rle_trans with (E (message v) (fun G => f q * 1 + - eta * dot G v + L / 2 * eta ^ 2 * dot G G)).
    - apply mean_le. intro G. pose proof (f_smooth (q [-] eta [*] G) q) as M. rewrite norm_square in M. fold v in M.
      eapply Rle_trans; [exact M | right]. products. ring.
    - rewrite mean_quadratic. fold m2. right. ring. }
  assert (After : E (next (message v) (fun G => sure (move (1 + u) s G))) (lyapunov (1 + u))
    = (1 + u) ^ 2 * (Ef - f x_star) + 1 / (2 * zeta) * (dot (z s [-] x_star) (z s [-] x_star)
      + - (2 * zeta * (1 + u)) * dot v (z s [-] x_star) + (zeta * (1 + u)) ^ 2 * m2)).
  { rewrite mean_next. unfold Ef, m2.
    rewrite <- mean_quadratic, <- (mean_const _ (under (message v)) (f x_star)).
    replace (mean _ _ - mean _ _) with (mean (under (message v)) (fun G => f (q [-] eta [*] G))
      + -1 * mean (under (message v)) (fun _ => f x_star * 1)) by ring.
    rewrite <- !mean_scal, <- !mean_add, <- !mean_scal, <- !mean_add. apply mean_ext. intro G. rewrite mean_sure.
    unfold lyapunov. cbn [move x z]. rewrite norm_square. fold q. products. field. lra. }
  rewrite After. pose proof (f_convex (x s) q) as C. pose proof (f_convex x_star q) as C'. fold v in C, C'.
  clearbody Ef m2 v. set (fq := f q) in *. clearbody fq. unfold q, y in *. clear q After.
  apply Rminus_le, Ropp_le_cancel. rewrite Ropp_0. unfold lyapunov. rewrite norm_square in *.
  unfold eta, zeta in *. clear e0 z0.
  eapply as_sum_ge; [| eapply own_accelerated_message_1 with (nabla_f_y := v) (x := x s) (x_star := x_star) (z := z s)
    (E_f_x_plus := Ef) (E_left_xi_right_2 := m2 - dot v v) (K := K) (L := L) (f_x := f (x s))
    (f_x_star := f x_star) (f_y := fq) (t_1 := u) (t_minus := before)]; try assumption; try lra.
  - products. field. lra.
  - multiplied M.
  - multiplied C.
  - multiplied C'.
  - apply Rmult_le_pos; [pose proof (minimiser (x s)) |]; lra.
Qed.

Hypothesis momentum_t : momentum t.
Theorem accelerated_message : forall T, E (run T) (lyapunov (t T)) <= E initial (lyapunov (t 0%nat)).
Proof.
  intro T. induction T as [| T IH]; [apply Rle_refl |]. eapply Rle_trans; [| exact IH]. cbn [run]. rewrite mean_next.
  apply mean_le. intro s. apply message_round; apply momentum_t.
Qed.
Theorem accelerated_message_rate : forall u, initial = sure (from u) -> t 0%nat = 0 ->
  forall T, (1 <= T)%nat -> INR T / 2 <= t T ->
  E (run T) (fun s => f (x s)) - f x_star <= 2 * L * K ^ 2 * norm (u [-] x_star) ^ 2 / INR T ^ 2.
Proof.
  intros u I t0 T T1 half. assert (T0 : 0 < INR T) by (apply lt_0_INR; lia).
  pose proof (accelerated_message T) as Q. rewrite I, mean_sure in Q. unfold lyapunov at 2 in Q.
  rewrite t0 in Q. cbn [from x z] in Q. destruct steps_positive as (_ & z0).
  assert (low : INR T ^ 2 / 4 * (E (run T) (fun s => f (x s)) - f x_star) <= E (run T) (lyapunov (t T))).
  { rewrite <- (mean_const _ (under (run T)) (f x_star)).
    replace (mean _ _ - mean _ _) with (mean (under (run T)) (fun s => f (x s))
      + -1 * mean (under (run T)) (fun _ => f x_star * 1)) by ring.
    rewrite <- !mean_scal, <- !mean_add, <- !mean_scal. apply mean_le. intro s. unfold lyapunov.
    pose proof (pow2_ge_0 (norm (z s [-] x_star))) as P. apply (Rmult_le_compat_l (1 / (2 * zeta))) in P;
      [| apply Rlt_le, Rdiv_lt_0_compat; lra]. pose proof (minimiser (x s)).
    assert (INR T ^ 2 / 4 * (f (x s) - f x_star) <= t T ^ 2 * (f (x s) - f x_star)); [| lra].
    apply Rmult_le_compat_r; [lra |]. replace (INR T ^ 2 / 4) with ((INR T / 2) ^ 2) by field. apply pow_incr. lra. }
  apply Rmult_le_reg_l with (INR T ^ 2 / 4); [apply Rdiv_lt_0_compat; [apply pow_lt; exact T0 | lra] |].
  eapply Rle_trans; [exact low |]. eapply Rle_trans; [exact Q | right]. unfold zeta. field. repeat split; lra.
Qed.
End Messages.

(* A message with K = 1 + omega_p, by A4 and A5: a client takes part with probability p, and sends Q of its gradient. *)
Section Compressed.
Variable Space : space.
Notation V := (vec Space).
Variable selection : law bool.
Variable compressor : law (V -> V).
Variables p omega : R.
Hypothesis p_positive : 0 < p.
Hypothesis a5 : E selection (fun u => if u then 1 else 0) = p.
Hypothesis omega_pos : 0 <= omega.
Hypothesis a4_mean : forall v, is_mean (under compressor) (fun q => q v) v.
Hypothesis a4_variance : forall v, E compressor (fun q => norm (q v [-] v) ^ 2) <= omega * norm v ^ 2.
Definition sent v := next selection (fun u => next compressor (fun q => sure (if u then (1 / p) [*] q v else zero))).
Definition K_of := 1 + (omega + (1 + omega) * ((1 - p) / p)).

Theorem compressed_message : 0 < K_of /\ forall v,
  is_mean (under (sent v)) (fun G => G) v /\ E (sent v) (fun G => norm G ^ 2) <= K_of * norm v ^ 2.
Proof.
  assert (K : K_of = / p * (1 + omega)) by (unfold K_of; field; lra). rewrite K.
  pose proof (Rinv_0_lt_compat p p_positive).
  split; [apply Rmult_lt_0_compat; lra |]. intro v.
  assert (of_both : forall F d, F zero = 0 -> (forall w, F ((1 / p) [*] w) = d * F w) ->
    E (sent v) F = p * d * E compressor (fun q => F (q v))).
  { intros F d Z S. unfold sent. rewrite mean_next.
    transitivity (E selection (fun u => d * E compressor (fun q => F (q v)) * (if u then 1 else 0)));
      [| rewrite mean_scal, a5; ring].
    apply mean_ext. intro u. rewrite mean_next. destruct u.
    - rewrite Rmult_1_r, <- mean_scal. apply mean_ext. intro q. rewrite mean_sure. apply S.
    - rewrite Rmult_0_r, <- (E_const _ compressor 0). apply mean_ext. intro q. rewrite mean_sure. exact Z. }
  split.
  - intro w. rewrite (of_both (fun G => dot G w) (/ p)), (a4_mean v w); [field; lra | apply dot_zero |].
    intro u. products. field. lra.
  - rewrite (of_both (fun G => norm G ^ 2) (/ p ^ 2)).
    + assert (Q : E compressor (fun q => norm (q v) ^ 2) <= (1 + omega) * norm v ^ 2).
      { pose proof (a4_variance v) as A. replace (E compressor (fun q => norm (q v) ^ 2))
          with (E compressor (fun q => norm (q v [-] v) ^ 2) + norm v ^ 2); [lra |].
        rewrite (norm_square _ v). transitivity (E compressor (fun q => norm (q v [-] v) ^ 2)
          + (2 * E compressor (fun q => dot (q v) v) + - dot v v)); [rewrite (a4_mean v v); ring |].
        rewrite <- (mean_const _ (under compressor) (- dot v v)), <- mean_scal, <- !mean_add. apply mean_ext. intro q.
        rewrite !norm_square. products. ring. }
      apply (Rmult_le_compat_l (/ p)) in Q; [| lra]. replace (p * / p ^ 2) with (/ p) by (field; lra). lra.
    + rewrite norm_square. apply dot_zero.
    + intro w. rewrite !norm_square. products. field. lra.
Qed.
End Compressed.

(* The hypotheses do not contradict each other. On the line, f = u^2 / 4 and g = 0 on [1, oo), so that x_star = 1, or 0
   without g; a client takes part in every second round, and sends twice its gradient or nothing. *)
Definition lossy : law (vec line -> vec line) := next fair (fun b => sure (fun v => if b then 2 * v else 0)).
Theorem hypotheses_hold : let f := fun u : vec line => u ^ 2 / 4 in let g := fun _ : vec line => 0 in
  let grad := fun u : vec line => u / 2 in let dom := fun u : vec line => 1 <= u in
  convex f grad /\ smooth f grad 1 /\ convex_on dom g /\ prox_of dom g 1 (Rmax 1) /\ minimises dom (W line f g) 1 /\
  (forall u, dom u -> / 2 / 2 * norm (u [-] 1) ^ 2 <= W line f g u - W line f g 1) /\
  momentum nesterov /\ nesterov 0 = 0 /\ (forall T, (1 <= T)%nat -> INR T / 2 <= nesterov T) /\
  (forall u, f 0 <= f u) /\ E fair (fun u : bool => if u then 1 else 0) = / 2 /\
  (forall v, is_mean (under lossy) (fun q => q v) v) /\
  (forall v, E lossy (fun q => norm (q v [-] v) ^ 2) <= 1 * norm v ^ 2).
Proof.
  assert (sq : forall u : vec line, norm u ^ 2 = u * u) by (intro; apply norm_square).
  cbv zeta. unfold convex, strongly_convex, smooth, convex_on, prox_of, minimises, W.
  repeat match goal with |- _ /\ _ => split end.
  - intros u v. rewrite sq. cbn. unfold minus. cbn. pose proof (Rle_0_sqr (u - v)) as Q. unfold Rsqr in Q. lra.
  - intros u v. rewrite sq. cbn. unfold minus. cbn. pose proof (Rle_0_sqr (u - v)) as Q. unfold Rsqr in Q. lra.
  - intros u v l l1 U U'. cbn. split; nra.
  - intro v. split; [apply Rmax_l |]. intros u U. rewrite !sq. unfold minus. cbn.
    pose proof (Rle_0_sqr (u - v)) as Q. pose proof (Rle_0_sqr (u - 1)) as Q'. unfold Rsqr in Q, Q'.
    destruct (Rle_or_lt 1 v) as [H | H]; [rewrite Rmax_right by lra; lra | rewrite Rmax_left by lra].
    pose proof (Rmult_le_pos (u - 1) (1 - v)). lra.
  - lra.
  - intros u U. nra.
  - intros u U. rewrite sq. unfold minus. cbn. nra.
  - exact nesterov_is_one.
  - reflexivity.
  - intros [| T] I; [lia |]. unfold nesterov. pose proof (pos_INR (S T)). lra.
  - intro u. nra.
  - rewrite mean_fair. lra.
  - intros v w. unfold lossy. rewrite mean_next, mean_fair, !mean_sure. cbn. lra.
  - intro v. unfold lossy. rewrite mean_next, mean_fair, !mean_sure, !sq. unfold minus. cbn. lra.
Qed.

Definition together := (accelerated_round, accelerated, accelerated_rate, restart, restarts, message_round,
  accelerated_message, accelerated_message_rate, compressed_message, hypotheses_hold).
Print Assumptions together.
