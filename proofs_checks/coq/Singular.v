(* What Seminorm.v and Lipschitz.v ask in the place of A7 (ii), and a problem that satisfies it, in which B(s) is
   singular, so that Theorem 1 says nothing.

   Two agents in the plane, T(s) = s_1, f(theta) = theta^2/2, g = 0: T forgets s_2, and E[Sbar] = (0, theta) has it
   follow theta. Data, noise, compressor and participation are those of Instance.v. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude Means Identities Propositions34 Laws Algorithm Geometry Draws Round FromAlgorithm Inside.
Require Import Instance.
Import ListNotations.
Open Scope R_scope.

Definition value (P : problem) s := f P (map P s) + g P (map P s).  (* W(T(s)) *)
Definition image (P : problem) s := phi P (map P s).
Definition oracle_at (P : problem) s := mean_oracle P (map P s).

(* The projection: no projection is active, as every outcome lands in S, whose points Pi leaves where they are; or any
   map into S that comes no farther from its points. *)
Definition lands_inside (P : problem) := forall t h w, possible (path P t) h -> possible (one_round P h) w ->
  calS P (Shat (after P h) [+] gamma P (S t) [*] H P (after P h) w).
Definition keeps (P : problem) := forall h x, calS P x ->
  calS P (Pi P (B_used P h) x) /\ same (Pi P (B_used P h) x) x.
Definition nearer (P : problem) := forall h x, calS P (Pi P (B_used P h) x) /\
  forall m, calS P m -> norm (Pi P (B_used P h) x [-] m) <= norm (x [-] m).

(* As in the problem of Instance.v, where gamma = 1/100 is short and small enough for Any.v. *)
Lemma nearer_on_line : nearer example.
Proof.
  intros h x. pose proof (clamped x) as C. cbv zeta in C. split; [cbn; lra |]. intros m M. rewrite !norm_line. cbn in M.
  unfold minus. cbn. apply Rsqr_le_abs_0. unfold Rsqr. destruct C as [(C & ->) | [(C & ->) | (C & ->)]]; nra.
Qed.

(* In the seminorm of B(s). *)
Definition semidefinite (P : problem) (B : vec P -> vec P -> vec P) v_max := forall s, calS P s ->
  symmetric P (B s) /\ forall u, 0 <= dot u (B s u) <= v_max * norm u ^ 2.
Definition descends (P : problem) B C kappa := forall s s', calS P s -> calS P s' ->
  value P s' <= value P s - dot (field P s) (B s (s' [-] s)) + C * norm_in (B s) (s' [-] s) ^ 2
    + kappa / 4 * norm (s' [-] s) ^ 2.
Definition oracle_in_seminorm (P : problem) B lambda := forall s s', calS P s -> calS P s' ->
  norm (oracle_at P s' [-] oracle_at P s) <= lambda * norm_in (B s) (s' [-] s).

(* Without A7. *)
Definition image_lipschitz (P : problem) L_T := 0 < L_T /\ forall s s', calS P s -> calS P s' ->
  norm (image P s' [-] image P s) <= L_T * norm (s' [-] s).
Definition oracle_lipschitz (P : problem) ell := 0 < ell /\ forall s s', calS P s -> calS P s' ->
  norm (oracle_at P s' [-] oracle_at P s) <= ell * norm (image P s' [-] image P s).
Definition has_interior (P : problem) := exists s r, 0 < r /\ forall u, norm u <= r -> calS P (s [+] u).

(* The problem. Its oracles are built on its own iterates, which do not depend on what the oracles' law is. *)
Definition point (x y : R) (k : nat) : R := match k with 1%nat => x | _ => y end.
Definition with_oracles (o : past (nat -> R) -> nat -> law (nat -> R)) : problem := {|
  Space := euclidean 2;
  calS := fun _ => True;
  Theta := R;
  f := fun theta => theta ^ 2 / 2;  g := fun _ => 0;  psi := fun theta => theta ^ 2 / 2;
  phi := fun theta => point theta 0;
  map := fun s => s 1%nat;
  n := 2;
  mu := fun _ => / 2;
  sample := R;
  pi := fun i => sure (own_mean i);
  Sbar := fun z theta => point z theta;
  initial := sure (point 1 1, fun _ => point 0 0);
  p := / 2;
  selection := either true false;
  oracles := o;
  compressor := either (fun s k => 2 * s k) (fun _ _ => 0);
  alpha := / 4;
  gamma := fun _ => / 200;
  B_used := fun _ u => u;
  Pi := fun _ x => x
|}.
Definition silent : problem := with_oracles (fun _ _ => sure (point 0 0)).
Definition iterate (h : past (nat -> R)) : nat -> R := Shat (after silent h).
Definition plane : problem := with_oracles (fun h i =>
  either (point (own_mean i - 1) (iterate h 1%nat)) (point (own_mean i + 1) (iterate h 1%nat))).
Definition first_only (_ u : vec plane) : vec plane := point (u 1%nat) 0.

Lemma same_state : forall h, Shat (after plane h) = Shat (after silent h) /\
  V_agent (after plane h) = V_agent (after silent h) /\ V_server (after plane h) = V_server (after silent h).
Proof.
  induction h as [s v | h (A & B & C) w]; [repeat split |].
  cbn [after step Shat V_agent V_server]. unfold H, over_active, message, Delta. rewrite A, B, C. repeat split.
Qed.
Lemma iterate_is : forall h, Shat (after plane h) = iterate h.
Proof. apply same_state. Qed.
Lemma dot_plane : forall u v : vec plane, dot u v = u 1%nat * v 1%nat + u 2%nat * v 2%nat.
Proof. intros. cbn. ring. Qed.
Lemma norm_plane : forall c (u v : vec plane), 0 <= c -> dot u u <= c ^ 2 * dot v v -> norm u <= c * norm v.
Proof.
  intros c u v C Q. unfold norm. rewrite <- (sqrt_pow2 c C), <- sqrt_mult; [apply sqrt_le_1_alt, Q | | apply dot_pos].
  apply pow2_ge_0.
Qed.
Lemma oracle_of_plane : forall i theta, same (mean_oracle_of plane i theta) (point (own_mean i) theta : vec plane).
Proof. intros i theta y. rewrite !dot_plane. unfold mean_oracle_of, vmean. cbn. ring. Qed.
Lemma oracle_plane : forall theta, same (mean_oracle plane theta) (point 0 theta : vec plane).
Proof. intros theta y. rewrite !dot_plane. unfold mean_oracle, mean_oracle_of, vmean. cbn. field. Qed.

Theorem hypotheses_hold_singular : let P := plane in
  distribution P /\ starts_inside P /\ (forall t, gamma P (S t) = / 200) /\ keeps P /\ lands_inside P /\ nearer P /\
  MM_1 P /\ MM_1_values P /\ MM_2 P /\ A8_i P /\ has_interior P /\
  A3 P (fun _ => 1) /\ A4 P 1 /\ A5 P /\ A6_i P (fun _ => 2) /\
  (forall theta, 0 <= f P theta + g P theta) /\
  0 < omega_p P 1 /\ 0 < alpha P <= 1 / (1 + omega_p P 1) /\
  semidefinite P first_only 1 /\ (exists u, dot u u = 1 /\ forall s, dot u (first_only s u) = 0) /\
  descends P first_only (1 / 2) 1 /\ oracle_in_seminorm P first_only 1 /\
  image_lipschitz P 1 /\ oracle_lipschitz P 1 /\
  (let q := sqrt (1 - alpha P) in
    omega_p P 1 * (1 / 2 * 1 + 2 * 1 * (1 + 1 ^ 2 * 1) + 3 / 4 * 1) / (1 - q) * (L2_n P (fun _ => 2) / (1 - q))
      * (/ 200) ^ 2 <= 1 / 2 /\
    3 * (1 + 4 * 1 ^ 2 * 1 ^ 2) * (1 + q) ^ 2 * (omega_p P 1 / alpha P ^ 2) * L2_n P (fun _ => 2) * (/ 200) ^ 2
      <= 1 / 2).
Proof.
  cbv zeta.
  split; [split; [intros; cbn; lra | cbn; field] |].
  split; [intros s v _; exact I |].
  split; [reflexivity |].
  split; [intros h x _; split; [exact I | intro; reflexivity] |].
  split; [intros t h w _ _; exact I |].
  split; [intros h x; split; [exact I | intros m _; apply Rle_refl] |].
  split.
  { intros tau theta. rewrite (oracle_plane tau _), dot_plane. unfold minus. cbn. lra. }
  split; [split; [intros; exact I | intros; exact I] |].
  split; [intros s _ theta; rewrite !dot_plane; cbn; pose proof (pow2_ge_0 (theta - s 1%nat)); lra |].
  split; [intros u v l _ _ _; exact I |].
  split; [exists (point 0 0), 1; split; [lra | intros; exact I] |].
  split.
  { intros t h i _ _. cbv zeta. rewrite iterate_is. split; [lra |]. split.
    - intro y. rewrite (oracle_of_plane i _ y). cbn [oracles plane with_oracles]. rewrite mean_either, !dot_plane. cbn.
      field.
    - cbn [oracles plane with_oracles]. rewrite mean_either, !norm_square. right.
      assert (Q : forall a, dot (a [-] mean_oracle_of plane i (map plane (iterate h)))
        (a [-] mean_oracle_of plane i (map plane (iterate h)))
        = let m := point (own_mean i) (iterate h 1%nat) : vec plane in dot (a [-] m) (a [-] m)).
      { intro a. cbv zeta. apply same_square. intro y. unfold minus.
        rewrite !dot_add, !dot_scal, (oracle_of_plane i _ y). reflexivity. }
      rewrite !Q. cbv zeta. rewrite !dot_plane. unfold minus. cbn. field. }
  split.
  { split; [lra |]. intro s. split.
    - intro y. rewrite !dot_plane. cbn. field.
    - cbn [compressor plane with_oracles]. rewrite mean_either, !norm_square, !dot_plane. unfold minus. cbn.
      right. field. }
  split; [split; cbn; [lra | field] |].
  split.
  { intros i _. split; [lra |]. intros s s' _ _. apply norm_plane; [lra |].
    assert (Q : same (field_of plane i s' [-] field_of plane i s)
      (point (s 1%nat - s' 1%nat) (s' 1%nat - s 1%nat - (s' 2%nat - s 2%nat)) : vec plane)).
    { intro y. unfold field_of, minus. rewrite !dot_add, !dot_scal, !dot_add, !dot_scal, !(oracle_of_plane i _ y),
        !dot_plane. cbn. ring. }
    rewrite (same_square _ _ _ Q), !dot_plane. unfold minus. cbn.
    pose proof (Rle_0_sqr (s' 1%nat - s 1%nat)). pose proof (Rle_0_sqr (s' 2%nat - s 2%nat)).
    pose proof (Rle_0_sqr (s' 1%nat - s 1%nat + (s' 2%nat - s 2%nat))). unfold Rsqr in *. lra. }
  split; [intro theta; cbn; pose proof (pow2_ge_0 theta); lra |].
  assert (o : omega_p plane 1 = 3) by (unfold omega_p; cbn; field).
  split; [rewrite o; lra |].
  split; [rewrite o; cbn; lra |].
  assert (psd : forall s u, dot u (first_only s u) = u 1%nat * u 1%nat) by (intros; rewrite dot_plane; cbn; ring).
  split.
  { intros s _. split; [intros u v; rewrite !dot_plane; cbn; ring |]. intro u.
    rewrite psd, norm_square, (dot_plane u u). pose proof (Rle_0_sqr (u 1%nat)). pose proof (Rle_0_sqr (u 2%nat)).
    unfold Rsqr in *. split; lra. }
  split; [exists (point 0 1); split; [rewrite dot_plane; cbn; ring | intro; rewrite psd; cbn; ring] |].
  assert (change : forall s s',
    same (oracle_at plane s' [-] oracle_at plane s) (point 0 (s' 1%nat - s 1%nat) : vec plane)).
  { intros s s' y. unfold oracle_at, minus. rewrite !dot_add, !dot_scal, !(oracle_plane _ y), !dot_plane. cbn. ring. }
  assert (in_B : forall s u, norm_in (first_only s) u = Rabs (u 1%nat)).
  { intros s u. unfold norm_in. rewrite psd. apply sqrt_Rsqr_abs. }
  split.
  { intros s s' _ _. rewrite in_B, pow2_abs, norm_square. unfold field.
    assert (Q : forall y, dot (mean_oracle plane (map plane s) [-] s) y
      = dot (point 0 (s 1%nat) : vec plane) y - dot s y).
    { intro y. unfold minus. rewrite dot_add, dot_scal, (oracle_plane _ y). cbn [map plane with_oracles].
      ring. }
    rewrite Q, !dot_plane. unfold minus, value. cbn.
    pose proof (Rle_0_sqr (s' 1%nat - s 1%nat)). pose proof (Rle_0_sqr (s' 2%nat - s 2%nat)). unfold Rsqr in *. lra. }
  split.
  { intros s s' _ _. rewrite in_B. unfold norm. rewrite (same_square _ _ _ (change s s')), dot_plane. unfold minus. cbn.
    rewrite Rmult_1_l, Rmult_0_l, Rplus_0_l. right. rewrite <- sqrt_Rsqr_abs. f_equal. unfold Rsqr. ring. }
  split.
  { split; [lra |]. intros s s' _ _. apply norm_plane; [lra |]. rewrite !dot_plane. unfold minus. cbn.
    pose proof (Rle_0_sqr (s' 1%nat - s 1%nat)). pose proof (Rle_0_sqr (s' 2%nat - s 2%nat)). unfold Rsqr in *. lra. }
  split.
  { split; [lra |]. intros s s' _ _. apply norm_plane; [lra |].
    rewrite (same_square _ _ _ (change s s')), !dot_plane. unfold minus. cbn. lra. }
  assert (Q : 0 <= sqrt (1 - alpha plane) <= 7 / 8).
  { split; [apply sqrt_pos |]. replace (7 / 8) with (sqrt ((7 / 8) ^ 2)) by (apply sqrt_pow2; lra).
    apply sqrt_le_1_alt. cbn. lra. }
  assert (L : L2_n plane (fun _ => 2) = 2) by (unfold L2_n, slopes; cbn; field). rewrite o, L. cbv zeta.
  generalize dependent (sqrt (1 - alpha plane)). intros q Q. split.
  - assert (R8 : 0 < / (1 - q) <= 8).
    { split; [apply Rinv_0_lt_compat; lra |]. replace 8 with (/ (1 / 8)) by field. apply Rinv_le_contravar; lra. }
    assert (R64 : / (1 - q) * / (1 - q) <= 8 * 8) by (apply Rmult_le_compat; lra). unfold Rdiv. lra.
  - assert (R4 : (1 + q) ^ 2 <= (15 / 8) ^ 2) by (apply pow_incr; lra). cbn [alpha plane with_oracles].
    generalize dependent ((1 + q) ^ 2). intros x X. lra.
Qed.
Print Assumptions hypotheses_hold_singular.
