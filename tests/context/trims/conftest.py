"""Every rule is held in both forms."""

from __future__ import annotations

import pytest

from tests.context.trims.chats import FORMS, Chat


@pytest.fixture(params=FORMS)
def chat(request: pytest.FixtureRequest) -> Chat:
    return Chat(request.param)
