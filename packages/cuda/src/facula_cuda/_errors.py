"""The error that reports a code of CUDA's driver."""

from __future__ import annotations

from facula_errors import OperationError


class CudaError(OperationError):
    """A function of CUDA's driver failed.

    Arguments:
        message: the operation, the driver's name and text for the code, and a remedy.
        code: the driver's number of the error, as in cuda.h.

    >>> CudaError("copy: expected CUDA's driver to succeed; got CUDA_ERROR_INVALID_VALUE (1)", 1).code
    1
    """

    def __init__(self, message: str, code: int = 0):
        super().__init__(message, code)
        self.code = code

    def __str__(self) -> str:
        return str(self.args[0])
