"""What `belay doctor` says about talking: the microphone, and the model that writes words down.

Neither is needed to answer and remember, so a missing one is no failure.
"""

from pathlib import Path

from app.cli.findings import Finding, Health
from app.cli.problems import explained
from app.core.errors import ProblemError
from app.core.settings import Settings
from app.voice.microphone import PortAudioMicrophone
from app.voice.weights import check_bundled, own_model

_NO_MICROPHONE = "There is none. Typing works as before."


def look_at_voice(settings: Settings) -> list[Finding]:
    """Look at both; opens nothing, so that no light goes on."""
    return [_microphone(settings), _speech(settings)]


def _microphone(settings: Settings) -> Finding:
    try:
        names = PortAudioMicrophone().devices()
    except ProblemError as error:
        return Finding(part="Microphone", health=Health.ABSENT, words=explained(error.problem))
    if not names:
        return Finding(part="Microphone", health=Health.ABSENT, words=_NO_MICROPHONE)
    chosen = settings.microphone
    if chosen and chosen not in names:
        words = f"{chosen} is not plugged in. The system's choice is used."
        return Finding(part="Microphone", health=Health.ABSENT, words=words)
    return Finding(
        part="Microphone",
        health=Health.WORKS,
        words=chosen or f"the system's choice of {len(names)}",
    )


def _speech(settings: Settings) -> Finding:
    try:
        if settings.speech_model:
            own_model(Path(settings.speech_model))
        else:
            check_bundled()
    except ProblemError as error:
        return Finding(part="Speech", health=Health.ABSENT, words=explained(error.problem))
    words = settings.speech_model or "the model that came with Belay"
    return Finding(part="Speech", health=Health.WORKS, words=words)
