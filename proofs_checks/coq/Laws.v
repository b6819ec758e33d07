(* Finite probability: laws with finitely many outcomes, conditional expectations as sums, independent draws.

   A law lists its outcomes with positive weights whose sum is 1; the mean is the weighted sum. A draw from P and then
   one from K w, whose law depends on the outcome w, is a draw from `next P K`: E[x | w] is the mean under K w, and the
   tower property (mean_next) is a theorem. Independent draws are those whose second law does not look at the first. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude Means Identities.
Import ListNotations.
Open Scope R_scope.

Fixpoint total {X} (l : list (R * X)) (x : X -> R) : R :=
  match l with [] => 0 | (p, w) :: rest => p * x w + total rest x end.
Fixpoint vtotal {Space : space} {X} (l : list (R * X)) (x : X -> vec Space) : vec Space :=
  match l with [] => zero | (p, w) :: rest => add (scal p (x w)) (vtotal rest x) end.

Record law (X : Type) := {
  atoms : list (R * X);
  atoms_pos : forall p w, In (p, w) atoms -> 0 < p;
  atoms_one : total atoms (fun _ => 1) = 1
}.
Arguments atoms {_}.
Definition possible {X} (P : law X) (w : X) := exists p, In (p, w) (atoms P).

Lemma total_add : forall X (l : list (R * X)) x y, total l (fun w => x w + y w) = total l x + total l y.
Proof. intros X l x y. induction l as [| [p w] l IH]; cbn; [| rewrite IH]; ring. Qed.
Lemma total_scal : forall X (l : list (R * X)) c x, total l (fun w => c * x w) = c * total l x.
Proof. intros X l c x. induction l as [| [p w] l IH]; cbn; [| rewrite IH]; ring. Qed.
Lemma total_le : forall X (l : list (R * X)) x y, (forall p w, In (p, w) l -> 0 < p) ->
  (forall p w, In (p, w) l -> x w <= y w) -> total l x <= total l y.
Proof.
  intros X l x y. induction l as [| [p w] l IH]; cbn; intros H Q; [lra |]. apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [apply Rlt_le, (H p w); auto | apply (Q p); auto].
  - apply IH; intros p' w' I; [apply (H p' w') | apply (Q p')]; auto.
Qed.

Definition under {X} (P : law X) : expectation X.
Proof.
  refine (Build_expectation X (total (atoms P)) (total_add X _) (total_scal X _) (atoms_one X P) _).
  intros x H. apply Rle_trans with (total (atoms P) (fun w => 0 * x w)); [rewrite total_scal; lra |].
  apply total_le; [apply atoms_pos |]. intros p w _. specialize (H w). lra.
Defined.
Notation E P x := (mean (under P) x).
Definition vmean {Space : space} {X} (P : law X) (x : X -> vec Space) := vtotal (atoms P) x.

(* What holds of the possible outcomes holds in the mean. *)
Lemma E_le : forall X (P : law X) x y, (forall w, possible P w -> x w <= y w) -> E P x <= E P y.
Proof. intros X P x y H. apply total_le; [apply atoms_pos |]. intros p w I. apply H. exists p. exact I. Qed.
Lemma E_ext : forall X (P : law X) x y, (forall w, possible P w -> x w = y w) -> E P x = E P y.
Proof. intros X P x y H. apply Rle_antisym; apply E_le; intros w I; rewrite (H w I); apply Rle_refl. Qed.
Lemma E_const : forall X (P : law X) c, E P (fun _ => c) = c.
Proof. intros X P c. transitivity (E P (fun _ => c * 1)); [apply mean_ext; intro; ring | apply mean_const]. Qed.
Lemma vmean_is_mean : forall (Space : space) X (P : law X) (x : X -> vec Space), is_mean (under P) x (vmean P x).
Proof.
  intros Space X P x y. cbn. unfold vmean. induction (atoms P) as [| [p w] l IH]; cbn.
  - rewrite dot_zero. reflexivity.
  - rewrite IH, dot_add, dot_scal. reflexivity.
Qed.

(* A draw that is certain, and one draw after another. *)
Definition sure {X} (w : X) : law X.
Proof.
  refine (Build_law X [(1, w)] _ _); cbn; [| ring]. intros p v [H | []]. injection H as <- <-. lra.
Defined.
Definition scaled {X} (c : R) (l : list (R * X)) := map (fun a => (c * fst a, snd a)) l.
Fixpoint chained {X Y} (l : list (R * X)) (K : X -> list (R * Y)) : list (R * Y) :=
  match l with [] => [] | (p, w) :: rest => scaled p (K w) ++ chained rest K end.
Lemma total_app : forall X (l l' : list (R * X)) x, total (l ++ l') x = total l x + total l' x.
Proof. intros X l l' x. induction l as [| [p w] l IH]; cbn; [| rewrite IH]; ring. Qed.
Lemma total_scaled : forall X c (l : list (R * X)) x, total (scaled c l) x = c * total l x.
Proof. intros X c l x. unfold scaled. induction l as [| [p w] l IH]; cbn; [| rewrite IH]; ring. Qed.
Lemma total_chained : forall X Y (l : list (R * X)) (K : X -> list (R * Y)) x,
  total (chained l K) x = total l (fun w => total (K w) x).
Proof.
  intros X Y l K x. induction l as [| [p w] l IH]; cbn; [| rewrite total_app, total_scaled, IH]; reflexivity.
Qed.
Lemma in_chained : forall X Y (l : list (R * X)) (K : X -> list (R * Y)) r v, In (r, v) (chained l K) ->
  exists p w q, In (p, w) l /\ In (q, v) (K w) /\ r = p * q.
Proof.
  intros X Y l K r v. induction l as [| [p w] l IH]; cbn; [intros [] |]. rewrite in_app_iff. intros [I | I].
  - unfold scaled in I. apply in_map_iff in I. destruct I as ([q v'] & H & I). injection H as <- <-.
    exists p, w, q. auto.
  - destruct (IH I) as (p' & w' & q & A & B & C). exists p', w', q. auto.
Qed.
Definition next {X Y} (P : law X) (K : X -> law Y) : law Y.
Proof.
  refine (Build_law Y (chained (atoms P) (fun w => atoms (K w))) _ _).
  - intros r v I. destruct (in_chained _ _ _ _ _ _ I) as (p & w & q & A & B & ->).
    apply Rmult_lt_0_compat; eapply atoms_pos; eassumption.
  - rewrite total_chained. transitivity (total (atoms P) (fun _ => 1)); [| apply atoms_one].
    apply (mean_ext _ (under P)). intro w. apply atoms_one.
Defined.

(* The tower property: the mean of the conditional means. *)
Theorem mean_next : forall X Y (P : law X) (K : X -> law Y) x, E (next P K) x = E P (fun w => E (K w) x).
Proof. intros. apply total_chained. Qed.
Lemma mean_sure : forall X (w : X) x, E (sure w) x = x w.
Proof. intros. cbn. ring. Qed.
Lemma possible_next : forall X Y (P : law X) (K : X -> law Y) v, possible (next P K) v ->
  exists w, possible P w /\ possible (K w) v.
Proof.
  intros X Y P K v [r I]. destruct (in_chained _ _ _ _ _ _ I) as (p & w & q & A & B & _).
  exists w. split; eexists; eassumption.
Qed.
Lemma possible_sure : forall X (w v : X), possible (sure w) v -> v = w.
Proof. intros X w v [p [H | []]]. injection H. auto. Qed.

(* The order of two independent draws does not matter. *)
Lemma mean_swap : forall X Y (P : law X) (Q : law Y) x,
  E P (fun w => E Q (fun v => x w v)) = E Q (fun v => E P (fun w => x w v)).
Proof.
  intros X Y P Q x. cbn. induction (atoms P) as [| [p w] l IH]; cbn.
  - symmetry. apply (E_const _ Q 0).
  - rewrite IH, total_add, total_scal. reflexivity.
Qed.

(* Independent draws, one of each of the agents 1, ..., n; nobody else's is looked at. *)
Definition update {X} (w : nat -> X) (i : nat) (x : X) : nat -> X := fun j => if Nat.eqb j i then x else w j.
Fixpoint independent {X} (n : nat) (P : nat -> law X) (nobody : X) : law (nat -> X) :=
  match n with
  | O => sure (fun _ => nobody)
  | S k => next (independent k P nobody) (fun w => next (P (S k)) (fun x => sure (update w (S k) x)))
  end.
Lemma mean_independent : forall X k (P : nat -> law X) nobody y,
  E (independent (S k) P nobody) y = E (independent k P nobody) (fun w => E (P (S k)) (fun x => y (update w (S k) x))).
Proof.
  intros. cbn [independent]. rewrite mean_next. apply mean_ext. intro w. rewrite mean_next.
  apply mean_ext. intro x. apply mean_sure.
Qed.
Lemma updated : forall X (w : nat -> X) i x, update w i x i = x.
Proof. intros. unfold update. rewrite Nat.eqb_refl. reflexivity. Qed.
Lemma not_updated : forall X (w : nat -> X) i j x, j <> i -> update w i x j = w j.
Proof. intros X w i j x H. unfold update. apply Nat.eqb_neq in H. rewrite H. reflexivity. Qed.
Lemma possible_of_one : forall X n (K : nat -> law X) nobody i w, (1 <= i <= n)%nat ->
  possible (independent n K nobody) w -> possible (K i) (w i).
Proof.
  intros X n K nobody i w I. revert w. induction n as [| n IH]; intros w Q; [lia |]. cbn [independent] in Q.
  apply possible_next in Q. destruct Q as (v & V & Q). apply possible_next in Q. destruct Q as (x & D & Q).
  apply possible_sure in Q. subst w. destruct (Nat.eq_dec i (S n)) as [-> | ne].
  - rewrite updated. exact D.
  - rewrite not_updated by exact ne. apply IH; [lia | exact V].
Qed.

Theorem mean_of_one : forall X n (P : nat -> law X) nobody i (F : X -> R), (1 <= i <= n)%nat ->
  E (independent n P nobody) (fun w => F (w i)) = E (P i) F.
Proof.
  intros X n P nobody i F I. induction n as [| n IH]; [lia |]. rewrite mean_independent.
  destruct (Nat.eq_dec i (S n)) as [-> | D].
  - transitivity (E (independent n P nobody) (fun _ => E (P (S n)) F)); [| apply E_const].
    apply mean_ext. intro w. apply mean_ext. intro x. rewrite updated. reflexivity.
  - rewrite <- IH by lia. apply mean_ext. intro w. transitivity (E (P (S n)) (fun _ => F (w i))); [| apply E_const].
    apply mean_ext. intro x. rewrite not_updated by exact D. reflexivity.
Qed.
Theorem mean_of_two : forall X n (P : nat -> law X) nobody i j (F : X -> X -> R),
  (1 <= i <= n)%nat -> (1 <= j <= n)%nat -> i <> j ->
  E (independent n P nobody) (fun w => F (w i) (w j)) = E (P j) (fun y => E (P i) (fun x => F x y)).
Proof.
  intros X n P nobody i j F I J D. induction n as [| n IH]; [lia |]. rewrite mean_independent.
  destruct (Nat.eq_dec i (S n)) as [-> | Di]; [| destruct (Nat.eq_dec j (S n)) as [-> | Dj]].
  - rewrite <- (mean_of_one X n P nobody j (fun y => E (P (S n)) (fun x => F x y))) by lia.
    apply mean_ext. intro w. apply mean_ext. intro x. rewrite updated, not_updated by lia. reflexivity.
  - rewrite (mean_swap _ _ (P (S n)) (P i)).
    rewrite <- (mean_of_one X n P nobody i (fun x => E (P (S n)) (fun y => F x y))) by lia.
    apply mean_ext. intro w. apply mean_ext. intro x. rewrite updated, not_updated by lia. reflexivity.
  - rewrite <- IH by lia. apply mean_ext. intro w. transitivity (E (P (S n)) (fun _ => F (w i) (w j)));
      [| apply E_const].
    apply mean_ext. intro x. rewrite !not_updated by assumption. reflexivity.
Qed.

(* Uniform on 1, ..., n. *)
Fixpoint numbers (n : nat) : list nat := match n with O => [] | S k => numbers k ++ [n] end.
Lemma total_numbers : forall c n (x : nat -> R), total (map (fun k => (c, k)) (numbers n)) x = c * sum x n.
Proof.
  intros c n x. induction n as [| n IH]; cbn [numbers map sum]; [cbn; ring |].
  rewrite map_app, total_app, IH. cbn. ring.
Qed.
Definition uniform (n : nat) : law nat.
Proof.
  refine (Build_law nat (map (fun k => (/ INR (S n), k)) (numbers (S n))) _ _).
  - intros p w I. apply in_map_iff in I. destruct I as (k & H & _). injection H as <- _.
    apply Rinv_0_lt_compat, (lt_0_INR (S n)). lia.
  - rewrite total_numbers, sum_one. apply Rinv_l, (not_0_INR (S n)). lia.
Defined.
Lemma mean_uniform : forall n x, E (uniform n) x = / INR (S n) * sum x (S n).
Proof. intros. apply total_numbers. Qed.
Definition fair : law bool := next (uniform 1) (fun k => sure (Nat.eqb k 1)).
Lemma mean_fair : forall x, E fair x = (x true + x false) / 2.
Proof. intro x. cbn. field. Qed.

Definition together := (mean_next, mean_of_one, mean_of_two, mean_uniform).
Print Assumptions together.
