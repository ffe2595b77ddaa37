"""Weights that remain orthogonal during training: `orthogonal`, and the maps from any matrix to an orthogonal one."""

from __future__ import annotations

from facula_errors import InvalidValueError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Size, Tensor, cat, eye, finfo, matrix_exp, no_grad, qr, randn
from facula_tensor.linalg import solve, solve_triangular

from .._modules.module import Module
from .parametrize import register_parametrization

MAPS = ("matrix_exp", "cayley", "householder")


class _Orthogonal(Module):
    """The map from the original matrix to the orthogonal one: `base` @ map(original), for the taller of M and Mᵀ."""

    base: Tensor | None
    shape: Size

    def __init__(self, weight: Tensor, orthogonal_map: str, use_trivialization: bool) -> None:
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        self.use_trivialization = use_trivialization
        self.register_buffer("base", None)

    def forward(self, original: Tensor) -> Tensor:
        rows, columns = original.shape[-2:]
        tall = original.mT if rows < columns else original
        if self.orthogonal_map == "householder":
            made = householder(tall)
        else:
            size, narrow = max(rows, columns), min(rows, columns)
            low = tall.tril()
            if narrow < size:
                low = cat([low, low.new_zeros(*low.shape[:-1], size - narrow)], -1)
            skew = low - low.mH
            if self.orthogonal_map == "matrix_exp":
                made = matrix_exp(skew)
            else:
                identity = eye(size, dtype=skew.dtype, device=skew.device)
                made = solve(identity - skew / 2, identity + skew / 2)
            made = made[..., :narrow]
        if self.base is not None:
            made = self.base @ made
        return made.mT if rows < columns else made

    @no_grad()
    def right_inverse(self, value: Tensor) -> Tensor:
        if value.shape != self.shape:
            raise InvalidValueError(
                f"orthogonal: expected a matrix of shape {tuple(self.shape)}; got {tuple(value.shape)}"
            )
        if not self.use_trivialization and self.orthogonal_map != "householder":
            raise UnsupportedError(
                f"orthogonal: a value cannot be assigned through {self.orthogonal_map!r}, which has no inverse; "
                "leave use_trivialization=True"
            )
        rows, columns = value.shape[-2:]
        found = nearest(value.mT if rows < columns else value)
        if self.use_trivialization:
            size, narrow = found.shape[-2:]
            if narrow < size:  # complete the basis with arbitrary columns
                more = randn(*found.shape[:-1], size - narrow, device=found.device).to(found.dtype)
                found = cat([found, qr(cat([found, more], -1))[0][..., narrow:]], -1)
            self.base = found.clone()
            here = eye(size, narrow, dtype=value.dtype, device=value.device)
            made = value.new_zeros(*found.shape[:-1], narrow) - here  # all three maps return the identity here
        else:
            made = reflectors(found)
        return made.mT.contiguous() if rows < columns else made


def nearest(matrix: Tensor) -> Tensor:
    """Return `matrix` (..., m, n) if its columns are orthonormal; else Q of its QR decomposition, with diag(R) > 0."""
    identity = eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    tolerance = 10 * matrix.shape[-2] * finfo(matrix.dtype).eps
    if float((matrix.mH @ matrix - identity).abs().max()) <= tolerance:
        return matrix
    q, r = qr(matrix)
    return q * r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def householder(matrix: Tensor) -> Tensor:
    """Return the product of the reflections by the columns below the diagonal (..., m, n), times the diagonal's signs.

    H₁ H₂ ... Hₙ = 1 - V T Vᵀ, where the inverse of T is VᵀV above the diagonal, and half of VᵀV on the diagonal.
    """
    rows, columns = matrix.shape[-2:]
    identity = eye(rows, columns, dtype=matrix.dtype, device=matrix.device)
    v = matrix.tril(-1) + identity
    gram = v.mT @ v
    inverse = gram.triu(1) + (gram.diagonal(dim1=-2, dim2=-1) / 2).diag_embed()
    made = identity - v @ solve_triangular(inverse, v[..., :columns, :].mT, upper=True)
    return made * matrix.diagonal(dim1=-2, dim2=-1).sign().unsqueeze(-2)


def reflectors(matrix: Tensor) -> Tensor:
    """Invert `householder` for a matrix (..., m, n) with orthonormal columns."""
    left, made = matrix.clone(), matrix.new_zeros(matrix.shape)
    for at in range(matrix.shape[-1]):
        column = left[..., at:, at]
        first = column[..., :1]
        sign = (first >= 0).to(matrix.dtype) * 2 - 1
        end = -sign * column.square().sum(-1, keepdim=True).sqrt()
        v = cat([first - end, column[..., 1:]], -1)
        v = (v / v[..., :1]).unsqueeze(-1)
        made[..., at:, at] = cat([end.sign(), v[..., 1:, 0]], -1)
        rest = left[..., at:, at:]
        left[..., at:, at:] = rest - v @ (v.mT @ rest) * (2 / v.square().sum(-2, keepdim=True))
    return made


@boundary
def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Keep the columns of a weight orthonormal during training (or its rows, if it is wider than high).

    The weight Q (..., m, n) is computed from `parametrizations.weight.original` by one of three maps: the exponential
    of a skew matrix A, (1 + A / 2) / (1 - A / 2) (Cayley's), or a product of Householder reflections. The initial value
    is the present weight, orthogonalized by a QR decomposition if necessary.

    Arguments:
        module: the module to modify.
        name: the name of its parameter or buffer with at least two dimensions.
        orthogonal_map: "matrix_exp", "cayley" or "householder"; None selects the first for square and complex matrices
            and the last for others.
        use_trivialization: store an additional matrix `base` (n, n), and map near the identity. Without it, only
            "householder" supports assignment to the weight, and the other maps do not start at the present weight.

    Returns:
        The module.

    Raises:
        ValueError: no such tensor, fewer than two dimensions, an unknown map, or reflections of complex numbers.

    M. Lezcano-Casado: Trivializations for gradient-based optimization on manifolds, 2019.

    >>> from facula_nn import Linear
    >>> weight = orthogonal(Linear(3, 5)).weight
    >>> (weight.mT @ weight).sum().round()
    tensor(3., grad_fn=<round>)
    """
    weight: Tensor | None = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise InvalidValueError(f"orthogonal: expected a parameter or buffer of {type(module).__name__}; got {name!r}")
    if weight.ndim < 2:
        raise InvalidValueError(f"orthogonal: expected a matrix, or several; got shape {tuple(weight.shape)}")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in MAPS:
        raise InvalidValueError(f"orthogonal: expected orthogonal_map to be one of {MAPS}; got {orthogonal_map!r}")
    if orthogonal_map == "householder" and weight.is_complex():
        raise InvalidValueError("orthogonal: 'householder' requires real matrices; use 'matrix_exp' or 'cayley'")
    made = _Orthogonal(weight, orthogonal_map, use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)
