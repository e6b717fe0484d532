"""Fixed credentials for tests, and different ones after a refusal."""

from handrail.features.apps.model import App, Grant


class Signed:
    def __init__(self, *grants: Grant) -> None:
        self._grants = list(grants) or [Grant()]
        self.refused: list[Grant] = []

    async def grant(self, app: App) -> Grant:
        return self._grants[0]

    async def renew(self, app: App, refused: Grant) -> Grant:
        self.refused.append(refused)
        return self._grants[-1]
