"""A project folder in which texts in memory replace some files."""

from collections.abc import Mapping

from handrail.stores.local.files.folder import LocalFolder


class OverlaidFolder(LocalFolder):
    _texts: Mapping[str, str] = {}

    def overlay(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def read(self, path: str, limit: int | None = None) -> bytes:
        text = self._texts.get("/".join(self.parse(path)))
        return super().read(path, limit) if text is None else text.encode("utf-8", "replace")
