"""The signals on which a running command shuts down cleanly."""

import signal


def end_signals() -> tuple[signal.Signals, ...]:
    """SIGHUP, which a closed terminal sends, is ignored if the command was started with `nohup`."""
    always = (signal.SIGINT, signal.SIGTERM)
    return always if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (*always, signal.SIGHUP)
