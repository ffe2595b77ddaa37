"""The codes of facula_storage's dtypes that plans and kernels are chosen by; float8 types have 16 to 20."""

BOOL, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 = range(1, 11)
COMPLEX64, COMPLEX128, UINT16, UINT32, UINT64 = range(11, 16)
