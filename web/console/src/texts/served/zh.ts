import type { ServedTexts } from "./shape";

export const servedZh: ServedTexts = {
  surfaces: { workspace: "工作区", webgal: "WebGAL", browser: "浏览器", desktop: "桌面", apps: "应用", people: "询问" },
  checks: { "state directory": "状态目录", project: "项目", sandbox: "沙箱", "handrail up": "handrail up", extension: "浏览器扩展", browsers: "已连接的浏览器", desktop: "桌面", apps: "应用" },
  tools: {
    list_files: "列出文件", read_file: "读取文件", write_to_file: "写入文件", replace_in_file: "在文件中替换", search_files: "搜索文件",
    list_snapshots: "列出快照", restore_snapshot: "读取快照", get_runtime_info: "运行信息", run_project_script: "运行项目脚本",
    list_project_resources: "列出游戏资源", validate_script: "检查脚本", preview_scene: "预览场景", generate_character_profile: "定义角色", browser_action: "操作浏览器",
    task_start: "开始任务", task_stop: "结束任务", task_group_update: "命名标签页分组",
    browser_navigate: "打开网页", browser_dom_index: "索引网页元素", browser_readability_extract: "阅读网页正文", browser_screenshot: "截图", browser_find_text: "查找文字",
    browser_click: "点击", browser_type: "输入", browser_press_key: "按键", browser_select_option: "选择选项", browser_hover: "悬停", browser_scroll: "滚动", browser_upload: "上传文件",
    browser_wait_for: "等待", browser_wait_for_loaded: "等待加载完成", browser_go_back: "后退", browser_go_forward: "前进", browser_reload: "刷新",
    browser_tabs: "列出标签页", browser_tab_open: "打开标签页", browser_tab_switch: "切换标签页", browser_tab_close: "关闭标签页",
    browser_get_html: "读取 HTML", browser_xpath_scan: "扫描 XPath", browser_console: "读取控制台", browser_requests: "读取失败的请求", browser_debugger_attach: "连接调试器", browser_debugger_detach: "断开调试器",
    desktop_observe: "查看窗口", desktop_find: "查找元素", desktop_click: "点击", desktop_type_text: "输入文字", desktop_hotkey: "按键", desktop_wait_until: "等待元素",
    desktop_list_modals: "列出模态窗口", desktop_dismiss_modal: "关闭模态窗口", desktop_highlight: "标出元素", desktop_abort: "停止", desktop_health: "桌面状态", desktop_doctor: "桌面检查",
    apps_list: "列出应用", apps_describe: "描述应用", apps_call: "调用应用",
    prompt_key_values: "询问信息", prompt_choices: "请求选择", ask_followup_question: "提问", attempt_completion: "报告完成",
  },
};
