"""Which addresses count as the public internet."""

import subprocess
import sys

import pytest

from handrail.ports.public_address import is_public

NOT_PUBLIC = [
    "127.0.0.1", "10.1.2.3", "192.168.1.1", "100.64.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1", "255.255.255.255",
    "::1", "::", "fe80::1%lo", "fd00:ec2::254", "fec0::2", "ff02::1", "::ffff:127.0.0.1", "::127.0.0.1",
    "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::",
]  # fmt: skip

WITH_A_PUBLIC_ADDRESS = """
import fcntl, socket, struct
from handrail.ports.public_address import is_public
own = socket.inet_aton("93.184.216.34")
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    fcntl.ioctl(any_socket, 0x8916, struct.pack("16sHH4s8x", b"lo", socket.AF_INET, 0, own))
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 0x41))
print(is_public("93.184.216.34"), is_public("::ffff:93.184.216.34"), is_public("93.184.216.35"))
"""


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_addresses_of_this_machine_and_its_network_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::5db8:d822"])
def test_other_addresses_are(address: str) -> None:
    assert is_public(address)


def test_a_public_address_of_this_machine_does_not_count_as_public() -> None:
    """In a network of the test's own."""
    command = ["unshare", "--map-root-user", "--net", sys.executable, "-c", WITH_A_PUBLIC_ADDRESS]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False False True\n"
