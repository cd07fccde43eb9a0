"""What the settings ask about models and keys, and what Quit leaves of it."""

from pathlib import Path

from app.agent.providers.fake import ScriptedProvider
from app.core.models import KeepKey, KeepKeyInFile, ModelEvent
from app.main.keys import Keys
from app.main.model_desk import ModelDesk
from app.storage.secrets import SecretStore
from tests.unit.agent.played import played

KEY = "sk-planted-0123456789"
HOME = "https://api.example/v1"


@played
async def test_key_that_is_being_kept_when_quit_comes_is_kept(tmp_path: Path) -> None:
    told: list[ModelEvent] = []
    desk = ModelDesk(
        keys=Keys({}, SecretStore(tmp_path / "keys.json")),
        provider_for=lambda _: ScriptedProvider(),
        emit=told.append,
        on_key_changed=lambda: None,
    )
    desk.handle(KeepKey(base_url=HOME, key=KEY))
    desk.handle(KeepKeyInFile(base_url=HOME))
    desk.end()
    await desk.until_kept()
    assert Keys({}, SecretStore(tmp_path / "keys.json")).key_for(HOME) == KEY
