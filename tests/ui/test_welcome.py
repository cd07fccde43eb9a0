"""The first words say only what is true of this Belay."""

from app.ui.welcome import welcome_text


def test_whole_text_when_everything_is_there() -> None:
    assert welcome_text(has_built_in=True, talk_key="F9") == (
        "Belay is an assistant you can stop or redirect at any moment: press Esc, or just type. "
        "It already works, with a small model that runs only on this computer. "
        "Hold F9 and speak, or choose a better model."
    )


def test_no_model_and_no_microphone_are_not_promised() -> None:
    assert welcome_text(has_built_in=False, talk_key=None) == (
        "Belay is an assistant you can stop or redirect at any moment: press Esc, or just type. "
        "Choose a model."
    )
