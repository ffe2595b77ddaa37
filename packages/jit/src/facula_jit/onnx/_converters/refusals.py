"""Reasons why operators have no converter, and remedies, for the errors of `export`."""

from __future__ import annotations

from facula_cpu.extend import STEP_NUMBERS

FORWARD = "export the forward pass alone"
OTHERS = "compute it with other operators, or outside of the exported model"
OUTSIDE = "compute it outside of the exported model"
REASONS: dict[tuple[str, str], str] = {
    ("draws random numbers", "call model.eval() first, or pass the numbers as an argument"): """
        bernoulli binomial dropout log_standard_gamma normal philox poisson randint standard_gamma uniform""",
    ("is a step of a backward pass, which ONNX lacks", FORWARD): """
        adjugate adjugate_grad attention_grad avg_pool2d_grad batch_norm_grad beta_grad conv2d_weight
        cosine_rows_grad cumprod_grad extreme_grad extreme_shares
        cross_entropy_grad ctc_loss_grad gather_back gelu_grad gelu_tanh_grad group_norm_grad is_extreme
        larger_grad layer_norm_grad linear_weight_grad local_response_norm_grad log_softmax_grad max_pool2d_grad
        max_pool2d_pick max_pool2d_values_grad nll_loss_grad product_difference recurrence recurrent_grad relu_grad
        rms_norm_grad scaled_distance scaled_exp scatter_taps sigmoid_grad silu_grad softmax_grad
        standard_gamma_grad take_back tanh_grad unit_rows_grad weigh_taps""",
    ("computes constants, which exported files contain", OUTSIDE): "range",
    ("is a step of an optimizer, which ONNX mostly lacks", FORWARD): " ".join(STEP_NUMBERS),
    ("changes running statistics", "call model.eval() first"): "batch_norm_counted",
    ("is a special function that ONNX lacks", OTHERS): """
        digamma erfcx erfinv gamma_share i0 i0e i1 i1e lgamma log_ndtr ndtri trigamma zeta""",
    ("is an operation on integers that ONNX lacks", OTHERS): "gcd lcm",
    ("shifts signed integers, and ONNX only unsigned ones", "multiply or divide by a power of 2"): """
        bitwise_left_shift bitwise_right_shift""",
    ("reads the signs of zeros, which no ONNX operator supports", "use sign(), or where()"): "copysign signbit",
    ("is an operation on matrices that ONNX lacks", OUTSIDE): """
        cholesky_ex eig eigh eigvals eigvalsh inv_ex lu_factor_ex matrix_exp permutation_of pinv qr qr_r slogdet
        solve_ex solve_factors svd svdvals triangular_solve""",
    (
        "is of complex numbers, for which ONNX runtimes have no kernels",
        "compute with their real and imaginary parts",
    ): """
        conj fft_complex fft_from_real fft_to_real""",
    ("processes a dimension in a way that no ONNX operator does", OTHERS): """
        cummax cummin cumprod logcumsumexp mode nanmedian_dim search_sorted""",
    ("returns a number of elements that depends on values, which a file cannot", "use where(), or masks"): """
        count_true nonzero nonzero_flat""",
    ("joins a convolution and the steps after it", "export the module, or what `capture` was given"): "conv2d_then",
    ("is a loss that ONNX has not", "leave it out of the exported model"): "ctc_loss",
}
"""Reasons and remedies, and the operators to which they apply."""
BY_OPERATOR = {name: said for said, names in REASONS.items() for name in names.split()}


def reason_for(operator: str) -> str:
    """Return the reason why an operator cannot be exported, and the remedy."""
    return "; ".join(BY_OPERATOR.get(operator, ("has no ONNX node here", OTHERS)))
