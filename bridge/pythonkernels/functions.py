"""Functions that a kernel may call, by the objects that Python calls: of the language, of `math`,
of NumPy. What each becomes: a function of kernels by the same arguments, or a form of its own."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np

#: Of numbers, elementwise on arrays: name in kernels -> names in `math`, names in NumPy.
_NAMES = {
    "sqrt": ("sqrt", "sqrt"),
    "cbrt": ("cbrt", "cbrt"),
    "exp": ("exp", "exp"),
    "exp2": ("exp2", "exp2"),
    "expm1": ("expm1", "expm1"),
    "log": ("log", "log"),
    "log2": ("log2", "log2"),
    "log10": ("log10", "log10"),
    "log1p": ("log1p", "log1p"),
    "sin": ("sin", "sin"),
    "cos": ("cos", "cos"),
    "tan": ("tan", "tan"),
    "asin": ("asin", "arcsin"),
    "acos": ("acos", "arccos"),
    "atan": ("atan", "arctan"),
    "atan2": ("atan2", "arctan2"),
    "sinh": ("sinh", "sinh"),
    "cosh": ("cosh", "cosh"),
    "tanh": ("tanh", "tanh"),
    "erf": ("erf", ""),
    "floor": ("floor", "floor"),
    "ceil": ("ceil", "ceil"),
    "aint": ("trunc", "trunc"),
    "rint": ("", "rint"),
    "abs": ("fabs", "abs fabs absolute"),
    "copysign": ("copysign", "copysign"),
    "mod": ("fmod", "fmod"),
    "modulo": ("", "mod remainder"),
    "max": ("", "maximum"),
    "min": ("", "minimum"),
    "fmax": ("", "fmax"),
    "fmin": ("", "fmin"),
    "isnan": ("isnan", "isnan"),
    "isfinite": ("isfinite", "isfinite"),
    # in forms of their own
    "power": ("pow", "power float_power"),
    "where": ("", "where"),
    "clip": ("", "clip"),
    "hypot": ("hypot", "hypot"),
    "square": ("", "square"),
    "reciprocal": ("", "reciprocal"),
    "number": ("", "float64"),
    "sgn": ("", "sign"),
    "heaviside": ("", "heaviside"),
    "and": ("", "logical_and"),
    "or": ("", "logical_or"),
    "not": ("", "logical_not"),
}
#: Of arrays, and what makes some; their arguments are not taken element after element.
_WHOLE = {
    "sum": ("fsum", "sum"),
    "dot": ("", "dot matmul inner"),
    "largest": ("", "max amax"),
    "least": ("", "min amin"),
    "product": ("prod", "prod"),
    "mean": ("", "mean average"),
    "zeros": ("", "zeros empty"),
    "ones": ("", "ones"),
    "like": ("", "zeros_like empty_like"),
    "array": ("", "array asarray"),
}
_BUILTIN = {"abs": abs, "number": float, "rint": round, "aint": int, "power": pow}
_WHOLE_BUILTIN = {
    "sum": sum, "maximum": max, "minimum": min, "len": len, "any": any, "all": all,
    "tuple": tuple, "list": list,
}  # fmt: skip

#: Numbers of arguments, where it is not one.
ARGUMENTS = {
    **dict.fromkeys(
        ("atan2", "copysign", "mod", "modulo", "max", "min", "fmax", "fmin", "power", "hypot"), 2
    ),
    **dict.fromkeys(("heaviside", "and", "or"), 2),
    **dict.fromkeys(("where", "clip"), 3),
}
#: What gives a truth value.
LOGICAL = ("isnan", "isfinite")
#: Functions of kernels, by names that no variable may have.
OF_KERNELS = frozenset(_NAMES)

#: What stands in for some functions that are refused.
INSTEAD: dict[Any, str] = {
    math.asinh: "np.log(x + np.sqrt(x*x + 1))",
    np.arcsinh: "np.log(x + np.sqrt(x*x + 1))",
    math.acosh: "np.log(x + np.sqrt(x*x - 1))",
    np.arccosh: "np.log(x + np.sqrt(x*x - 1))",
    math.atanh: "0.5*np.log((1 + x)/(1 - x))",
    np.arctanh: "0.5*np.log((1 + x)/(1 - x))",
    math.erfc: "1 - math.erf(x)",
    np.interp: "arithmetic with np.where",
    np.select: "np.where in np.where",
    np.round: "np.rint(x)",
    print: "nothing in its place",
    divmod: "np.mod(a, b) and np.floor(a / b)",
    map: "[f(x) for x in values]",
}


def _by_object(names: dict[str, tuple[str, str]], own: dict[str, Any]) -> dict[int, str]:
    found: dict[int, str] = {id(function): name for name, function in own.items()}
    for name, (of_math, of_numpy) in names.items():
        for module, words in ((math, of_math), (np, of_numpy)):
            for word in words.split():
                if (function := getattr(module, word, None)) is not None:
                    found[id(function)] = name
    return found


_ELEMENTWISE, _ON_WHOLE = _by_object(_NAMES, _BUILTIN), _by_object(_WHOLE, _WHOLE_BUILTIN)


def elementwise(function: Callable[..., Any]) -> str | None:
    """How kernels call a function of numbers."""
    return _ELEMENTWISE.get(id(function))


def of_whole(function: Callable[..., Any]) -> str | None:
    """What a function of arrays or of several values does."""
    return _ON_WHOLE.get(id(function))


def name_of(function: Any) -> str:
    """As a message calls it."""
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__name__", None) or getattr(function, "__qualname__", "")
    if not name:
        return repr(function)
    return name if module in ("", builtins.__name__) else f"{module}.{name}"
