"""Arrays that another library shares through DLPack and `__cuda_array_interface__`, without waiting for the device."""

import torch

import facula_cuda

assert torch.empty(3, pin_memory=True).is_pinned()  # before anything else uses a device


class DLPackArray:
    def __init__(self, tensor):
        self.__dlpack__, self.__dlpack_device__ = tensor.__dlpack__, tensor.__dlpack_device__


class CudaArray:
    def __init__(self, tensor):
        self.tensor, self.__cuda_array_interface__ = tensor, tensor.__cuda_array_interface__


x = torch.arange(6.0, device="cuda") * 2
side, waits = torch.cuda.Stream(), facula_cuda.waits()
assert x.__dlpack_device__() == (2, 0)
with torch.cuda.stream(side):
    y = torch.from_dlpack(DLPackArray(x))
    z = torch.as_tensor(CudaArray(y)) + 1
torch.cuda.current_stream().wait_stream(side)
z = z - 1
assert facula_cuda.waits() == waits
assert y.data_ptr() == x.data_ptr() and z.tolist() == [0, 2, 4, 6, 8, 10]
