"""Systems that the paper names and that are no choice of the six parts, or not yet: each with what is missing."""

from fedmm_edu.relatives.relative import Elsewhere

ELSEWHERE: tuple[Elsewhere, ...] = (
    Elsewhere("choco", "CHOCO-SGD", "Koloskova et al. 2019", (), "a server: neighbours average among themselves"),
    Elsewhere("pfedme", "pFedMe", "Dinh et al. 2020", (), "one parameter: each client ends at its own"),
    Elsewhere("l2gd", "L2GD", "Hanzely and Richtárik 2020", (), "one parameter: each client ends at its own"),
    Elsewhere("randprox", "RandProx-FL", "Condat and Richtárik 2023", (619,),
              "a second coin on the dual step; its printed algorithm is not established here"),
    Elsewhere("fednl", "FedNL, NewtonLearn", "Safaryan et al. 2022; Islamov et al. 2021", (659,),
              "two messages of different compression: the Hessian's difference, and the gradient in full"),
)  # fmt: skip
"""The list."""
