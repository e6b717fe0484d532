"""What the page itself says, in English and Chinese; both are in it, and its reader's language is shown."""

from html import escape

TEXTS = {
    "all": ("All at once", "全部展开"),
    "answer": ("Answer", "答复"),
    "by": ("by", "由"),
    "caller": ("Called by", "调用者"),
    "changed": ("changed since it was recorded, so it is not shown", "记录之后被改动，因此不显示"),
    "chain": ("records in the whole audit, unbroken when this page was made", "条审计记录，生成本页时完整无损"),
    "checking": ("Checking every file and record…", "正在核对每个文件与记录……"),
    "damage": ("The audit was not as it was written when this page was made", "生成本页时审计记录已被改动"),
    "decision": ("Policy", "策略"),
    "done": ("done", "完成"),
    "effect": ("Effect", "作用"),
    "error": ("Error", "错误"),
    "every_task": ("every call in this project", "本项目的全部调用"),
    "failed": ("failed", "失败"),
    "file": ("A file of", "一个文件，大小"),
    "given": ("What the agent gave", "智能体给出的参数"),
    "heard": ("What the agent was told", "智能体得到的答复"),
    "interrupted": ("interrupted", "中断"),
    "lacking": (
        "files were gone, or had been changed, when this page was made; all others and the records are as recorded.",
        "个文件在生成本页时已不存在或被改动；其余文件与记录均与记录时一致。",
    ),
    "large": ("too large for this page", "过大，未放入本页"),
    "made": ("Made", "生成于"),
    "missing": ("no longer there", "已不存在"),
    "next": ("Next step", "下一步"),
    "play": ("Play", "播放"),
    "previous": ("Previous step", "上一步"),
    "project": ("Project", "项目"),
    "reached": ("Led to", "途经"),
    "record": ("As the audit has it", "审计记录原文"),
    "refused": ("refused", "被拒绝"),
    "said_assistant": ("Agent", "智能体"),
    "said_system": ("Note", "说明"),
    "said_user": ("Person", "用户"),
    "target": ("Target", "对象"),
    "task": ("Task", "任务"),
    "took": ("Took", "耗时"),
    "unable": ("This browser can't check hashes here.", "此浏览器无法在此核对哈希。"),
    "undoes": ("Takes back", "撤销"),
    "verified": ("files and records are as they were recorded.", "个文件与记录均与记录时一致。"),
    "words": (
        "What was said is shown as the chat has it; the audit seals what was done.",
        "对话内容按聊天记录显示；审计封存的是所做的操作。",
    ),
    "wrong": ("were changed after they were recorded!", "个在记录之后被改动！"),
}


def both(key: str) -> str:
    """In both languages, one of which is shown."""
    english, chinese = TEXTS[key]
    return f'<span lang="en">{escape(english)}</span><span lang="zh">{escape(chinese)}</span>'
