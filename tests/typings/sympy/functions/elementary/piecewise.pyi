from sympy import Basic, Boolean, Expr

class ExprCondPair(Basic):
    expr: Expr
    cond: Boolean
