"""Systems that the paper names and that are no entry: each with what is missing, if anything is."""

from fedmm_edu.relatives.relative import Elsewhere

PERSONAL = "one parameter: each client ends at its own"

ELSEWHERE: tuple[Elsewhere, ...] = (
    Elsewhere("fedem", "FedEM", "Dieuleveut et al. 2021", (239, 563, 635, 699),
              "nothing where 𝒮 = ℝ^q: there it is FedMM, as L 635 says. Else a space without the projection; and "
              "whether its α carries 1/p is not established here"),
    Elsewhere("vr-fedem", "VR-FedEM, FIEM, SPIDER-EM, sEM-vr", "Dieuleveut et al. 2021; Fort et al. 2021", (440,),
              "a memory of each sample, or the same samples at θ_t and θ_{t−1}"),
    Elsewhere("fedgrem", "FedGrEM", "Tian, Weng and Feng 2024", (637,),
              "a group threshold at the server, and an example whose components are penalised towards their centre"),
    Elsewhere("fmlr", "FMLR", "Reisizadeh et al. 2023", (637,),
              "nothing: FedMM on the example of mixtures of regressions, s = (Σ r xxᵀ, Σ r xy)"),
    Elsewhere("fedmavg", "FedMAvg", "Wang and Chang 2022", (533,), "codes that clients keep and improve by steps"),
    Elsewhere("fedmgs", "FedMGS", "Wang and Chang 2022", (239, 654),
              "T by projected gradient steps, with `carry` and `advance` of a space; its printed steps are unchecked"),
    Elsewhere("one-shot", "one-shot averaging", "Zhang, Duchi and Wainwright 2013", (),
              "nothing: FedAvg with so many steps that y_K is the minimiser, and one round; Q_i = H_i⁻¹"),
    Elsewhere("newton", "federated Newton, Böhning and Lindsay", "Islamov et al. 2021", (659,),
              "no part of the loop: a surrogate, s = (Hτ − ∇ℓ, H), the example of curvature; with ∇²ℓ it does not "
              "majorise. `fedmm compare logistic` prices both"),
    Elsewhere("fednl", "NewtonLearn, FedNL", "Islamov et al. 2021; Safaryan et al. 2022", (659,),
              "two channels: the Hessian's difference compressed, the gradient in full"),
    Elsewhere("randprox", "RandProx-FL", "Condat and Richtárik 2023", (619,),
              "a compressor on the dual step; its printed algorithm is not established here"),
    Elsewhere("stc", "STC", "Sattler et al. 2020", (239,),
              "ternary rows in `Differences(TopK)` and `ErrorFeedback`, each of which exists"),
    Elsewhere("choco", "CHOCO-SGD", "Koloskova et al. 2019", (), "a server: neighbours average among themselves"),
    Elsewhere("pfedme", "pFedMe", "Dinh et al. 2020", (632,), PERSONAL),
    Elsewhere("fedu", "FedU", "Dinh et al. 2022", (632,), PERSONAL),
    Elsewhere("l2gd", "L2GD", "Hanzely and Richtárik 2020", (632,), PERSONAL),
    Elsewhere("ifca", "clustered learning (IFCA)", "Ghosh et al. 2020; Sattler et al. 2020; Mansour et al. 2020",
              (644,),
              "hard assignment in the place of responsibilities: a mixture with weights 0 and 1"),
    Elsewhere("factorisation", "federated matrix factorisation systems", "several", (644,),
              "an algorithm in common: they differ in what leaves a client, item factors or their gradients"),
)  # fmt: skip
"""The list."""
