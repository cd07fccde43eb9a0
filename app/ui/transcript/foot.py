"""What stands beneath a message: how it ended, a problem, what can be done with it."""

from app.core.errors import Problem
from app.core.wording import caption, sentence
from app.ui.transcript.entry import Branch, Entry, Notice
from app.ui.transcript.look import Tone
from app.ui.transcript.place import Place
from app.ui.transcript.problems import Wish, remedy
from app.ui.transcript.rows.actions import ActionsRow, Offer
from app.ui.transcript.rows.base import Deed, Row
from app.ui.transcript.rows.making import code_rows
from app.ui.transcript.rows.notice import NoticeRow
from app.ui.transcript.rows.plain import LineRow
from app.ui.transcript.stage import Stage

_WISHES = {Wish.RETRY: Deed.RETRY, Wish.CONTINUE: Deed.CONTINUE, Wish.FIX: Deed.REMEDY}


def foot_rows(entry: Entry, place: Place, stage: Stage) -> list[Row]:
    """Make the rows beneath a message."""
    rows = _person_foot(entry, place) if entry.is_person else _answer_foot(entry, place)
    if place.elsewhere is not None:
        rows.append(_elsewhere(place.elsewhere))
    px = stage.look.px
    for row in rows:
        row.gap = px(2 if isinstance(row, ActionsRow) else 10)
    return rows


def _person_foot(entry: Entry, place: Place) -> list[Row]:
    rows: list[Row] = []
    if entry.message is not None and entry.message.steered:
        rows.append(LineRow("Passed on", Tone.CAPTION, is_right=True))
    offers = (Offer(Deed.COPY), Offer(Deed.EDIT))
    rows.append(ActionsRow(offers, place.branch, is_right=True, is_quiet=True))
    if entry.notice is not None:
        rows += _notice(entry, entry.notice, place)
    return rows


def _answer_foot(entry: Entry, place: Place) -> list[Row]:
    rows: list[Row] = []
    problem = entry.notice.problem if entry.notice else None
    if problem is None and caption(entry.ending):
        rows.append(LineRow(caption(entry.ending), Tone.CAPTION))
    if entry.notice is not None:
        rows += _notice(entry, entry.notice, place)
    if not place.joins_below:
        rows.append(ActionsRow(_answer_offers(entry, place, problem), place.branch))
    return rows


def _answer_offers(entry: Entry, place: Place, problem: Problem | None) -> tuple[Offer, ...]:
    if entry.is_open or place.is_busy:
        return ()
    offers = [Offer(Deed.COPY), Offer(Deed.RETRY)] if entry.words.strip() else [Offer(Deed.RETRY)]
    if _can_continue(entry) and not _offers_continue(entry, problem):
        offers.insert(0, Offer(Deed.CONTINUE))
    return tuple(offers)


def _can_continue(entry: Entry) -> bool:
    return entry.ending.is_interrupted and bool(entry.words.strip())


def _offers_continue(entry: Entry, problem: Problem | None) -> bool:
    if problem is None:
        return False
    return remedy(problem.kind, has_words=bool(entry.words.strip())).wish is Wish.CONTINUE


def _notice(entry: Entry, notice: Notice, place: Place) -> list[Row]:
    problem = notice.problem
    if problem is None:
        return [
            NoticeRow(
                "Stopped before an answer", (Offer(Deed.RETRY, is_loud=True),), is_problem=False
            )
        ]
    found = remedy(problem.kind, has_words=not entry.is_person and bool(entry.words.strip()))
    offers = [Offer(_WISHES[found.wish], found.label, is_loud=True)]
    if entry.is_person and found.wish is Wish.FIX:
        offers.append(Offer(Deed.RETRY))
    if problem.detail:
        offers.append(Offer(Deed.DETAILS, "Hide details" if place.shows_details else "Details"))
    rows: list[Row] = [NoticeRow(sentence(problem), tuple(offers), is_problem=True)]
    if place.shows_details and problem.detail:
        rows += code_rows(problem.detail, "", "details")
    return rows


def _elsewhere(branch: Branch) -> Row:
    words = f"Answering in {branch.index}/{branch.count}"
    return NoticeRow(words, (Offer(Deed.SHOW_ANSWER),), is_problem=False)
