"""What a team's servers provide to notifications: channels and the push key, as secrets with these names."""

from handrail.features.notifications.channels import PREFIX as CHANNEL
from handrail.features.notifications.channels import read_file as read_channels
from handrail.features.notifications.push import KEY as PUSH_KEY
from handrail.features.notifications.push import new_key as new_push_key

__all__ = ["CHANNEL", "PUSH_KEY", "new_push_key", "read_channels"]
