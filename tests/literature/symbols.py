"""The symbols that the entries share."""

import sympy as sp

theta, theta1, theta2, theta3 = sp.symbols("theta theta1 theta2 theta3", real=True)
x, y, x1, x2, z, z1, z2, z3, z4 = sp.symbols("x y x1 x2 z z1 z2 z3 z4", real=True)
s, s1, s2, s3, s4 = sp.symbols("s s1 s2 s3 s4", real=True)
rho, lam, nu, eps, a, b = sp.symbols("rho lambda nu epsilon a b", positive=True)
