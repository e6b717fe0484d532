"""What a script gets to know of our environment, and what is never shown."""

from handrail.features.webgal.scripts import child_environment, secret_values

OURS = {
    "PATH": "/bin",
    "HOME": "/home/me",
    "LC_ALL": "zh_CN.UTF-8",
    "AWS_SECRET_ACCESS_KEY": "abcdefgh",
    "GITHUB_TOKEN": "ghp_123456",
    "HANDRAIL_STATE": "/state",
    "LD_PRELOAD": "evil.so",
    "NODE_OPTIONS": "--require evil",
    "PLAIN": "plain-value",
    "SHORT_TOKEN": "abc",
}


def test_only_names_that_hold_no_secrets_are_passed_on() -> None:
    assert child_environment(OURS, ()) == {"PATH": "/bin", "HOME": "/home/me", "LC_ALL": "zh_CN.UTF-8"}


def test_the_policy_keeps_more_of_them_out() -> None:
    assert child_environment(OURS, ("HOME", "LC_*")) == {"PATH": "/bin"}


def test_values_that_look_secret_or_that_the_policy_names_are_hidden() -> None:
    assert secret_values(OURS, ()) == ["abcdefgh", "ghp_123456"]
    assert secret_values(OURS, ("plain*",)) == ["abcdefgh", "ghp_123456", "plain-value"]
