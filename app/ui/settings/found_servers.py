"""The servers that were found on this machine, each with a button to use it."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.models import FoundServer
from app.core.presets import canonical
from app.core.settings import Endpoint
from app.ui.buttons import push_button
from app.ui.labels import ElidedLabel, plain

Endpoints = tuple[Endpoint, ...]


class FoundServers(QWidget):
    """Offers what is not in use yet."""

    chosen = Signal(object)  # an Endpoint

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._servers: tuple[FoundServer, ...] = ()
        self.rows: list[_Row] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 8, 0, 4)
        self._column.setSpacing(2)
        self._column.addWidget(plain("Found on this machine", name="heading"))
        self.hide()

    def show_servers(self, servers: tuple[FoundServer, ...], used: Endpoints) -> None:
        """Offer these, but not what is in use."""
        self._servers = servers
        self.show_for(used)

    def show_for(self, used: Endpoints) -> None:
        """Leave out what came into use meanwhile."""
        for row in self.rows:
            row.deleteLater()
        taken = {canonical(endpoint.base_url) for endpoint in used}
        self.rows = [_Row(s) for s in self._servers if canonical(s.base_url) not in taken]
        for row in self.rows:
            self._column.addWidget(row)
            row.use.clicked.connect(partial(self._on_use, row.server))
        self.setVisible(bool(self.rows))

    def _on_use(self, server: FoundServer) -> None:
        first = server.models[0] if server.models else None
        self.chosen.emit(
            Endpoint(
                base_url=server.base_url,
                model=first.id if first else "",
                context_window=first.context_window if first else None,
            )
        )


class _Row(QWidget):
    def __init__(self, server: FoundServer) -> None:
        super().__init__()
        self.server = server
        count = len(server.models)
        models = "no model loaded" if not count else "1 model" if count == 1 else f"{count} models"
        names = ", ".join(model.id for model in server.models[:3])
        label = ElidedLabel(f"{server.name} · {models}{f': {names}' if names else ''}")
        self.use = push_button("Use")
        self.use.setAccessibleName(f"Use {server.name}")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label, 1)
        row.addWidget(self.use)
