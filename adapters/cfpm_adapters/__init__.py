"""What connects the memory to hosts: providers behind one protocol. One module per provider or host."""

from cfpm_adapters.local import LocalProvider
from cfpm_adapters.provider import Provider

__all__ = ["LocalProvider", "Provider"]
