"""tools_search finds the right tool among its first results, given only the words of a request."""

from pathlib import Path

import pytest

from handrail.features.gateway.tools.tools_search import rank
from handrail.kernel.approval import NoApprover
from handrail.kernel.registry import RegisteredTool
from handrail.wiring import Wiring

LOOKED_AT = 3
REQUESTS = {
    "read the contents of a text file": "read_file",
    "read several files at once": "read_files",
    "list the files of a folder": "list_files",
    "search for a word in all files": "search_files",
    "write a new file": "write_to_file",
    "write many files together": "write_files",
    "replace text in a file": "replace_in_file",
    "edit lines of a file": "edit_file",
    "create a folder": "make_folder",
    "rename or move a file": "move_path",
    "copy a folder": "copy_path",
    "delete a file": "delete_path",
    "look at a picture": "read_media",
    "size and kind of a file": "file_info",
    "older versions of a file, snapshots": "list_snapshots",
    "restore an earlier snapshot": "restore_snapshot",
    "navigate to another page": "browser_navigate",
    "click a button on the page": "browser_click",
    "type text into a field of the page": "browser_type",
    "fill in a form": "browser_fill",
    "screenshot of the page": "browser_screenshot",
    "choose an option of a select": "browser_select_option",
    "upload a file to a web page": "browser_upload",
    "scroll down the page": "browser_scroll",
    "go back in the browser": "browser_go_back",
    "list open tabs": "browser_tabs",
    "open a new tab": "browser_tab_open",
    "close a tab": "browser_tab_close",
    "drag one element to another": "browser_drag",
    "console messages of the page": "browser_console",
    "network requests of the page": "browser_requests",
    "print the page as PDF": "browser_pdf",
    "find text on the page": "browser_find_text",
    "which apps are installed": "apps_list",
    "call a tool of an app": "apps_call",
    "ask the person a question": "ask_followup_question",
    "ask the person to choose an option": "prompt_choices",
    "check a WebGAL script for mistakes": "validate_script",
    "preview a scene of the game": "preview_scene",
    "list backgrounds and figures, the game's resources": "list_project_resources",
    "limits and closed folders of this project": "get_runtime_info",
}
OTHER_WORDS = {
    "open a website": "browser_navigate",
    "go to https://example.com": "browser_navigate",
    "visit a url in the browser": "browser_navigate",
    "load a web page": "browser_navigate",
    "hit enter key in the page": "browser_press_key",
    "press a key": "browser_press_key",
    "take a screnshot": "browser_screenshot",
    "move the mouse": "browser_hover",
    "grep for TODO": "search_files",
    "find files by name": "search_files",
    "undo my last change": "restore_snapshot",
    "revert a file to how it was": "restore_snapshot",
    "history of a file": "list_snapshots",
    "remove a directory": "delete_path",
    "mkdir": "make_folder",
    "duplicate a file": "copy_path",
    "mv": "move_path",
    "show me an image": "read_media",
    "read a pdf": "read_file",
    "how big is this file": "file_info",
    "when was the file last modified": "file_info",
    "read the article on this page": "browser_readability_extract",
    "get html source": "browser_get_html",
    "choose from dropdown": "browser_select_option",
    "tick a checkbox": "browser_fill",
    "wait until the page has loaded": "browser_wait_for_loaded",
    "wait for text to appear": "browser_wait_for",
    "javascript errors": "browser_console",
    "HTTP traffic of the page": "browser_requests",
    "attach a document to the web form": "browser_upload",
    "save the page to pdf": "browser_pdf",
    "refresh the page": "browser_reload",
    "switch to another tab": "browser_tab_switch",
    "hover over the menu": "browser_hover",
    "ask the user what colour they want": "ask_followup_question",
    "let the user pick one of these": "prompt_choices",
    "ask for a password": "prompt_key_values",
    "send an email with the mail app": "apps_call",
    "which tools does the calendar app have": "apps_describe",
    "lint the scene": "validate_script",
    "which characters and music does the game have": "list_project_resources",
    "show the scene to the user": "preview_scene",
    "brwser navigate": "browser_navigate",
    "clik element": "browser_click",
    "serch text in fils": "search_files",
    "delte file": "delete_path",
    "renmae file": "move_path",
    "uplod a file": "browser_upload",
    "打开网页": "browser_navigate",
    "点击按钮": "browser_click",
    "截图": "browser_screenshot",
    "在网页里输入文字": "browser_type",
    "读取文件": "read_file",
    "写文件": "write_to_file",
    "删除文件": "delete_path",
    "搜索文件内容": "search_files",
    "新建文件夹": "make_folder",
    "重命名文件": "move_path",
    "复制文件": "copy_path",
    "询问用户": "ask_followup_question",
    "预览场景": "preview_scene",
    "滚动页面": "browser_scroll",
    "上传文件": "browser_upload",
    "撤销修改": "restore_snapshot",
    "列出目录": "list_files",
    "列出应用": "apps_list",
    "make a new directory called src": "make_folder",
    "I need to see the picture logo.png": "read_media",
    "listen to a wav": "read_media",
    "how many lines does this file have": "file_info",
    "checksum of a file": "file_info",
    "append a line to a file": "write_to_file",
    "substitute a word everywhere in a file with a regex": "replace_in_file",
    "patch the source code": "edit_file",
    "trash the temp folder": "delete_path",
    "put the file somewhere else": "move_path",
    "what am I allowed to do": "get_runtime_info",
    "maximum file size policy": "read_file",
    "start a browser session": "task_start",
    "google something": "browser_navigate",
    "submit the form": "browser_fill",
    "choose a country from the drop-down list": "browser_select_option",
    "mouse over the tooltip": "browser_hover",
    "move down to the footer": "browser_scroll",
    "mark a paragraph": "browser_select_text",
    "slide the captcha puzzle": "browser_drag",
    "page source code": "browser_get_html",
    "failed network calls": "browser_requests",
    "make a PDF of the invoice page": "browser_pdf",
    "image of the whole page": "browser_screenshot",
    "previous page": "browser_go_back",
    "next page in history": "browser_go_forward",
    "shut the tab": "browser_tab_close",
    "wait for the spinner to disappear": "browser_wait_for",
    "locate text on the page": "browser_find_text",
    "ask which database they prefer": "ask_followup_question",
    "request an API key from the user": "prompt_key_values",
    "tell the user I am finished": "attempt_completion",
    "confirm with user": "ask_followup_question",
    "make a character for the game": "generate_character_profile",
    "what can the notes app do": "apps_describe",
    "use an app to create a reminder": "apps_call",
    "syntax error in scene script": "validate_script",
    "bgm list": "list_project_resources",
    "填写登录表单": "browser_fill",
    "选择下拉选项": "browser_select_option",
    "等待页面加载完成": "browser_wait_for_loaded",
    "检查脚本语法错误": "validate_script",
    "列出游戏的背景和立绘资源": "list_project_resources",
    "替换文件中的文字": "replace_in_file",
    "恢复到之前的版本": "restore_snapshot",
    "向用户提问": "ask_followup_question",
    "让用户选择一个选项": "prompt_choices",
    "关闭标签页": "browser_tab_close",
    "把网页保存为PDF": "browser_pdf",
    "查看控制台报错": "browser_console",
    "移动文件到另一个目录": "move_path",
    "获取网页正文": "browser_readability_extract",
    "调用应用的功能": "apps_call",
    "take screeenshot of page": "browser_screenshot",
    "naviagte to url": "browser_navigate",
    "scrol down": "browser_scroll",
    "copi file": "copy_path",
    "snapshoot list": "list_snapshots",
}
"""Natural requests: words that no tool has, typos, and Chinese."""


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> list[RegisteredTool]:
    folder = tmp_path_factory.mktemp("chooser")
    project = Wiring().open_project(_made(folder / "project"), folder / "state", NoApprover())
    return [entry for entry in project.gate.registry if entry.role == "tool" and not entry.tool.finds_tools]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_there_are_at_least_forty_requests() -> None:
    assert len(REQUESTS) >= 40


@pytest.mark.parametrize(("request_of", "tool"), [*REQUESTS.items(), *OTHER_WORDS.items()])
def test_the_search_finds_the_right_tool_by_the_words_of_a_request(
    request_of: str, tool: str, tools: list[RegisteredTool]
) -> None:
    matches = [entry.tool.listed_name for entry in rank(request_of, tools)[:LOOKED_AT]]
    assert tool in matches
