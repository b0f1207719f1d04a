# pip install agent-parsers && python examples/any_open_model.py
"""Any open model in one loop: the name of the model determines its dialect.

Pass names of models to see their formats: ``python examples/any_open_model.py Qwen/Qwen3-8B``. The
text is the raw output of the model, from a server that does not parse tool calls.
"""

from __future__ import annotations

import sys
from textwrap import indent

from executor import area

from agent_parsers import AgentAction, AgentFinish, dialect_for_model, get_parser, run_agent
from agent_parsers.testing import ScriptedModel

MODELS = (
    "Qwen/Qwen3-8B",
    "mistralai/Mistral-Small-3.2-24B-Instruct-2506",
    "meta-llama/Llama-4-Scout-17B-16E-Instruct",
    "zai-org/GLM-4.5-Air",
    "openai/gpt-oss-20b",
)

if __name__ == "__main__":
    for name in sys.argv[1:] or MODELS:
        dialect = dialect_for_model(name)
        if dialect is None:
            print(f"{name}: not known")
            continue
        parser = get_parser(dialect, tools=[area])
        call = AgentAction("area", {"lake": "Thun"}, "")
        finish = AgentFinish({"output": "Lake Thun has 48.3 km²."}, "")
        model = ScriptedModel([parser.render(call), parser.render(finish)])
        print(f"{name}: {dialect}")
        print(indent(parser.render(call), "    "))
        print(f"    -> {run_agent(model, 'How large is Lake Thun?', parser).output}")

# $ python examples/any_open_model.py
# > Qwen/Qwen3-8B: hermes
# >     <tool_call>
# >     {"name": "area", "arguments": {"lake": "Thun"}}
# >     </tool_call>
# >     -> Lake Thun has 48.3 km².
# > mistralai/Mistral-Small-3.2-24B-Instruct-2506: mistral_v11
# >     [TOOL_CALLS]area[CALL_ID]000000001[ARGS]{"lake": "Thun"}
# >     -> Lake Thun has 48.3 km².
# > meta-llama/Llama-4-Scout-17B-16E-Instruct: llama4_pythonic
# >     <|python_start|>[area(lake="Thun")]<|python_end|>
# >     -> Lake Thun has 48.3 km².
# > zai-org/GLM-4.5-Air: glm45
# >     <tool_call>area
# >     <arg_key>lake</arg_key>
# >     <arg_value>Thun</arg_value>
# >     </tool_call>
# >     -> Lake Thun has 48.3 km².
# > openai/gpt-oss-20b: harmony
# >      to=functions.area<|channel|>commentary json<|message|>{"lake": "Thun"}<|call|>
# >     -> Lake Thun has 48.3 km².
