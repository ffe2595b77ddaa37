"""Names of PyTorch's torch.fft, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_tensor.fft import fft as fft
from facula_tensor.fft import fft2 as fft2
from facula_tensor.fft import fftfreq as fftfreq
from facula_tensor.fft import fftn as fftn
from facula_tensor.fft import fftshift as fftshift
from facula_tensor.fft import hfft as hfft
from facula_tensor.fft import hfft2 as hfft2
from facula_tensor.fft import hfftn as hfftn
from facula_tensor.fft import ifft as ifft
from facula_tensor.fft import ifft2 as ifft2
from facula_tensor.fft import ifftn as ifftn
from facula_tensor.fft import ifftshift as ifftshift
from facula_tensor.fft import ihfft as ihfft
from facula_tensor.fft import ihfft2 as ihfft2
from facula_tensor.fft import ihfftn as ihfftn
from facula_tensor.fft import irfft as irfft
from facula_tensor.fft import irfft2 as irfft2
from facula_tensor.fft import irfftn as irfftn
from facula_tensor.fft import rfft as rfft
from facula_tensor.fft import rfft2 as rfft2
from facula_tensor.fft import rfftfreq as rfftfreq
from facula_tensor.fft import rfftn as rfftn
