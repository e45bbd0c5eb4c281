"""The protocol as pygls speaks it, mended where a broken message would hang the client or fill the log."""

from __future__ import annotations

import logging
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol

from afterburner.lsp_server.text.documents import Documents

logger = logging.getLogger(__name__)
_INVALID_REQUEST, _INVALID_PARAMS = -32600, -32602
_SYNCHRONISING = frozenset(
    {
        types.TEXT_DOCUMENT_DID_CHANGE,
        types.TEXT_DOCUMENT_DID_CLOSE,
        types.NOTEBOOK_DOCUMENT_DID_CHANGE,
        types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    }
)


class Protocol(LanguageServerProtocol):
    """Answers each request, whatever it holds.

    pygls takes messages apart while JSON is read, so that it also takes nested objects for messages, and forgets a
    request that does not fit before its id is known. Here a message is taken apart when it is whole.
    """

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Leave an object of JSON as it is; `handle_message` takes it apart."""
        return data

    def handle_message(self, message: Any) -> None:
        """Handle a message as it came."""
        if not isinstance(message, dict) or "jsonrpc" not in message:
            self._refuse(message, _INVALID_REQUEST, "This is not a JSON-RPC 2.0 message.")
            return
        method = message.get("method")
        if method is not None and (why_not := self._why_not_now(method)):
            self._refuse(message, *why_not)
            return
        try:
            structured = super().structure_message({"params": None, **message} if method is not None else message)
        except (JsonRpcInvalidParams, JsonRpcInternalError):
            self._refuse(message, _INVALID_PARAMS, f"The parameters of {method!r:.60} are not valid.")
            return
        if self._is_of_closed_document(structured):
            logger.debug("ignoring %s: the document is not open", method)
            return
        super().handle_message(structured)

    def _why_not_now(self, method: str) -> tuple[int, str] | None:
        """Why a message cannot be handled in the state that the server is in: a code and a sentence."""
        if method == types.EXIT:
            return None
        if self._shutdown:
            return _INVALID_REQUEST, "The server is shutting down."
        if self._workspace is None and method != types.INITIALIZE:
            return types.ErrorCodes.ServerNotInitialized.value, "The server is not initialized."
        if self._workspace is not None and method == types.INITIALIZE:
            return _INVALID_REQUEST, "The server is initialized already."
        return None

    def use_documents(self) -> None:
        """Keep documents as `Documents` does, from now on."""
        made = self.workspace
        self._workspace = Documents(
            made.root_uri, types.TextDocumentSyncKind.Incremental, list(made.folders.values()), made.position_encoding
        )

    def documents(self) -> Documents:
        """The documents of the client.

        Raises:
            RuntimeError: the server is not initialized.
        """
        assert isinstance(self.workspace, Documents)  # noqa: S101 - narrows the type; see `use_documents`
        return self.workspace

    def _refuse(self, message: Any, code: int, why: str) -> None:
        """Answer a request with an error. Whoever waits for a response that cannot be read gets the error, too."""
        sent_id = message.get("id") if isinstance(message, dict) else None
        if not isinstance(sent_id, (int, str)):
            logger.warning("ignoring a message: %s", why)
            return
        error = types.ResponseError(code=code, message=why)
        if "method" in message:
            self._send_response(sent_id, error=error)
        else:
            self._handle_response(sent_id, None, error)

    def _is_of_closed_document(self, message: Any) -> bool:
        """Whether it changes or closes what is not open."""
        method = getattr(message, "method", "")
        if method not in _SYNCHRONISING:
            return False
        if method.startswith("notebookDocument/"):
            return self.workspace.get_notebook_document(notebook_uri=message.params.notebook_document.uri) is None
        return not self.documents().is_open(message.params.text_document.uri)


def failed(message: str) -> JsonRpcException:
    """What ends a request with a message for a person, without a traceback in the log."""
    return JsonRpcInvalidParams(message)
