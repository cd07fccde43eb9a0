"""Tests see nothing of the machine they run on."""

import os
from pathlib import Path

import pytest

from tests.harness.environment import is_foreign


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "HTTPS_PROXY", "http_proxy", "NO_PROXY", "BELAY_MODEL", "DISPLAY"],
)
def test_keys_proxies_and_displays_are_scrubbed(name: str) -> None:
    assert is_foreign(name)
    assert name not in os.environ


def test_each_test_has_a_home_of_its_own(belay_home: Path, tmp_path: Path) -> None:
    assert os.environ["BELAY_HOME"] == str(belay_home)
    assert belay_home.is_relative_to(tmp_path)
    assert not belay_home.exists()
