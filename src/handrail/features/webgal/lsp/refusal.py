"""What a client is told where a question has no answer; it shows the words to its user."""

from lsprotocol.types import LSPErrorCodes
from pygls.exceptions import JsonRpcException


class Refused(JsonRpcException):
    CODE = LSPErrorCodes.RequestFailed.value
