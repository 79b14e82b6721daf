"""The webhook provider: a memory behind two addresses, which may fail in any way without stopping a turn."""

from __future__ import annotations

from cfpm_adapters.webhook.provider import WebhookProvider
from cfpm_adapters.webhook.retry import RetryPolicy

__all__ = ["RetryPolicy", "WebhookProvider"]
