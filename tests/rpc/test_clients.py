"""Both test clients reach the whole application."""

from tests.support.client import Client
from tests.support.process import SidecarProcess


def test_in_memory_application_serves_methods_after_the_handshake(client: Client) -> None:
    assert client.request("ping") == {}
    assert client.request("settings/get", {})["settings"]


def test_process_serves_methods_after_the_handshake(process: SidecarProcess) -> None:
    assert process.client.request("ping") == {}
    assert process.client.request("settings/get", {})["settings"]
    assert process.garbage == []
