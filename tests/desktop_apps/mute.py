"""A window without a toolkit: it is on the screen, but in no accessibility tree. Run by the tests' Python."""

import os

from Xlib import X, Xatom, display

from tests.desktop_apps import texts

shown = display.Display()
screen = shown.screen()
window = screen.root.create_window(80, 80, 320, 200, 0, screen.root_depth, background_pixel=screen.white_pixel)
window.set_wm_class("mute", "Mute")
window.change_property(
    shown.intern_atom("_NET_WM_NAME"), shown.intern_atom("UTF8_STRING"), 8, texts.Arguments().title.encode()
)
window.change_property(shown.intern_atom("_NET_WM_PID"), Xatom.CARDINAL, 32, [os.getpid()])
window.change_attributes(event_mask=X.StructureNotifyMask)
window.map()
while shown.next_event().type != X.DestroyNotify:
    pass
