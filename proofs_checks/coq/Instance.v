(* The hypotheses of FromAlgorithm.v, of ProjectedStep.v and of Projected.v do not contradict each other, and R^q
   is one of the spaces that they speak of.

   Two agents on the line, S = [-1, 1], f(theta) = theta^2/2, g = 0, T(s) = s. Their data are +1 and -1, their
   oracles add +1 or -1; a compressor sends twice the message or nothing; an agent takes part in every second round. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude Means Identities Propositions34 Theorem1 Laws Algorithm Geometry Draws Round FromAlgorithm.
Require Import Inside.
Import ListNotations.
Open Scope R_scope.

(* R^q: coordinates 1, ..., q. *)
Definition euclidean (q : nat) : space.
Proof.
  refine (Build_space (nat -> R) (fun _ => 0) (fun u v k => u k + v k) (fun c u k => c * u k)
    (fun u v => sum (fun k => u k * v k) q) _ _ _ _ _).
  - intros u v. apply sum_ext. intro. ring.
  - intro v. apply sum_zero. intros. ring.
  - intros u v w. transitivity (sum (fun k => 1 * (u k * w k) + 1 * (v k * w k)) q).
    + apply sum_ext. intro. ring.
    + rewrite sum_linear. ring.
  - intros c u v. rewrite <- sum_scal. apply sum_ext. intro. ring.
  - intro u. apply sum_pos. intros k _. apply Rle_0_sqr.
Defined.

Definition either {X} (a b : X) : law X.
Proof.
  refine (Build_law X [(/ 2, a); (/ 2, b)] _ _); cbn; [| field].
  intros p w [H | [H | []]]; injection H as <- _; lra.
Defined.
Lemma mean_either : forall X (a b : X) x, E (either a b) x = (x a + x b) / 2.
Proof. intros. cbn. field. Qed.
Lemma possible_either : forall X (a b x : X), possible (either a b) x -> x = a \/ x = b.
Proof. intros X a b x [q [Q | [Q | []]]]; injection Q as _ <-; [left | right]; reflexivity. Qed.

Definition own_mean (i : nat) : R := match i with 1%nat => 1 | _ => -1 end.
Definition example : problem := {|
  Space := line;
  calS := fun s => -1 <= s <= 1;
  Theta := R;
  f := fun theta => theta ^ 2 / 2;  g := fun _ => 0;  psi := fun theta => theta ^ 2 / 2;
  phi := fun theta => theta;
  map := fun s => s;
  n := 2;
  mu := fun _ => / 2;
  sample := R;
  pi := fun i => sure (own_mean i);
  Sbar := fun z _ => z;
  initial := sure (0, fun _ => 0);
  p := / 2;
  selection := either true false;
  oracles := fun _ i => either (own_mean i - 1) (own_mean i + 1);
  compressor := either (fun s => 2 * s) (fun _ => 0);
  alpha := / 4;
  gamma := fun _ => / 100;
  B_used := fun _ u => u;
  Pi := fun _ x => Rmax (-1) (Rmin 1 x)
|}.
Definition B_of (_ u : R) : R := u.

Lemma mean_of_line : forall i theta, mean_oracle_of example i theta = own_mean i.
Proof. intros. unfold mean_oracle_of, vmean. cbn. ring. Qed.
Lemma mean_line : forall theta, mean_oracle example theta = 0.
Proof. intro. unfold mean_oracle. cbn. unfold mean_oracle_of, vmean. cbn. field. Qed.
Lemma norm_line : forall u : vec line, norm u = Rabs u.
Proof. intro u. unfold norm. cbn. apply (sqrt_Rsqr_abs u). Qed.
Lemma clamped : forall x, let c := Rmax (-1) (Rmin 1 x) in
  (x <= -1 /\ c = -1) \/ (-1 <= x <= 1 /\ c = x) \/ (1 <= x /\ c = 1).
Proof.
  intros x c. unfold c. destruct (Rle_or_lt x (-1)); [left | right; destruct (Rle_or_lt x 1); [left | right]].
  - split; [lra |]. rewrite Rmin_right, Rmax_left by lra. reflexivity.
  - split; [lra |]. rewrite Rmin_right, Rmax_right by lra. reflexivity.
  - split; [lra |]. rewrite Rmin_left, Rmax_right by lra. reflexivity.
Qed.
Lemma nearest_on_line : line_599 example.
Proof.
  intros B x (sym & v & v0 & low). pose proof (clamped x) as C. cbv zeta in C. split; cbn.
  - lra.
  - intros y Y. unfold norm_in. apply sqrt_le_1_alt. cbn.
    assert (lin : forall u, B u = u * B 1) by (intro u; pose proof (sym u 1) as Q; cbn in Q; lra).
    specialize (low 1). rewrite norm_line, Rabs_R1 in low. cbn in low.
    unfold minus. cbn. set (c := Rmax (-1) (Rmin 1 x)). rewrite (lin (c + -1 * x)), (lin (y + -1 * x)).
    assert (Q : (c + -1 * x) * (c + -1 * x) <= (y + -1 * x) * (y + -1 * x)).
    { unfold c. destruct C as [(C & ->) | [(C & ->) | (C & ->)]].
      - apply Rmult_le_compat; lra.
      - replace (x + -1 * x) with 0 by ring. rewrite Rmult_0_l. apply Rle_0_sqr.
      - replace ((1 + -1 * x) * (1 + -1 * x)) with ((x - 1) * (x - 1)) by ring.
        replace ((y + -1 * x) * (y + -1 * x)) with ((x - y) * (x - y)) by ring. apply Rmult_le_compat; lra. }
    apply (Rmult_le_compat_r (B 1)) in Q; lra.
Qed.

Theorem hypotheses_hold : let P := example in
  distribution P /\ starts_inside P /\ steps_positive P /\ line_599 P /\ MM_1 P /\ MM_2 P /\
  A3 P (fun _ => 1) /\ A4 P 1 /\ A5 P /\ A6_i P (fun _ => 1) /\ A6_ii P 1 /\
  A7_i P B_of 1 1 /\ A7_ii P B_of 1 1 /\ A8_i P /\ A8_ii P B_of /\
  (forall theta, 0 <= f P theta + g P theta) /\
  0 < omega_p P 1 /\ 0 < alpha P <= 1 / (1 + omega_p P 1) /\
  (forall t, gamma P (S (S t)) <= gamma P (S t)) /\
  1 / 2 <= bracket P (fun _ => 1) 1 1 1 1 1 1 64 1 /\
  MM_1_values P /\ (forall t, gamma P (S t) <= 1 / 2) /\
  2 * (1 + sqrt (1 - alpha P)) ^ 2 * (omega_p P 1 / alpha P ^ 2) * (1 / 1 * L2_n P (fun _ => 1)) * gamma P 1 ^ 2 <= 1 /\
  (let C_half := 1 / 2 + 1 * 1 in gamma P 1 / 2 <= gamma P 1 * (1 - (1 / 2 + 2 * C_half / 1) * gamma P 1)).
Proof.
  cbv zeta.
  assert (sq : forall u : vec line, norm u ^ 2 = u * u) by (intro; apply norm_square).
  split; [split; [intros; cbn; lra | cbn; field] |].
  split; [intros s v [q [H | []]]; injection H as _ <- _; cbn; lra |].
  split; [intro; cbn; lra |].
  split; [exact nearest_on_line |].
  split; [intros tau theta; rewrite mean_line; cbn; lra |].
  split; [intros s _ theta; cbn; pose proof (pow2_ge_0 (theta - s)); lra |].
  split.
  { intros t h i _ _. cbv zeta. rewrite mean_of_line. split; [lra |]. split.
    - intro y. cbn. field.
    - cbn [oracles example]. rewrite mean_either, !sq. unfold minus. cbn. right. field. }
  split.
  { split; [lra |]. intro s. split.
    - intro y. cbn. field.
    - cbn [compressor example]. rewrite mean_either, !sq. unfold minus. cbn. right. field. }
  split; [split; cbn; [lra | field] |].
  split.
  { intros i _. split; [lra |]. intros s s' _ _. rewrite !norm_line. unfold field_of. rewrite !mean_of_line.
    unfold minus. cbn. rewrite Rmult_1_l, <- Rabs_Ropp. right. f_equal. ring. }
  split.
  { split; [lra |]. intros s I. rewrite norm_line. unfold field. rewrite mean_line. unfold minus. cbn in *.
    apply Rabs_le. lra. }
  split.
  { split; [lra |]. split; [lra |]. intros s _. split; [intros u v; reflexivity |]. intros s' _.
    rewrite norm_line, !sq. unfold minus, B_of. cbn. split.
    - replace (s' + -1 * s + -1 * (s' + -1 * s)) with 0 by ring. rewrite Rabs_R0.
      pose proof (Rle_0_sqr (s' + -1 * s)) as Q. unfold Rsqr in Q. lra.
    - rewrite Rabs_pos_eq; [lra | apply Rle_0_sqr]. }
  split; [split; [lra |]; intros s u _; rewrite sq; unfold B_of; cbn; lra |].
  split; [intros u v l L U V; cbn in *; nra |].
  split; [intros t h _; reflexivity |].
  split; [intro theta; cbn; pose proof (pow2_ge_0 theta); lra |].
  assert (o : omega_p example 1 = 3) by (unfold omega_p; cbn; field).
  split; [rewrite o; lra |].
  split; [rewrite o; cbn; lra |].
  split; [intro; cbn; lra |].
  split; [unfold bracket, C_bar, L2_n, slopes; rewrite o; cbn; lra |].
  split; [| split; [intro; cbn; lra | split; [| cbn; lra]]].
  2: { assert (q : 0 <= sqrt (1 - alpha example) <= 1).
       { split; [apply sqrt_pos |]. rewrite <- sqrt_1 at 2. apply sqrt_le_1_alt. cbn. lra. }
       assert (Q : (1 + sqrt (1 - alpha example)) ^ 2 <= 4) by nra.
       generalize dependent ((1 + sqrt (1 - alpha example)) ^ 2). intros x X. rewrite o.
       unfold L2_n, slopes. cbn. lra. }
  split.
  - intros u v Q. specialize (Q 1). cbn in *. lra.
  - intros i z theta _ Q. apply possible_sure in Q. subst z. cbn. destruct i as [| [| i]]; cbn; lra.
Qed.
Print Assumptions hypotheses_hold.
