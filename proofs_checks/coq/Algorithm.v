(* Algorithm 2 (FedMM, L 566-604), and the assumptions of Theorem 1 (L 251-271, L 662-732) as the paper words them.

   A problem has all data: the sets, functions and laws. Space is R^q for any q, or any other real inner-product space.
   A state of the algorithm is a function of its past: the initial values, and what was drawn in each round. Laws have
   finitely many outcomes; the law of the oracles of a round may depend on the whole past. Independence is in
   `one_round`: given the past, the agents' selections, oracles and compressors are drawn one after another, and none
   looks at another (A3 with the words before it, L 666-668; A4; A5). All agents draw, the active ones use it. *)
From Coq Require Import Reals Lra Lia List.
Require Import Prelude Means Identities Laws.
Open Scope R_scope.

Infix "[+]" := add (at level 50, left associativity).
Infix "[*]" := scal (at level 40, left associativity).
Infix "[-]" := minus (at level 50, left associativity).
Definition norm {Space : space} (u : vec Space) := sqrt (dot u u).
Definition norm_in {Space : space} (B : vec Space -> vec Space) (u : vec Space) := sqrt (dot u (B u)).

(* What an agent draws in a round: whether it is active, its oracle S_{t+1,i}, and the map Q_{t+1,i}. *)
Record draw (V : Type) := { active : bool; oracle : V; compress : V -> V }.
Arguments active {_}. Arguments oracle {_}. Arguments compress {_}.
Inductive past (V : Type) := began (Shat_0 : V) (V_0 : nat -> V) | followed (h : past V) (w : nat -> draw V).
Arguments began {_}. Arguments followed {_}.
Fixpoint rounds {V} (h : past V) : nat := match h with began _ _ => O | followed h _ => S (rounds h) end.

Record problem := {
  Space :> space;
  calS : vec Space -> Prop;
  Theta : Type;
  f : Theta -> R;  g : Theta -> R;  psi : Theta -> R;
  phi : Theta -> vec Space;
  map : vec Space -> Theta;  (* T *)
  n : nat;  (* the agents are 1, ..., n *)
  mu : nat -> R;
  sample : Type;
  pi : nat -> law sample;
  Sbar : sample -> Theta -> vec Space;
  initial : law (vec Space * (nat -> vec Space));  (* of Shat_0 and the V_{0,i} *)
  p : R;
  selection : law bool;  (* whether an agent is active *)
  oracles : past (vec Space) -> nat -> law (vec Space);  (* S_{t+1,i} given F_t *)
  compressor : law (vec Space -> vec Space);  (* Q *)
  alpha : R;
  gamma : nat -> R;
  B_used : past (vec Space) -> vec Space -> vec Space;  (* B_t *)
  Pi : (vec Space -> vec Space) -> vec Space -> vec Space  (* L 734: Pi B x is the point of S nearest to x *)
}.
Definition agent P (i : nat) := (1 <= i <= n P)%nat.

Section Algorithm.
Variable P : problem.
Notation V := (vec P).

Record state := { Shat : V; V_agent : nat -> V; V_server : V }.
Definition Delta (s : state) (w : nat -> draw V) i := oracle (w i) [-] Shat s [-] V_agent s i.
Definition message s w i := compress (w i) (Delta s w i).
Definition over_active (w : nat -> draw V) (y : nat -> V) := vsum (fun i => if active (w i) then y i else zero) (n P).
Definition H s w := V_server s [+] (1 / p P) [*] over_active w (fun i => mu P i [*] message s w i).
Definition step t (B : V -> V) s w := {|
  Shat := Pi P B (Shat s [+] gamma P t [*] H s w);
  V_agent := fun i => if active (w i) then V_agent s i [+] (alpha P / p P) [*] message s w i else V_agent s i;
  V_server := V_server s [+] (alpha P / p P) [*] over_active w (fun i => mu P i [*] message s w i)
|}.
Fixpoint after (h : past V) : state :=
  match h with
  | began s v => {| Shat := s; V_agent := v; V_server := vsum (fun i => mu P i [*] v i) (n P) |}
  | followed h w => step (S (rounds h)) (B_used P h) (after h) w
  end.

(* The draws of one agent, of one round, and of t rounds: the law of what F_t knows. *)
Definition one_draw h i : law (draw V) :=
  next (selection P) (fun u => next (oracles P h i) (fun a => next (compressor P) (fun q =>
    sure {| active := u; oracle := a; compress := q |}))).
Definition nobody : draw V := {| active := false; oracle := zero; compress := fun v => v |}.
Definition one_round h : law (nat -> draw V) := independent (n P) (one_draw h) nobody.
Fixpoint path t : law (past V) :=
  match t with
  | O => next (initial P) (fun x => sure (began (fst x) (snd x)))
  | S t => next (path t) (fun h => next (one_round h) (fun w => sure (followed h w)))
  end.

(* The mean fields (L 347, L 640-650, L 714): E_{pi_i}[Sbar(Z, theta)], h_i, E_pi[Sbar(Z, theta)], h. *)
Definition mean_oracle_of i theta := vmean (pi P i) (fun z => Sbar P z theta).
Definition field_of i s := mean_oracle_of i (map P s) [-] s.
Definition mean_oracle theta := vsum (fun i => mu P i [*] mean_oracle_of i theta) (n P).
Definition field s := mean_oracle (map P s) [-] s.

(* Functions of the past: W_t, G_t, and the error of L 737-741, where gamma_{t+1} and B_t belong to the next round. *)
Definition W h := f P (map P (Shat (after h))) + g P (map P (Shat (after h))).
Definition G h := sum (fun i => mu P i ^ 2 * norm (V_agent (after h) i [-] field_of i (Shat (after h))) ^ 2) (n P).
Definition barE h :=
  let s := Shat (after h) in let step := gamma P (S (rounds h)) in
  norm_in (B_used P h) (Pi P (B_used P h) (s [+] step [*] field s) [-] s) ^ 2 / step ^ 2.

(* MM-1 (L 254-262). That S is convex is A8 (i), that Sbar takes its values in S is not used. *)
Definition MM_1 := forall tau theta,
  f P theta <= f P tau + psi P theta - psi P tau - dot (mean_oracle tau) (phi P theta [-] phi P tau).
(* MM-2 (L 263-269). That there is one minimiser only is not used. *)
Definition MM_2 := forall s, calS P s -> forall theta,
  g P (map P s) + psi P (map P s) - dot s (phi P (map P s)) <= g P theta + psi P theta - dot s (phi P theta).

(* A3 (L 672-680), at every past that is possible. *)
Definition A3 (sigma : nat -> R) := forall t h i, possible (path t) h -> agent P i ->
  let m := mean_oracle_of i (map P (Shat (after h))) in
  0 <= sigma i /\ is_mean (under (oracles P h i)) (fun a => a) m /\
  E (oracles P h i) (fun a => norm (a [-] m) ^ 2) <= sigma i ^ 2.
(* A4 (L 685-692). *)
Definition A4 omega := 0 <= omega /\ forall s,
  is_mean (under (compressor P)) (fun q => q s) s /\
  E (compressor P) (fun q => norm (q s [-] s) ^ 2) <= omega * norm s ^ 2.
(* A5 (L 701). *)
Definition A5 := 0 < p P <= 1 /\ E (selection P) (fun u => if u then 1 else 0) = p P.
(* A6 (L 713-717); M bounds |h| on S, the best M is the supremum. *)
Definition A6_i (L : nat -> R) := forall i, agent P i -> 0 <= L i /\ forall s s', calS P s -> calS P s' ->
  norm (field_of i s' [-] field_of i s) <= L i * norm (s' [-] s).
Definition A6_ii M := 0 <= M /\ forall s, calS P s -> norm (field s) <= M.
(* A7 (L 718-727). *)
Definition symmetric (B : V -> V) := forall u v, dot (B u) v = dot u (B v).
Definition positive_definite (B : V -> V) := symmetric B /\ exists v, 0 < v /\ forall u, v * norm u ^ 2 <= dot u (B u).
Definition A7_i (B : V -> V -> V) C1 C2 := 0 < C1 /\ 0 < C2 /\ forall s, calS P s -> symmetric (B s) /\
  forall s', calS P s' ->
    norm (phi P (map P s') [-] phi P (map P s) [-] B s (s' [-] s)) <= C1 * norm (s' [-] s) ^ 2 /\
    Rabs (dot (s' [-] s) (phi P (map P s') [-] phi P (map P s))) <= C2 * norm (s' [-] s) ^ 2.
Definition A7_ii (B : V -> V -> V) v_min v_max := 0 < v_min <= v_max /\ forall s u, calS P s ->
  v_min * norm u ^ 2 <= dot u (B s u) <= v_max * norm u ^ 2.
(* A8 (L 730-732). S is closed so that nearest points exist; they do, by line_599. *)
Definition A8_i := forall u v l, 0 <= l <= 1 -> calS P u -> calS P v -> calS P ((1 - l) [*] u [+] l [*] v).
Definition A8_ii (B : V -> V -> V) := forall t h, possible (path t) h -> B_used P h = B (Shat (after h)).

(* The data of Algorithm 2: the argmin of L 599, a point of S to begin with, the distribution mu, positive steps. *)
Definition line_599 := forall B x, positive_definite B ->
  calS P (Pi P B x) /\ forall y, calS P y -> norm_in B (Pi P B x [-] x) <= norm_in B (y [-] x).
Definition starts_inside := forall s v, possible (initial P) (s, v) -> calS P s.
Definition distribution := (forall i, agent P i -> 0 <= mu P i) /\ sum (mu P) (n P) = 1.
Definition steps_positive := forall t, 0 < gamma P (S t).
End Algorithm.
Arguments Shat {_}. Arguments V_agent {_}. Arguments V_server {_}.
