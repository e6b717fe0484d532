"""KWin, the compositor of KDE Plasma: its windows, which it reports to a script over D-Bus."""
