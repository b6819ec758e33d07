"""Signs, identities, inequalities and convexity of expressions on a domain: the searches for proofs and witnesses."""
