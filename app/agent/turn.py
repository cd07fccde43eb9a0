"""One turn: ask; while the model wants tools, run them, pass on what came meanwhile, ask again.

Lives on the agent loop, in one task. However it ends, the partial answer is kept, no tool starts
after its token was cancelled, and `run` says how it ended. Retry and fallback are wrapped round
the provider, and are no concern of this loop.
"""

import asyncio
import logging
import time
from collections.abc import Callable

from app.agent.agent import Agent
from app.agent.history import History, OpenAnswer
from app.agent.narration import Narrator
from app.agent.overlap import WithoutRepetition
from app.agent.provider import ChatRequest, Reply
from app.core.errors import Problem, ProblemError, ProblemKind, problem
from app.core.events import Completed, Failed, Outcome, Stopped, StopReason
from app.core.ids import MessageId, TurnId, new_message_id
from app.core.messages import (
    Ending,
    Message,
    Part,
    Role,
    ToolCallPart,
    ToolResultPart,
    text_parts,
)
from app.core.tokens import Cancelled, CancelToken

log = logging.getLogger(__name__)

MAX_STEPS = 50
GO_ON = "Go on exactly where your last answer broke off. Do not repeat any of it."

_ENDINGS = {
    StopReason.PERSON: Ending.STOPPED,
    StopReason.REDIRECT: Ending.REDIRECTED,
    StopReason.QUIT: Ending.BELAY_CLOSED,
}


class Turn:
    """A turn from its first request to its outcome."""

    def __init__(
        self,
        *,
        turn_id: TurnId,
        agent: Agent,
        history: History,
        leaf: MessageId,
        continues: bool,
        token: CancelToken,
        narrator: Narrator,
        pass_on: Callable[[MessageId], MessageId],
    ) -> None:
        self._id = turn_id
        self._agent = agent
        self._history = history
        self._at = leaf
        self._continues = continues
        self._token = token
        self._narrator = narrator
        self._pass_on = pass_on
        self._closed_in_s: float | None = None

    async def run(self) -> Outcome:
        """Run to the end and say how it ended; never raises."""
        try:
            await self._answer()
        except Cancelled as cancelled:
            log.debug("turn %s cancelled: %s", self._id, cancelled.reason)
            return Stopped(reason=cancelled.reason, closed_in_s=self._closed_in_s)
        except ProblemError as error:
            log.info("turn %s failed: %s", self._id, error.problem.kind)
            return Failed(problem=error.problem)
        except Exception as error:
            log.exception("turn %s broke", self._id)
            return _broken(error)
        except asyncio.CancelledError as error:
            if _is_being_cancelled():
                raise
            log.exception("something in turn %s cancelled itself", self._id)
            return _broken(error)
        return Completed()

    async def _answer(self) -> None:
        for _ in range(MAX_STEPS):
            calls = await self._ask()
            if not calls:
                return
            await self._run_tools(calls)
            self._token.check()  # what waits is held by a Stop, not passed on
            self._at = self._pass_on(self._at)
        raise problem(ProblemKind.TOO_MANY_STEPS, steps=MAX_STEPS)

    async def _ask(self) -> tuple[ToolCallPart, ...]:
        """Get one answer into the history, whole or partial; return the tools it wants."""
        answer = self._history.open_answer(
            parent=self._at,
            turn_id=self._id,
            model=self._agent.provider.model,
            continues=self._continues,
        )
        try:
            reply = await self._reply(answer)
        except Cancelled as cancelled:
            self._note_close(cancelled)
            answer.close(_ENDINGS[cancelled.reason])
            raise
        except BaseException:
            answer.close(Ending.CONNECTION_LOST)
            raise
        message = answer.close(_ending_of(reply), calls=reply.tool_calls, model=reply.model)
        if message is None:
            raise problem(ProblemKind.EMPTY_REPLY, model=reply.model)
        self._at, self._continues = message.id, False
        return message.tool_calls

    async def _reply(self, answer: OpenAnswer) -> Reply:
        request = ChatRequest(messages=self._messages(), tools=self._agent.toolbox.specs)
        before = self._history.tree.messages[self._at].text if self._continues else ""
        heard = WithoutRepetition(before, lambda event: self._narrator.heard(event, answer))
        with self._token.child("request") as token:
            reply = await token.run(self._agent.provider.stream(request, token, heard))
        heard.finish()
        # A reply can be whole although Stop came: its last words were not written down any more.
        self._token.check()
        self._narrator.is_connected = False
        return reply

    def _messages(self) -> tuple[Message, ...]:
        messages = self._history.path_to(self._at)
        if self._agent.system_prompt:
            messages = (
                self._message(Role.SYSTEM, text_parts(self._agent.system_prompt)),
                *messages,
            )
        if self._continues:
            messages = (*messages, self._message(Role.USER, text_parts(GO_ON)))
        return messages

    def _note_close(self, cancelled: Cancelled) -> None:
        """Remember how long the connection took to close, if we know that it did."""
        if self._narrator.is_connected and not cancelled.abandoned:
            self._closed_in_s = time.monotonic() - self._token.cancelled_at

    async def _run_tools(self, calls: tuple[ToolCallPart, ...]) -> None:
        """Run what the model asked for; what a Stop leaves unbegun, repair answers."""
        results: list[ToolResultPart] = []
        try:
            for call in calls:
                self._token.check()
                await self._run_tool(call, results)
        finally:
            if results:
                message = self._message(Role.TOOL, tuple(results))
                self._history.add(message)
                self._at = message.id

    async def _run_tool(self, call: ToolCallPart, results: list[ToolResultPart]) -> None:
        self._narrator.tool_started(call)
        result = ToolResultPart(
            call_id=call.call_id, name=call.name, content="Stopped.", is_error=True
        )
        try:
            with self._token.child(call.name) as token:
                result = await self._agent.toolbox.run(
                    call, token, lambda text: self._narrator.tool_said(call, text)
                )
        finally:
            results.append(result)
            self._narrator.tool_finished(result)

    def _message(self, role: Role, parts: tuple[Part, ...]) -> Message:
        return Message(
            id=new_message_id(),
            conversation_id=self._history.conversation_id,
            parent_id=self._at,
            role=role,
            parts=parts,
            created_at=time.time(),
            turn_id=self._id,
        )


def _ending_of(reply: Reply) -> Ending:
    """Say whether the model ended its answer, or the limit of an answer did."""
    is_cut = reply.finish_reason == "length" and not reply.tool_calls
    return Ending.TOO_LONG if is_cut else Ending.COMPLETE


def _broken(error: BaseException) -> Failed:
    return Failed(problem=Problem(kind=ProblemKind.INTERNAL, detail=repr(error)))


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
