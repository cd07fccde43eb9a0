"""What `--help` prints, and what a wrong command line is told."""

from app.cli.arguments import Topic, UsageError

_BELAY = """\
Usage: belay [TEXT]                open the window, with TEXT in the message box
       belay chat                  talk in the terminal
       belay ask [OPTIONS] [TEXT]  ask once, answer on standard output
       belay transcribe FILE       write down what is said in a sound file
       belay doctor                say what works on this machine

Options:
  -h, --help     show this, or the help of a command: belay ask --help
  -V, --version  show the version

Environment:
  OPENAI_BASE_URL, OPENAI_API_KEY, BELAY_MODEL
                 the server, its key and the model, when nothing is configured
  BELAY_HOME     one folder for everything that Belay keeps

Exit codes: 0 it worked, 1 it failed, 2 wrong usage, 70 it had to be ended, 130 stopped.
"""

_ASK = """\
Usage: belay ask [OPTIONS] [TEXT]

Asks once in a new conversation and streams the answer to standard output.
Without TEXT the question is read from standard input; with both, TEXT comes first:
  git diff | belay ask "Explain this change"

Options:
      --json         print one JSON event per line (docs/json-events.md)
  -m, --model NAME   ask this model
  -i, --image FILE   attach a PNG, JPEG, GIF or WebP picture; may be repeated
  -h, --help         show this

Ctrl-C stops the answer: the connection closes, what was said is kept, the exit code is 130.
A second Ctrl-C ends Belay at once.
"""

_CHAT = """\
Usage: belay chat [OPTIONS]

Talks in the terminal. Ctrl-C stops an answer and keeps what was said; a line typed while it
works redirects it; Ctrl-D or /quit closes Belay. /help lists the commands.

Options:
  -m, --model NAME   ask this model
  -h, --help         show this
"""

_TRANSCRIBE = """\
Usage: belay transcribe [OPTIONS] FILE

Writes down what is said in a sound file (WAV, FLAC and more), on this machine alone.
Long files come out piece by piece; Ctrl-C keeps what was written.

Options:
  -l, --language CODE  the language spoken, such as en or de; else the system's
  -h, --help           show this
"""

_DOCTOR = """\
Usage: belay doctor

Checks the display, the folders, the conversations and the model, a line each.
The exit code is 0 only if Belay can answer and remember.
"""

_TOPICS: dict[Topic, str] = {
    "belay": _BELAY,
    "ask": _ASK,
    "chat": _CHAT,
    "transcribe": _TRANSCRIBE,
    "doctor": _DOCTOR,
}


def help_text(topic: Topic) -> str:
    """Give the help on a command."""
    return _TOPICS[topic]


def complaint(error: UsageError) -> str:
    """Say what is wrong with a command line, and how it goes."""
    name = "belay" if error.topic == "belay" else f"belay {error.topic}"
    usage = help_text(error.topic).split("\n\n", maxsplit=1)[0]
    return f"belay: {error.sentence}\n{usage}\nMore: {name} --help\n"
