"""ReAct text with Chinese labels: `react` in all other respects.

Labels end in a full-width colon. Lenient mode also reads the plain colon, the labels of `react`,
and 动作 for 行动.

Source: Chinese versions of LangChain's ReAct prompt.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from agent_parsers.dialects import react
from agent_parsers.engine.repairs.names import repair_tool_name
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead
from agent_parsers.engine.tables.dialect import PromptWords
from agent_parsers.engine.tables.labels import with_labels
from agent_parsers.events import Repair
from agent_parsers.forms.form import Written

SAMPLE: Final = """\
问题：伯尔尼最古老的桥建于何时？
思考：我需要知道那是哪座桥。
行动：search
行动输入：伯尔尼最古老的桥
观察：下城门桥建于1461年至1489年。
思考：我现在知道最终答案了
最终答案：下城门桥于1489年建成。"""

_NO_ACTION: Final = {"无", "没有", "不需要", "无需"}
_ANSWERS: Final = {"最终答案", "最终回答"}


def read_tool(written: str, tools: Collection[str] | None, repairs: list[Repair]) -> ToolHead:
    """Return the name of a tool, or an answer if the word says that there is no tool."""
    word = written.strip("。`“”【】 ")
    if tools is None or word not in tools:
        if word in _NO_ACTION:
            raise BadPayload("action_without_tool", (0, len(written)))
        if word in _ANSWERS:
            message = "read the action as the answer"
            repairs.append(Repair("answer_as_action", (0, len(written)), message))
            return ToolHead(word, is_answer=True, needs_input=True)
    return repair_tool_name(written, tools, repairs)


PROMPT: Final = """\
请尽力回答问题。你可以使用以下工具：

{tools}

请按以下格式书写，每个标签都在一行的开头：

{form}

每次只使用一个工具，写完行动输入后就停下：观察会提供给你。
例如，下面这一步使用了一个工具：

{action}"""

WORDS: Final = PromptWords(
    thought="你已经知道什么，还需要了解什么",
    tool="要使用的工具，必须是 [{tool_names}] 之一",
    tool_input="工具的输入；如果工具有多个参数，就写一个 JSON 对象",
    no_input="，如果不需要输入，就写 {}",
    observation="工具返回的结果",
    repeats="……（以上步骤可以重复）",
    last_thought="我现在知道最终答案了",
    answer="问题的答案",
    no_answer="请使用工具，先不要回答。",
    output_type="答案是如下形式的 JSON，前后没有别的文字：",
    use="我需要使用 {tool}。",
    no_tools="请尽力回答问题，并按以下格式书写：\n\n{answer}",
    begin="开始。",
    any_tool="工具",
    wrote="你写的是：{text}",
    example="例如：",
)

OBSERVATIONS: Final = {
    "no_action_or_answer": "格式错误：请写行动和行动输入，或者写最终答案。每个标签都在一行的开头。",
    "invented_first": "格式错误：不要自己写观察。请写行动和行动输入，或者写最终答案。",
    "no_input": "格式错误：“行动：”之后缺少“行动输入：”。",
    "stray_input": "格式错误：请先写行动，再写行动输入。",
    "action_and_answer": "请只写行动和行动输入，或者只写最终答案，不要两者都写。",
    "no_tool_name": "格式错误：“行动：”之后缺少工具的名称。",
    "long_tool_name": "格式错误：“行动：”之后只写一个工具的名称，“行动输入：”写在下一行。",
    "action_without_tool": "格式错误：行动必须是一个工具的名称。如果不需要工具，请写最终答案。",
    "two_inputs": "格式错误：行动只写工具的名称，输入只写一次。",
    "cut_input": "{tool}的输入不完整，所以没有执行。请完整地重写一遍。",
    "missing_input": "文本在{tool}的输入之前就结束了，所以没有执行。请完整地重写一遍。",
    "open_fence": "代码块没有结束，所以没有执行。请完整地重写一遍。",
    "open_quote": "输入中的引号没有结束，所以没有执行。请完整地重写一遍。",
    "open_reasoning": "推理没有结束。请先结束推理，再写行动或最终答案。",
}

_LOCALISED: Final = with_labels(
    react.DIALECT,
    name="react_zh",
    aliases=("react_chinese",),
    summary="ReAct text with Chinese labels: 思考、行动、行动输入, or 最终答案",
    labels={
        "Question": ("问题", "Question"),
        "Thought": ("思考", "Thought"),
        "Action": ("行动", "动作", "Action"),
        "Action Input": ("行动输入", "动作输入", "Action Input"),
        "Observation": ("观察", "Observation"),
        "Final Answer": ("最终答案", "Final Answer"),
    },
    colon="：",
    sample=SAMPLE,
    prompt=PROMPT,
    prompt_words=WORDS,
    observations=OBSERVATIONS,
    example=Written(tool="search", tool_input="要查找的内容"),
)
DIALECT: Final = replace(_LOCALISED, lenient=replace(_LOCALISED.lenient, read_tool=read_tool))
