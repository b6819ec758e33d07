(* A mean over outcomes, sums over rounds or agents, and a limit: what lies between the certificates.

   A conditional expectation enters as any linear, positive functional on all functions of the outcome with value 1
     at 1:
   the mean over finitely many outcomes is one. Nothing else about probability is used. *)
From Coq Require Import Reals Lra Lia.
Require Import Prelude.
Open Scope R_scope.

Lemma limit_zero : forall a b, (forall l, 0 < l -> l <= 1 -> 0 <= a + l * b) -> 0 <= a.
Proof.
  intros a b H. destruct (Rle_or_lt 0 a) as [P | N]; [exact P | exfalso].
  destruct (Rle_or_lt b 0) as [Q | Q].
  - specialize (H 1 ltac:(lra) ltac:(lra)). lra.
  - pose (l := Rmin 1 (- a / (2 * b))).
    assert (L : 0 < l) by (unfold l; apply Rmin_pos; [lra | apply Rdiv_lt_0_compat; lra]).
    assert (M : l * b <= - a / 2).
    { apply Rle_trans with (- a / (2 * b) * b).
      - apply Rmult_le_compat_r; [lra | apply Rmin_r].
      - right; field; lra. }
    specialize (H l L (Rmin_l _ _)). lra.
Qed.

Record expectation (Omega : Type) := {
  mean : (Omega -> R) -> R;
  mean_add : forall x y, mean (fun w => x w + y w) = mean x + mean y;
  mean_scal : forall c x, mean (fun w => c * x w) = c * mean x;
  mean_one : mean (fun _ => 1) = 1;
  mean_pos : forall x, (forall w, 0 <= x w) -> 0 <= mean x
}.
Arguments mean {_}.

(* There is such a mean: a fair coin. *)
Definition coin : expectation bool.
Proof.
  refine (Build_expectation bool (fun x => (x true + x false) / 2) _ _ _ _); intros; try field.
  pose proof (H true). pose proof (H false). lra.
Defined.


Fixpoint sum (x : nat -> R) (T : nat) : R := match T with O => 0 | S t => sum x t + x (S t) end.

Section Mean.
Variable Omega : Type.
Variable E : expectation Omega.

Lemma mean_const : forall c, mean E (fun _ => c * 1) = c.
Proof. intro c. rewrite (mean_scal _ E c (fun _ => 1)), mean_one. ring. Qed.

Lemma mean_ge : forall c k x y, (forall w, y w <= c + k * x w) -> mean E y <= c + k * mean E x.
Proof.
  intros c k x y H.
  assert (P : 0 <= mean E (fun w => (c * 1 + k * x w) + - 1 * y w)).
  { apply mean_pos. intro w. specialize (H w). lra. }
  rewrite (mean_add _ E (fun w => c * 1 + k * x w) (fun w => - 1 * y w)) in P.
  rewrite (mean_add _ E (fun _ => c * 1) (fun w => k * x w)), !mean_scal, mean_one in P. lra.
Qed.

Lemma mean_le : forall x y, (forall w, x w <= y w) -> mean E x <= mean E y.
Proof.
  intros x y H. pose proof (mean_ge 0 1 y x) as P. rewrite Rplus_0_l, Rmult_1_l in P. apply P. intro w.
    specialize (H w). lra.
Qed.
Lemma mean_ext : forall x y, (forall w, x w = y w) -> mean E x = mean E y.
Proof. intros x y H. apply Rle_antisym; apply mean_le; intro w; rewrite H; apply Rle_refl. Qed.
Lemma mean_sum : forall (x : nat -> Omega -> R) n, mean E (fun w => sum (fun i => x i w) n) = sum (fun i => mean E
  (x i)) n.
Proof.
  intros x n. induction n as [| n IH]; cbn [sum].
  - transitivity (mean E (fun _ => 0 * 1)); [apply mean_ext; intro; ring | apply mean_const].
  - rewrite (mean_add _ E (fun w => sum (fun i => x i w) n) (x (S n))), IH. reflexivity.
Qed.
End Mean.

Lemma sum_le : forall x y n, (forall i, (1 <= i <= n)%nat -> x i <= y i) -> sum x n <= sum y n.
Proof.
  intros x y n. induction n as [| n IH]; intro H; cbn [sum]; [lra |]. pose proof (H (S n) ltac:(lia)).
    assert (sum x n <= sum y n) by (apply IH; intros; apply H; lia). lra.
Qed.
Lemma sum_zero : forall x n, (forall i, (1 <= i <= n)%nat -> x i = 0) -> sum x n = 0.
Proof.
  intros x n. induction n as [| n IH]; intro H; cbn [sum]; [reflexivity |].
    rewrite (H (S n) ltac:(lia)), IH; [ring |]. intros; apply H; lia.
Qed.
Lemma sum_pos : forall x n, (forall i, (1 <= i <= n)%nat -> 0 <= x i) -> 0 <= sum x n.
Proof.
  intros x n H. apply Rle_trans with (sum (fun _ => 0) n); [| apply sum_le; exact H].
  right. symmetry. apply sum_zero. reflexivity.
Qed.
Lemma sum_ext : forall x y n, (forall i, x i = y i) -> sum x n = sum y n.
Proof. intros x y n H. induction n as [| n IH]; cbn [sum]; [reflexivity | rewrite IH, H; reflexivity]. Qed.
Lemma sum_ext_in : forall x y n, (forall i, (1 <= i <= n)%nat -> x i = y i) -> sum x n = sum y n.
Proof. intros x y n H. apply Rle_antisym; apply sum_le; intros i I; rewrite (H i I); apply Rle_refl. Qed.
Lemma sum_scal : forall c x n, sum (fun i => c * x i) n = c * sum x n.
Proof. intros c x n. induction n as [| n IH]; cbn [sum]; [| rewrite IH]; ring. Qed.
Lemma sum_one : forall n, sum (fun _ => 1) n = INR n.
Proof. induction n as [| n IH]; [reflexivity |]. cbn [sum]. rewrite IH, S_INR. ring. Qed.
Lemma slower_of_two : forall a b x y, 0 <= x -> 0 <= y -> a * x + b * y <= Rmax a b * (x + y).
Proof.
  intros a b x y x0 y0. rewrite Rmult_plus_distr_l. apply Rplus_le_compat; apply Rmult_le_compat_r; try assumption;
    [apply Rmax_l | apply Rmax_r].
Qed.
(* Rounds in each of which V falls by what is gained, up to a multiple of u. *)
Lemma sum_of_rounds : forall (V gained u : nat -> R) level,
  (forall t, V (S t) + gained (S t) <= V t + level * u (S t)) ->
  forall T, sum gained T + V T <= V 0%nat + level * sum u T.
Proof.
  intros V gained u level falls T. induction T as [| T IH]; cbn [sum]; [lra |]. pose proof (falls T). lra.
Qed.
(* The same of V with a multiple of u (gamma) G, for steps that do not grow; `before` is gamma_t, or gamma_1 where
   t = 0. *)
Lemma sum_with_variates : forall (gamma V G gained : nat -> R) (u : R -> R) weight level lowest,
  (forall t before, gamma (S t) <= before -> 0 < before -> V (S t) + weight * u (gamma (S t)) * G (S t) + gained (S t)
    <= V t + weight * u before * G t + level * u (gamma (S t))) ->
  (forall t, 0 < gamma (S t)) -> (forall t, gamma (S (S t)) <= gamma (S t)) -> (forall x, 0 < x -> 0 <= u x) ->
  0 <= weight -> (forall t, 0 <= G t) -> (forall t, lowest <= V t) ->
  forall T, sum gained T <= V 0%nat - lowest + weight * u (gamma 1%nat) * G 0%nat
    + level * sum (fun t => u (gamma t)) T.
Proof.
  intros gamma V G gained u weight level lowest falls positive decreasing u0 w0 G0 below T.
  pose (before t := match t with O => gamma 1%nat | S _ => gamma t end).
  assert (B0 : forall t, 0 < before t) by (intros [| t]; apply positive).
  pose proof (sum_of_rounds (fun t => V t + weight * u (before t) * G t) gained (fun t => u (gamma t)) level) as Q.
  assert (0 <= weight * u (before T) * G T) by (apply Rmult_le_pos; [apply Rmult_le_pos; [| apply u0, B0] |]; auto).
  pose proof (below T). enough (W : forall t, gamma (S t) <= before t).
  - specialize (Q (fun t => falls t (before t) (W t) (B0 t)) T). cbv beta in Q. cbn [before] in Q. lra.
  - intros [| t]; [apply Rle_refl | apply decreasing].
Qed.
Lemma sum_linear : forall a b x y n, sum (fun i => a * x i + b * y i) n = a * sum x n + b * sum y n.
Proof. intros a b x y n. induction n as [| n IH]; cbn [sum]; [ring | rewrite IH; ring]. Qed.

(* A difference and a sum of vectors. *)
Definition minus {Space : space} (u v : vec Space) := add u (scal (- 1) v).
Fixpoint vsum {Space : space} (y : nat -> vec Space) (n : nat) : vec Space :=
  match n with O => zero | S k => add (vsum y k) (y (S k)) end.
Lemma dot_vsum : forall {Space : space} (y : nat -> vec Space) v n, dot (vsum y n) v = sum (fun i => dot (y i) v) n.
Proof.
  intros Space y v n. induction n as [| n IH]; cbn [sum vsum]; [apply dot_zero | rewrite dot_add, IH; reflexivity].
Qed.
Lemma vsum_ext : forall {Space : space} (y z : nat -> vec Space) n, (forall i, y i = z i) -> vsum y n = vsum z n.
Proof.
  intros Space y z n H. induction n as [| n IH]; cbn [vsum]; [reflexivity | rewrite IH, H; reflexivity].
Qed.

(* Two independent draws. *)
Definition both {A B} (EA : expectation A) (EB : expectation B) : expectation (A * B).
Proof.
  refine (Build_expectation (A * B) (fun x => mean EA (fun a => mean EB (fun b => x (a, b)))) _ _ _ _).
  - intros x y. rewrite <- mean_add. apply mean_ext. intro. apply mean_add.
  - intros c x. rewrite <- mean_scal. apply mean_ext. intro. apply mean_scal.
  - transitivity (mean EA (fun _ => 1)); [apply mean_ext; intro |]; apply mean_one.
  - intros x P. apply mean_pos. intro. apply mean_pos. intro. apply P.
Defined.
