"""The open texts of one project at one moment, by the project's paths, for a thread that looks at them later."""

from collections.abc import Iterable, Mapping

from handrail.features.webgal.lsp.addresses import Addresses
from handrail.features.webgal.lsp.documents import Document


class Snapshot:
    def __init__(self, addresses: Addresses, documents: Iterable[Document]) -> None:
        self._addresses = addresses
        self._documents = {
            path: document for document in documents if (path := addresses.below(document.uri)) is not None
        }
        self.texts: Mapping[str, str] = {path: document.text for path, document in self._documents.items()}
        self._versions = {path: document.version for path, document in self._documents.items()}

    def version(self, path: str) -> int | None:
        """None where a file is not open."""
        return self._versions.get(path)

    def uri(self, path: str) -> str:
        """As the client spells it, where it has the file open."""
        document = self._documents.get(path)
        return document.uri if document is not None else self._addresses.uri(path)

    def is_current(self, path: str, documents: Iterable[Document]) -> bool:
        """Whether the editor still shows what was looked at."""
        before = self._documents.get(path)
        return before is None or any(now is before and now.version == self._versions[path] for now in documents)
