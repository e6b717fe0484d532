"""Deviations of local servers and routers from OpenAI's format, byte for byte, and how the agent handles them."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from handrail.features.agent.models.compatible import ThinkingTags
from handrail.features.agent.models.event_stream import readable
from handrail.features.agent.models.providers import open_model
from handrail.features.agent.settings import open_models
from handrail.ports.errors import Failure, Unsupported
from handrail.ports.model import (
    Cut,
    Model,
    NoModel,
    Note,
    Overflow,
    RateLimited,
    Reply,
    ToolOffer,
    ToolResult,
    Turn,
    UserTurn,
    WrongKey,
)
from handrail.ports.secrets import Secret
from handrail.wiring import Wiring

Answer = tuple[int, str, str]
TOOLS = [
    ToolOffer("read_file", "Read a file", {"type": "object", "properties": {"path": {"type": "string"}}}),
    ToolOffer("list_files", "List files", {"type": "object", "properties": {}}),
]
COUNTS = {"usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}}
HI = (UserTurn("1", "Hi"),)
READ_1, READ_2 = ("read_file", {"path": "1"}), ("read_file", {"path": "2"})


def chunk(delta: Any, finish: str | None = None, **more: Any) -> Any:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], **more}


def stream(*chunks: Any, end: str = "data: [DONE]\n\n") -> Answer:
    return 200, "text/event-stream", "".join(f"data: {json.dumps(each)}\n\n" for each in chunks) + end


def call(index: int | None, id: str | int | None, arguments: Any = '{"path":"1"}', name: str = "read_file") -> Any:
    function = {"name": name} if arguments is ... else {"name": name, "arguments": arguments}
    params = {"index": index, "id": id, "type": "function"}
    return {**{key: value for key, value in params.items() if value is not None}, "function": function}


def calls(*each: Any, finish: str = "tool_calls") -> Answer:
    return stream(*(chunk({"tool_calls": [one]}) for one in each), chunk({}, finish))


def text(*pieces: Any, finish: str = "stop", **more: Any) -> Answer:
    return stream(*(chunk({"content": piece, **more}) for piece in pieces), chunk({}, finish))


def refused(status: int, error: Any, **more: Any) -> Answer:
    return status, "application/json", json.dumps({"error": error, **more})


SECOND = '{"path":"2"}'
TEXT_CALL_1 = '{"name": "read_file", "arguments": {"path": "1"}}'
TEXT_CALL_2 = '{"name": "read_file", "arguments": {"path": "2"}}'
READ_FUNCTION = {"name": "read_file", "arguments": '{"path":"1"}'}


def whole(message: Any, finish: str) -> Any:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], **COUNTS}


WHOLE = whole({"content": "Hello", "tool_calls": [call(None, "a")]}, "tool_calls")
UNDERSTOOD: dict[str, tuple[Answer, str, list[Any]]] = {
    "two calls with one index": (calls(call(0, "a"), call(0, "b", SECOND)), "", [READ_1, READ_2]),
    "two calls with one index in one chunk": (
        stream(chunk({"tool_calls": [call(0, "a"), call(0, "b", SECOND)]}), chunk({}, "tool_calls")),
        "",
        [READ_1, READ_2],
    ),
    "two calls with one index and no ids": (calls(call(0, None), call(0, None, SECOND)), "", [READ_1, READ_2]),
    "a call in pieces that repeat id and name": (
        calls(call(0, "a", '{"path"'), call(0, "a", ':"1"}', name="")),
        "",
        [READ_1],
    ),
    "a call in pieces that repeat id and name, whole": (
        calls(call(0, "a", '{"path"'), call(0, "a", ':"1"}')),
        "",
        [READ_1],
    ),
    "a call in pieces that repeat the name without an id": (
        calls(call(0, None, '{"path"'), call(0, None, ':"1"}')),
        "",
        [READ_1],
    ),
    "a call whose later pieces have no index": (
        calls(call(0, "a", '{"path"'), {"function": {"arguments": ':"1"}'}}),
        "",
        [READ_1],
    ),
    "arguments encoded twice": (calls(call(0, "a", json.dumps('{"path":"1"}'))), "", [READ_1]),
    "null arguments": (calls(call(0, "a", None, "list_files")), "", [("list_files", {})]),
    "no arguments": (calls(call(0, "a", ..., "list_files")), "", [("list_files", {})]),
    "arguments as an object": (calls(call(0, "a", {"path": "1"})), "", [READ_1]),
    "empty ids": (calls(call(0, ""), call(1, "", SECOND)), "", [READ_1, READ_2]),
    "one id twice": (calls(call(0, "x"), call(1, "x", SECOND)), "", [READ_1, READ_2]),
    "no index": (calls(call(None, "a")), "", [READ_1]),
    "a call that ends with stop": (calls(call(0, "a"), finish="stop"), "", [READ_1]),
    "a call as text": (
        text('I look.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "1"}}\n', "</tool_call>"),
        "I look.",
        [READ_1],
    ),
    "a call as text that is not closed": (
        text('<tool_call>{"name":"read_file","arguments":{"path":"1"}}'),
        "",
        [READ_1],
    ),
    "a call as tags": (
        text("<tool_call>\n<function=read_file>\n<parameter=path>\n1\n</parameter>\n</function>\n</tool_call>"),
        "",
        [READ_1],
    ),
    "calls as text, in a list": (
        text('<tool_call>[{"name": "read_file", "arguments": {"path": "1"}}, ', TEXT_CALL_2, "]</tool_call>"),
        "",
        [READ_1, READ_2],
    ),
    "a call as text with its arguments as text": (
        text('<tool_call>{"name": "read_file", "arguments": "{\\"path\\": \\"1\\"}"}</tool_call>'),
        "",
        [READ_1],
    ),
    "a call as text, wrapped as in the format": (
        text('<tool_call>{"type": "function", "function": ', TEXT_CALL_2, "}</tool_call>"),
        "",
        [READ_2],
    ),
    "a call as text whose argument contains the tag": (
        text('<tool_call>{"name": "read_file", "arguments": {"path": "{}</tool_call>"}}</tool_call> Done.'),
        "Done.",
        [("read_file", {"path": "{}</tool_call>"})],
    ),
    "calls as Mistral's models write them": (text("[TOOL_CALLS][", TEXT_CALL_2, "]"), "", [READ_2]),
    "a call as GLM writes it": (
        text("<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>1</arg_value>\n</tool_call>"),
        "",
        [READ_1],
    ),
    **{
        f"a call as {model} writes it": (text(written), "", [READ_1])
        for model, written in {
            "Llama, in tags": '<function=read_file>{"path": "1"}</function>',
            "Llama, for Python": '<|python_tag|>{"name": "read_file", "parameters": {"path": "1"}}',
            "Llama, alone": '{"name": "read_file", "parameters": {"path": "1"}}',
            "a small model, fenced": f"```json\n{TEXT_CALL_1}\n```",
            "Mistral, with the name outside": '[TOOL_CALLS]read_file[ARGS]{"path": "1"}',
            "Phi": f"<|tool_call|>[{TEXT_CALL_1}]<|/tool_call|>",
            "DeepSeek": (
                "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n"
                '{"path": "1"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
            ),
            "DeepSeek 3.1": (
                '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "1"}'
                "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
            ),
            "DeepSeek 3.2": (
                '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">\n'
                '<｜DSML｜parameter name="path" string="true">1</｜DSML｜parameter>\n</｜DSML｜invoke>\n'
                "</｜DSML｜function_calls>"
            ),
            "Kimi": (
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>"
                '{"path": "1"}<|tool_call_end|><|tool_calls_section_end|>'
            ),
            "MiniMax": (
                '<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="path">1</parameter>\n</invoke>\n'
                "</minimax:tool_call>"
            ),
            "gpt-oss": (
                "<|channel|>analysis<|message|>I read.<|end|><|start|>assistant<|channel|>commentary "
                'to=functions.read_file <|constrain|>json<|message|>{"path": "1"}<|call|>'
            ),
            "Qwen, in thinking that never ends": f"<think>I read it. <tool_call>\n{TEXT_CALL_1}\n</tool_call>",
        }.items()
    },
    "two calls as Mistral writes them, with the names outside": (
        text('[TOOL_CALLS]read_file[ARGS]{"path": "1"}[TOOL_CALLS]list_files[ARGS]{}'),
        "",
        [READ_1, ("list_files", {})],
    ),
    "a call in thinking that is followed by an answer": (
        text(f"<think>Or <tool_call>{TEXT_CALL_1}</tool_call></think>Hello"),
        "Hello",
        [],
    ),
    "JSON that is no call": (text('{"name": "read_file"}'), '{"name": "read_file"}', []),
    "an example of a call in an answer": (
        text(f"It looks so:\n```json\n{TEXT_CALL_1}\n```"),
        f"It looks so:\n```json\n{TEXT_CALL_1}\n```",
        [],
    ),
    "a tag around something else than arguments": (
        text("<function=read_file>the first one</function>"),
        "<function=read_file>the first one</function>",
        [],
    ),
    "a name with its namespace": (calls(call(0, "a", name="functions.read_file")), "", [READ_1]),
    "a name with a space": (calls(call(0, "a", name=" read_file")), "", [READ_1]),
    "null as the arguments' text": (calls(call(0, "a", "null", "list_files")), "", [("list_files", {})]),
    **{
        f"thinking in {opening}": (text(f"{opening}hmm{closing}Hello"), "Hello", [])
        for opening, closing in {
            "<thinking>": "</thinking>\n",
            "[THINK]": "[/THINK]",
            "◁think▷": "◁/think▷",
            "<seed:think>": "</seed:think>",
            "<|channel|>analysis<|message|>": "<|end|><|start|>assistant<|channel|>final<|message|>",
        }.items()
    },
    "an example of a call to an unknown tool": (
        text('<tool_call>{"name": "other", "arguments": {}}</tool_call>'),
        '<tool_call>{"name": "other", "arguments": {}}</tool_call>',
        [],
    ),
    "thinking in tags": (text("<thi", "nk>hmm", " so</thi", "nk>\n\nHello"), "Hello", []),
    "thinking that never ends": (text("<think>hmm"), "", []),
    "thinking whose beginning is in the prompt": (text("hmm", " so</th", "ink>\n\nHello"), "Hello", []),
    "thinking whose beginning is in the prompt, before a call": (
        text("hmm</think>\n\n<tool_call>", TEXT_CALL_2, "</tool_call>"),
        "",
        [READ_2],
    ),
    "text that mentions the end of thinking": (text("Write </think> at the end."), "Write </think> at the end.", []),
    "content in parts": (
        stream(
            chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hmm"}]}]}),
            chunk({"content": [{"type": "text", "text": "Hello"}]}),
            chunk({}, "stop"),
        ),
        "Hello",
        [],
    ),
    "text that only mentions the tag": (text("Use <think> tags."), "Use <think> tags.", []),
    "thinking in reasoning_content": (
        stream(chunk({"reasoning_content": "hmm"}), chunk({"content": "Hi"}, "stop")),
        "Hi",
        [],
    ),
    "thinking in reasoning": (stream(chunk({"reasoning": "hmm"}), chunk({"content": "Hi"}, "stop")), "Hi", []),
    "streaming ignored": ((200, "application/json", json.dumps(WHOLE)), "Hello", [READ_1]),
    "no [DONE]": (stream(chunk({"content": "Hi"}), chunk({}, "stop"), end=""), "Hi", []),
    "token counts in place of a reason": (
        stream(chunk({"content": "Hi"}), {**chunk({}), "choices": [], **COUNTS}),
        "Hi",
        [],
    ),
    "null content": (
        stream(chunk({"content": None}), chunk({"content": "Hi"}), chunk({"content": None}, "stop")),
        "Hi",
        [],
    ),
    "null delta": (stream(chunk(None), chunk({"content": "Hi"}), chunk({}, "stop")), "Hi", []),
    "null choices": (stream({**chunk({}), "choices": None}, chunk({"content": "Hi"}), chunk({}, "stop")), "Hi", []),
    "null tool calls": (stream(chunk({"content": "Hi", "tool_calls": None}), chunk({}, "stop")), "Hi", []),
    "comments in between": (
        (200, "text/event-stream", ": OPENROUTER PROCESSING\n\n" + text("Hi")[2]),
        "Hi",
        [],
    ),
    "an unknown reason": (text("Hi", finish="eos"), "Hi", []),
    "an empty reason first": (stream(chunk({"content": "Hi"}, ""), chunk({}, "stop")), "Hi", []),
    "no reason, but [DONE]": (stream(chunk({"content": "Hi"})), "Hi", []),
    "no reason after a call, but [DONE]": (stream(chunk({"tool_calls": [call(0, "a")]})), "", [READ_1]),
    "a call in the old format, in pieces": (
        stream(
            chunk({"content": "I look."}),
            chunk({"function_call": {"name": "read_file", "arguments": ""}}),
            chunk({"function_call": {"arguments": '{"path":'}}),
            chunk({"function_call": {"arguments": '"1"}'}}),
            chunk({}, "function_call"),
        ),
        "I look.",
        [READ_1],
    ),
    "a call in the old format, whole": (
        (200, "application/json", json.dumps(whole({"function_call": READ_FUNCTION}, "function_call"))),
        "",
        [READ_1],
    ),
    "a null call in the old format": (text("Hi", function_call=None), "Hi", []),
    "a byte order mark": ((200, "text/event-stream", "\ufeff" + text("Hi")[2]), "Hi", []),
    "a byte order mark before a whole answer": (
        (200, "application/json", "\ufeff" + json.dumps(WHOLE)),
        "Hello",
        [READ_1],
    ),
    **{
        f"streaming ignored, as {kind or 'nothing'}": ((200, kind, json.dumps(WHOLE, indent=1)), "Hello", [READ_1])
        for kind in ("text/plain; charset=utf-8", "Application/JSON", "text/event-stream", "application/octet-stream")
    },
    "a stream that is called text": ((200, "text/plain", text("Hi")[2]), "Hi", []),
    "a stream that is called JSON": ((200, "application/json", text("Hi")[2]), "Hi", []),
    "a character in two chunks": (text("\ud83d", "\ude00 and \ud83d", "\ude00"), "😀 and 😀", []),
    "half a character at the end": (text("Hi \ud83d"), "Hi \ufffd", []),
    "a character of a call's arguments in two chunks": (
        calls(call(0, "a", '{"path":"\ud83d'), call(0, "a", '\ude00"}')),
        "",
        [("read_file", {"path": "😀"})],
    ),
    "arguments that are a number": (calls(call(0, "a", 5)), "", [("read_file", 5)]),
    "arguments that are a list": (calls(call(0, "a", "[1]")), "", [("read_file", [1])]),
    **{
        f"arguments {words}": (calls(call(0, "a", arguments)), "", [READ_1])
        for words, arguments in {
            "in a fence": '```json\n{"path":"1"}\n```',
            "in Python": "{'path': '1'}",
            "closed twice": '{"path":"1"}}',
            "written twice": '{"path":"1"}{"path":"1"}',
        }.items()
    },
    "arguments with a line break": (calls(call(0, "a", '{"path":"a\nb"}')), "", [("read_file", {"path": "a\nb"})]),
    "arguments split inside an escape": (
        calls(*(call(0, "a", piece) for piece in ('{"path":"a\\', "n\\u00", 'e9"}'))),
        "",
        [("read_file", {"path": "a\né"})],
    ),
    "a call that is repeated in the last chunk": (
        stream(chunk({"tool_calls": [call(0, "a")]}), chunk({"tool_calls": [call(0, "a")]}, "tool_calls")),
        "",
        [READ_1],
    ),
    "two calls with one index and one id": (calls(call(0, "x"), call(0, "x", SECOND)), "", [READ_1, READ_2]),
    "a call whose name comes later": (
        calls({"index": 0, "id": "a", "type": "function"}, {"index": 0, "function": READ_FUNCTION}),
        "",
        [READ_1],
    ),
    "a call whose name comes after its arguments": (
        calls(
            {"index": 0, "id": "a", "function": {"arguments": '{"path":"1"}'}},
            {"index": 0, "function": {"name": "read_file"}},
        ),
        "",
        [READ_1],
    ),
    "a call without a name": (calls(call(0, "a", name="")), "", [("", {"path": "1"})]),
    **{
        f"a call of {name}": (calls(call(0, "a", name=name)), "", [READ_1])
        for name in (
            *("default_api:read_file", "functions/read_file", "functions.read_file:0", "mcp__handrail__read_file"),
            *("Read_File", "read-file", '"read_file"', "read_file()", "read_file<|channel|>commentary"),
        )
    },
    **{
        f"a call of {name}, which is another tool": (calls(call(0, "a", name=name)), "", [(name, {"path": "1"})])
        for name in ("notes__read_file", "mcp__notes__read_file", "read_file_2")
    },
    **{
        f"a call as text, as {written}": (text(written), "", [READ_1])
        for written in (
            f"[TOOL_REQUEST]{TEXT_CALL_1}[END_TOOL_REQUEST]",
            f"[TOOL_CALL]{TEXT_CALL_1}[/TOOL_CALL]",
            f"<tool_calls>[{TEXT_CALL_1}]</tool_calls>",
            f"<function_call>{TEXT_CALL_1}</function_call>",
            f"<TOOLCALL>[{TEXT_CALL_1}]</TOOLCALL>",
            f"functools[{TEXT_CALL_1}]",
            f"<|action_start|><|plugin|>{TEXT_CALL_1}<|action_end|>",
            f"<tool_call>\n```json\n{TEXT_CALL_1}\n```\n</tool_call>",
            f"<tool_call>{TEXT_CALL_1}}}</tool_call>",
            f"<tool_call>{TEXT_CALL_1[:-1]}</tool_call>",
            '<tool_call>{"name": "read_file", "args": {"path": "1"}}</tool_call>',
            f"```json\n[{TEXT_CALL_1}]\n```",
            '[read_file(path="1")]',
            '<|tool_call_start|>[read_file(path="1")]<|tool_call_end|>',
            "```tool_code\nread_file(path='1')\n```",
            "<seed:tool_call>\n<function=read_file>\n<parameter=path>1</parameter>\n</function>\n</seed:tool_call>",
        )
    },
    **{
        f"{written} in place of a call": (text(written), written, [])
        for written in ("[read_file(path)]", "read_file(open('x'))", "read_file", '[{"name": "read_file"}]', "[1, 2]")
    },
    "chunks with nothing but choices": (
        stream(
            {"choices": [{"index": 0, "delta": {"content": "Hi"}}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        ),
        "Hi",
        [],
    ),
}
LONG = "the request exceeds the available context size, try increasing it"
REPORTED: dict[str, tuple[Answer, type[Failure]]] = {
    "Ollama: too long": (refused(400, {"message": "input length exceeds the context length"}), Overflow),
    "Ollama: too long, as a fault": (
        refused(500, {"message": "the input length exceeds the context length"}),
        Overflow,
    ),
    "llama.cpp: too long": (
        refused(400, {"code": 400, "message": LONG, "type": "exceed_context_size_error"}),
        Overflow,
    ),
    "vLLM: too long": (
        (
            400,
            "application/json",
            json.dumps({"object": "error", "message": "This model's maximum context length is 4096 tokens."}),
        ),
        Overflow,
    ),
    "LM Studio: too long": (
        refused(400, "The number of tokens to keep from the initial prompt is greater than the context length."),
        Overflow,
    ),
    "LM Studio: too long, other words": (
        refused(
            400,
            "Trying to keep the first 5000 tokens … the model is loaded with context length of only 4096 tokens",
        ),
        Overflow,
    ),
    "OpenRouter: too long": (
        refused(400, {"message": "This endpoint's maximum context length is 4096 tokens."}),
        Overflow,
    ),
    "Ollama: too long, counted": (
        refused(400, {"message": "prompt too long; exceeded max context length by 129 tokens"}),
        Overflow,
    ),
    "llama.cpp: full": (refused(500, {"code": 500, "message": "Context size has been exceeded."}), Overflow),
    "llama.cpp: too long, counted": (
        refused(400, {"message": "request (53192 tokens) exceeds context size (50176 tokens)"}),
        Overflow,
    ),
    "vLLM: too long for the decoder": (
        refused(400, {"message": "The decoder prompt (length 5000) is longer than the maximum model length of 4096."}),
        Overflow,
    ),
    "vLLM: too long, counted": (
        refused(400, {"message": "You passed 40961 input tokens. However, the model's context length is only 40960."}),
        Overflow,
    ),
    "LM Studio: too long, in a stream": (
        (200, "text/event-stream", 'event: error\ndata: {"error":{"message":"Context size has been exceeded."}}\n\n'),
        Overflow,
    ),
    "LM Studio: too long, with status 200": (
        (200, "application/json", json.dumps({"error": "Context size has been exceeded."})),
        Overflow,
    ),
    "Gemini: too long": (
        refused(400, {"message": "The input token count (1196265) exceeds the maximum number of tokens allowed."}),
        Overflow,
    ),
    "Grok: too long": (
        refused(400, {"message": "This model's maximum prompt length is 131072 but the request contains 537812."}),
        Overflow,
    ),
    "Groq: too long": (refused(400, {"message": "Please reduce the length of the messages or completion."}), Overflow),
    "Kimi: too long": (refused(400, {"message": "Your request exceeded model token limit: 262144"}), Overflow),
    "MiniMax: too long": (refused(400, {"message": "invalid params, context window exceeds limit"}), Overflow),
    "TGI: too long": (
        refused(422, {"message": "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens"}),
        Overflow,
    ),
    **{
        f"too long: {words}": (refused(400, {"message": words}), Overflow)
        for words in (
            "too many tokens: size limit exceeded by 11326 tokens",
            "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
            "Prompt length 5000 is greater than max_seq_len 4096",
            "litellm.ContextWindowExceededError",
            "max_tokens must be at least 1, got -904.",
            "Input length 5000 exceeds the maximum allowed length 4096",
            "Request too large for model",
            "Input tokens exceed the configured limit of 272000 tokens",
            "cannot truncate prompt with n_keep (4097) >= n_ctx (4096)",
        )
    },
    "Groq: no tools": (refused(400, {"message": "`tool calling` is not supported with this model"}), NoModel),
    "no tools, in a stream": (
        (200, "text/event-stream", 'data: {"error":{"message":"gemma:2b does not support tools"}}\n\n'),
        NoModel,
    ),
    "OpenRouter: no credit, with status 200": (
        (200, "application/json", json.dumps({"error": {"code": 402, "message": "Insufficient credits"}})),
        WrongKey,
    ),
    "OpenRouter: too many requests, in a stream": (
        stream({**chunk({"content": ""}, "error"), "error": {"code": 429, "message": "Rate limit exceeded"}}, end=""),
        RateLimited,
    ),
    "Ollama: no tools": (
        refused(400, {"message": "registry.ollama.ai/library/gemma:2b does not support tools"}),
        NoModel,
    ),
    "OpenRouter: no tools": (refused(404, {"message": "No endpoints found that support tool use."}), NoModel),
    "vLLM: no tools": (refused(400, {"message": '"auto" tool choice requires --enable-auto-tool-choice'}), NoModel),
    "llama.cpp: no tools": (refused(500, {"message": "tools param requires --jinja flag"}), NoModel),
    "a prompt that was blocked": (refused(400, {"message": "It was filtered.", "code": "content_filter"}), Unsupported),
    "OpenRouter: flagged": (refused(403, {"code": 403, "message": "Input was flagged"}), Unsupported),
    "llama.cpp: loading": (refused(503, {"code": 503, "message": "Loading model"}), RateLimited),
    "Ollama: unknown model": (refused(404, {"message": "model 'x' not found"}), NoModel),
    "OpenRouter: no credit": (refused(402, {"code": 402, "message": "Insufficient credits"}), WrongKey),
    "an error in the stream": (
        stream(chunk({"content": "Hi"}), end='data: {"error":{"code":502,"message":"x"}}\n\n'),
        Cut,
    ),
    "an empty event": ((200, "text/event-stream", "data: \n\n" + text("Hi")[2]), Cut),
    "no chat at this address": ((404, "text/plain", "404 page not found"), NoModel),
    "cut off": (stream(chunk({"content": "Hi"}), end=""), Cut),
    "a page in place of an answer": ((200, "text/html", "<html>"), Cut),
    "nothing": ((200, "text/event-stream", ""), Cut),
    "no object": ((200, "text/event-stream", "data: [1]\n\ndata: [DONE]\n\n"), Cut),
    "a call that is no object": (stream(chunk({"tool_calls": [None]})), Cut),
    **{
        f"{words} after a piece of the answer": (stream(chunk({"content": "Hi"}), event), Cut)
        for words, event in {
            "an error as an object of its own": {"object": "error", "message": "engine died", "code": 500},
            "an error as the reason of the end": chunk({}, "error"),
        }.items()
    },
    "vLLM: too long, with status 200": (
        (200, "application/json", json.dumps({"object": "error", "message": LONG})),
        Overflow,
    ),
    "an error event without an error": (
        stream(chunk({"content": "Hi"}), end='event: error\ndata: {"message":"out of memory"}\n\n'),
        NoModel,
    ),
    "a time-out": (refused(408, {"message": "timeout"}), Cut),
    **{
        f"{kind}: {words}": (refused(400, {"message": words}), condition)
        for kind, condition, texts in (
            (
                "too long",
                Overflow,
                (
                    "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
                    "prompt tokens 5000 > max 4096",
                    "Prompt length 5000 exceeds n_ctx 4096",
                    "Range of input length should be [1, 30720]",
                    "context shift is disabled",
                    "your request exceeds the model's context limit (32768)",
                    "输入长度超过模型最大上下文长度",
                ),
            ),
            (
                "no tools",
                NoModel,
                (
                    "Tools not supported",
                    "This model is not capable of tool use",
                    "Extra inputs are not permitted: tools",
                ),
            ),
            (
                "blocked",
                Unsupported,
                ("Content Exists Risk", "data_inspection_failed", "PROHIBITED_CONTENT", "sensitive words detected"),
            ),
        )
        for words in texts
    },
    "token counts that are a text": (stream({**chunk({"content": "Hi"}), "usage": "none"}), Cut),
    "an answer nested too deep": ((200, "application/json", "[" * 5000 + "]" * 5000), Cut),
}


class Server(ThreadingHTTPServer):
    daemon_threads = True
    answer: Answer = (200, "text/plain", "")

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, str | None]] = []
        self.efforts: list[str | None] = []
        self.messages: list[Any] = []
        self.refuse: Callable[[Any], Answer | None] = lambda request: None


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers["authorization"]))
        self._answer()

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.efforts.append(request.get("reasoning_effort"))
        self.server.messages.append(request["messages"])
        self._answer(self.server.refuse(request))

    def _answer(self, refusal: Answer | None = None) -> None:
        status, kind, body = refusal or self.server.answer
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


def model_of(server: Server, effort: str = "", key: str | None = None) -> Model:
    secret = None if key is None else Secret(key)
    return open_model("openai-compatible:local", f"http://127.0.0.1:{server.server_address[1]}/v1", secret, effort)


def replies_to(server: Server, answer: Answer, model: Model, turns: Sequence[Turn], times: int) -> list[Reply]:
    """In one event loop, because a model paces its requests."""
    server.answer = answer

    async def ask() -> Reply:
        async for piece in model.stream("Help.", turns, TOOLS):
            if isinstance(piece, Reply):
                return piece
        raise AssertionError("no reply")

    async def ask_again() -> list[Reply]:
        return [await ask() for _ in range(times)]

    return asyncio.run(ask_again())


def reply_to(server: Server, answer: Answer, model: Model | None = None) -> Reply:
    return replies_to(server, answer, model or model_of(server), HI, 1)[0]


@pytest.mark.parametrize(("answer", "message", "used"), UNDERSTOOD.values(), ids=UNDERSTOOD)
def test_deviations_from_the_format_are_understood(
    server: Server, answer: Answer, message: str, used: list[Any]
) -> None:
    replied = reply_to(server, answer).replied
    assert (replied.text, [(use.name, json.loads(use.arguments)) for use in replied.uses]) == (message, used)


def test_a_servers_counts_of_the_answer_so_far_are_not_added_up(server: Server) -> None:
    usage = reply_to(server, stream({**chunk({"content": "Hi"}), **COUNTS}, {**chunk({}, "stop"), **COUNTS})).usage
    assert (usage.input_tokens, usage.output_tokens) == (5, 3)


def test_a_byte_that_is_not_utf_8_is_replaced() -> None:
    async def read() -> bytes:
        pieces = (b"data: \xff\n", "é".encode()[:1], "é".encode()[1:] + b"\n")

        async def stream_pieces() -> AsyncIterator[bytes]:
            for piece in pieces:
                yield piece

        return b"".join([piece async for piece in readable(stream_pieces())])

    assert asyncio.run(read()).decode() == "data: \ufffd\né\n"


@pytest.mark.parametrize("arguments", ['{"path":"1', "[1]", "no JSON", 5])
def test_a_conversation_with_unreadable_arguments_can_continue(server: Server, arguments: Any) -> None:
    """Servers refuse a conversation in which a call's arguments aren't an object."""
    model = model_of(server)
    replied = reply_to(server, calls(call(0, 7, arguments)), model).replied
    (use,) = replied.uses
    result = ToolResult(use.id, "exec_1", use.name, "The arguments are not an object.", is_error=True)
    server.messages.clear()
    replies_to(server, text("Hi"), model_of(server), [*HI, replied, result], 1)
    (sent,) = [message["tool_calls"] for message in server.messages[-1] if message["role"] == "assistant"]
    assert isinstance(json.loads(sent[0]["function"]["arguments"]), dict)
    assert (use.id, sent[0]["id"]) == ("7", "7")


@pytest.mark.parametrize(("answer", "condition"), REPORTED.values(), ids=REPORTED)
def test_an_error_is_reported_as_what_it_is(server: Server, answer: Answer, condition: type[Failure]) -> None:
    with pytest.raises(Failure) as failed:
        reply_to(server, answer)
    assert type(failed.value) is condition


@pytest.mark.parametrize(
    "words",
    [
        "Tool use is not supported by this model",
        "This model doesn't support function calling",
        "gemma:2b does not support chat with tools",
        "`tools` is not supported",
        "Unsupported parameter: 'tools'",
    ],
)
def test_a_model_without_tools_is_recognized_in_other_words(server: Server, words: str) -> None:
    with pytest.raises(NoModel, match="can't call tools"):
        reply_to(server, refused(400, {"message": words}))


@pytest.mark.parametrize(
    "opening",
    [
        *("<function=a>", "<tool_call>{", "<tool_call>a<arg_key>", "<tool_call>  ", "[TOOL_CALLS]aaaa"),
        *('<invoke name="a">', "<｜tool▁call▁begin｜>function<｜tool▁sep｜>a", "<|tool_call_begin|>a:1"),
        *("<|start|>assistant to=a<|channel|>commentary ", "<function=a>{"),
    ],
)
def test_calls_that_are_never_closed_take_no_time(server: Server, opening: str) -> None:
    """With a quadratic search, the first would take minutes and block the server meanwhile."""
    message = "Look: " + opening * 20_000
    assert reply_to(server, text(message)).replied.text == message


@pytest.mark.parametrize(
    ("key", "words", "is_quoted"),
    [
        (None, "model requires more system memory", True),
        ("sk-1234567890", "model requires more system memory", True),
        ("sk-1234567890", "the key sk-1… has no access to it", False),
        ("sk-1234567890", "the key …7890 has no access to it", False),
        (None, "<html>a page", False),
    ],
)
@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_persons_own_server_is_quoted_but_never_its_key(
    server: Server, status: int, key: str | None, words: str, is_quoted: bool
) -> None:
    with pytest.raises(Failure) as failed:
        reply_to(server, refused(status, {"message": words}), model_of(server, key=key))
    assert (words in failed.value.message) is is_quoted


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        ("text/plain", "404 page not found", "404 page not found"),
        ("application/json", '{"detail":"Not Found"}', "Not Found"),
    ],
)
def test_the_address_is_named_where_a_server_has_no_chat(server: Server, kind: str, body: str, words: str) -> None:
    with pytest.raises(NoModel, match=f"usually ends with /v1: {words}"):
        reply_to(server, (404, kind, body))


@pytest.mark.parametrize(
    ("status", "words"), [(400, "System role not supported"), (500, "Conversation roles must alternate user/assistant")]
)
def test_a_model_without_a_system_message_gets_the_instructions_with_the_first(
    server: Server, status: int, words: str
) -> None:
    def refuse(request: Any) -> Answer | None:
        roles = [message["role"] for message in request["messages"]]
        return None if roles == ["user"] else refused(status, {"message": words})

    server.messages.clear()
    server.refuse = refuse
    model, turns = model_of(server), (*HI, Note("It was restarted."), UserTurn("2", "Go on"))
    assert [reply.replied.text for reply in replies_to(server, text("Hi"), model, turns, 2)] == ["Hi", "Hi"]
    server.refuse = lambda request: None
    assert [len(messages) for messages in server.messages] == [2, 1, 1]
    assert server.messages[-1][0]["content"] == "[handrail] Help.\n\nHi\n\n[handrail] It was restarted.\n\nGo on"


def test_a_refusal_that_is_streamed_is_reported_as_one(server: Server) -> None:
    assert reply_to(server, stream(chunk({"refusal": "I can't."}), chunk({}, "stop"))).stopped == "refusal"


def test_an_answer_that_reached_its_limit_is_reported_as_such(server: Server) -> None:
    assert reply_to(server, text("I", finish="max_tokens")).stopped == "length"


@pytest.mark.parametrize("finish", ["content_filter", "SAFETY", "content_filter: PROHIBITED_CONTENT"])
def test_a_filtered_answer_is_a_refusal(server: Server, finish: str) -> None:
    assert reply_to(server, text("I", finish=finish)).stopped == "refusal"


@pytest.mark.parametrize(("effort", "sent"), [("high", "high"), ("minimal", "low"), ("", None)])
def test_the_thinking_effort_is_sent_to_any_server(server: Server, effort: str, sent: str | None) -> None:
    server.efforts.clear()
    reply_to(server, text("Hi"), model_of(server, effort))
    assert server.efforts == [sent]


@pytest.mark.parametrize(
    "message", ['"gemma3" does not support thinking', "`reasoning_effort` is not supported with this model"]
)
def test_a_model_without_thinking_effort_is_asked_without_it_from_then_on(server: Server, message: str) -> None:
    server.efforts.clear()
    server.refuse = lambda request: refused(400, {"message": message}) if "reasoning_effort" in request else None
    model = model_of(server, "high")
    assert [reply.replied.text for reply in replies_to(server, text("Hi"), model, HI, 2)] == ["Hi", "Hi"]
    assert server.efforts == ["high", None, None]
    server.refuse = lambda request: None


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_thinking_is_taken_apart_however_it_is_cut(size: int) -> None:
    whole, tags = "<think>a < b</think>Hello </think> you", ThinkingTags()
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    separated = [*(tags.feed(piece) for piece in pieces), tags.feed("", is_last=True)]
    assert "".join(thought for thought, _ in separated) == "a < b"
    assert "".join(text for _, text in separated) == "Hello </think> you"


async def test_the_models_of_a_server_are_listed_as_it_says(server: Server, tmp_path: Path) -> None:
    models = open_models(Wiring().open_stores(tmp_path), {"OPENAI_COMPATIBLE_API_KEY": "sk-own"})
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    await models.use("openai-compatible:qwen3", address)
    server.answer = (200, "application/json", json.dumps({"data": [{"id": "qwen3"}, {"id": "gemma:2b"}]}))
    names = [model.name for model in (await models.overview()).models]
    assert {"openai-compatible:qwen3", "openai-compatible:gemma:2b"} <= set(names)
    assert server.asked[-1] == ("/v1/models", "Bearer sk-own")


@pytest.mark.parametrize(
    "answer", [(500, "text/plain", "broken"), (200, "text/html", "<html>"), (200, "text/plain", "{}")]
)
async def test_a_server_that_does_not_list_its_models_is_accepted(
    server: Server, tmp_path: Path, answer: Answer
) -> None:
    models = open_models(Wiring().open_stores(tmp_path), {})
    await models.use("openai-compatible:qwen3", f"http://127.0.0.1:{server.server_address[1]}/v1")
    server.answer = answer
    assert (await models.overview()).current == "openai-compatible:qwen3"
