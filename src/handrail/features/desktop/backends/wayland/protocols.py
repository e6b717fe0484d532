"""The parts of Wayland's protocols that handrail uses.

Each message has a line, in the order of the protocol: `>` is a request, `<` an event. Arguments: i int, u uint,
f fixed, s string, a array, o object (0 for none), h file descriptor, n:interface a new object. Messages after the
last one that is used are omitted.
"""

from typing import NamedTuple


class Message(NamedTuple):
    name: str
    arguments: tuple[str, ...]


class Interface(NamedTuple):
    name: str
    requests: list[Message]
    events: list[Message]

    def opcode(self, request: str) -> tuple[int, Message]:
        return next((opcode, one) for opcode, one in enumerate(self.requests) if one.name == request)


_TEXT = """
wl_display
> sync n:wl_callback
> get_registry n:wl_registry
< error o u s
< delete_id u
wl_registry
> bind u s u n:
< global u s u
< global_remove u
wl_callback
< done u
wl_compositor
> create_surface n:wl_surface
> create_region n:wl_region
wl_region
> destroy
wl_surface
> destroy
> attach o i i
> damage i i i i
> frame n:wl_callback
> set_opaque_region o
> set_input_region o
> commit
< enter o
< leave o
< preferred_buffer_scale i
< preferred_buffer_transform u
wl_shm
> create_pool n:wl_shm_pool h i
< format u
wl_shm_pool
> create_buffer n:wl_buffer i i i i u
> destroy
wl_buffer
> destroy
< release
wl_seat
< capabilities u
< name s
wl_output
< geometry i i i i i s s i
< mode u i i i
< done
< scale i
< name s
< description s
zxdg_output_manager_v1
> destroy
> get_xdg_output n:zxdg_output_v1 o
zxdg_output_v1
> destroy
< logical_position i i
< logical_size i i
< done
< name s
< description s
zwlr_screencopy_manager_v1
> capture_output n:zwlr_screencopy_frame_v1 i o
> capture_output_region n:zwlr_screencopy_frame_v1 i o i i i i
zwlr_screencopy_frame_v1
> copy o
> destroy
< buffer u u u u
< flags u
< ready u u u
< failed
< damage u u u u
< linux_dmabuf u u u
< buffer_done
zwlr_virtual_pointer_manager_v1
> create_virtual_pointer o n:zwlr_virtual_pointer_v1
zwlr_virtual_pointer_v1
> motion u f f
> motion_absolute u u u u u
> button u u u
> axis u u f
> frame
> axis_source u
> axis_stop u u
> axis_discrete u u f i
> destroy
zwp_virtual_keyboard_manager_v1
> create_virtual_keyboard o n:zwp_virtual_keyboard_v1
zwp_virtual_keyboard_v1
> keymap u h u
> key u u u
> modifiers u u u u
> destroy
zwlr_data_control_manager_v1
> create_data_source n:zwlr_data_control_source_v1
> get_data_device n:zwlr_data_control_device_v1 o
zwlr_data_control_device_v1
> set_selection o
> destroy
< data_offer n:zwlr_data_control_offer_v1
< selection o
< finished
< primary_selection o
zwlr_data_control_source_v1
> offer s
> destroy
< send s h
< cancelled
zwlr_data_control_offer_v1
> receive s h
> destroy
< offer s
zwlr_foreign_toplevel_manager_v1
> stop
< toplevel n:zwlr_foreign_toplevel_handle_v1
< finished
zwlr_foreign_toplevel_handle_v1
> set_maximized
> unset_maximized
> set_minimized
> unset_minimized
> activate o
> close
> set_rectangle o i i i i
> destroy
< title s
< app_id s
< output_enter o
< output_leave o
< state a
< done
< closed
< parent o
zwlr_layer_shell_v1
> get_layer_surface n:zwlr_layer_surface_v1 o o u s
zwlr_layer_surface_v1
> set_size u u
> set_anchor u
> set_exclusive_zone i
> set_margin i i i i
> set_keyboard_interactivity u
> get_popup o
> ack_configure u
> destroy
< configure u u u
< closed
"""


def _read(text: str) -> dict[str, Interface]:
    interfaces: dict[str, Interface] = {}
    name = ""
    for line in text.strip().splitlines():
        kind, *words = line.split()
        if kind not in "<>":
            name = kind
            interfaces[name] = Interface(name, [], [])
        else:
            messages = interfaces[name].requests if kind == ">" else interfaces[name].events
            messages.append(Message(words[0], tuple(words[1:])))
    return interfaces


INTERFACES = _read(_TEXT)
EXT_DATA_CONTROL = "ext_data_control_manager_v1"
"""The same messages as wlroots' own, under the name that became the standard."""
