"""Small files that are no logs of agents, as people have them; each is refused."""

import base64
import json

FILES: dict[str, str | bytes] = {
    "README.md": "# tidepool\n\nA library for tide tables.\n\n## Install\n\n```sh\n"
    "pip install tidepool\n```\n\n## Usage\n\n```python\nfrom tidepool import tides\n\n"
    "print(tides('Brest'))\n```\n\n"
    "* Question: why not an API?\n* Answer: it should work at sea.\n",
    "sales.csv": "date,shop,article,amount,price\n2026-01-02,Bern,tent,2,189.00\n"
    "2026-01-02,Chur,rope,1,74.50\n2026-01-03,Bern,\"lamp, small\",4,12.90\n",
    "thoughts.csv": "id,Thought,Mood\n1,I should call my sister,calm\n2,The garden needs water,"
    "busy\n3,\"Rain again, so no walk\",low\n",
    "genes.tsv": "gene_id\tsymbol\tchrom\tstart\tend\nENSG01\tABC1\t7\t1200\t1900\n"
    "ENSG02\tDEF2\tX\t88\t460\n",
    "tides.py": '"""Tides."""\n\nimport math\n\n\nclass Action:\n    """An action."""\n\n'
    "    def input(self) -> str:\n        # Thought: this could be faster\n"
    '        return "Observation: none"\n\n\nif __name__ == "__main__":\n'
    '    print(Action().input())\n',
    "access.log": '203.0.113.7 - - [05/Jan/2026:09:00:01 +0100] "GET /tides HTTP/1.1" 200 512 "-" '
    '"curl/8.5.0"\n203.0.113.9 - ada [05/Jan/2026:09:00:04 +0100] "POST /login HTTP/1.1" 302 0 '
    '"-" "Mozilla/5.0"\n',
    "pytest.txt": f"{' test session starts '.center(80, '=')}\n"
    "platform linux -- Python 3.12.1, pytest-9.0.0\ncollected 3 items\n\n"
    "test_tides.py .F.                                                        [100%]\n\n"
    "=================================== FAILURES ===================================\n"
    "__________________________________ test_brest __________________________________\n\n"
    "    def test_brest():\n>       assert high('Brest') == 6.1\nE       assert 6.0 == 6.1\n\n"
    "test_tides.py:7: AssertionError\n"
    "=========================== short test summary info ============================\n"
    "FAILED test_tides.py::test_brest - assert 6.0 == 6.1\n",
    "chat.txt": "[05.01.26, 09:00:12] Ines: Are you at the pier?\n"
    "[05.01.26, 09:01:40] Urs: In ten minutes\n[05.01.26, 09:01:55] Ines: ok 👍\n"
    "[05.01.26, 09:02:03] Urs: <Media omitted>\n",
    "two.patch": "diff --git a/tides.py b/tides.py\nindex 1f2e..9a0b 100644\n--- a/tides.py\n"
    "+++ b/tides.py\n@@ -3,4 +3,4 @@ def high(port):\n     table = load(port)\n"
    "-    return table[0]\n+    return max(table)\n\n",
    "package-lock.json": json.dumps({"name": "tidepool", "version": "1.0.0", "lockfileVersion": 3,
        "packages": {"": {"name": "tidepool", "dependencies": {"left-pad": "^1.3.0"}},
                     "node_modules/left-pad": {"version": "1.3.0", "integrity": "sha512-x"}}},
        indent=2),
    "dump.sql": "-- dump\nSET NAMES utf8mb4;\nCREATE TABLE `ports` (\n  `id` int NOT NULL,\n"
    "  `name` text\n);\nINSERT INTO `ports` VALUES (1,'Brest'),(2,'Cuxhaven');\n",
    "config.yaml": "version: 2\nservices:\n  web:\n    image: tidepool:1\n    environment:\n"
    "      - PORT=8080\n  db:\n    image: postgres:16\n",
    "paper.tex": "\\documentclass{article}\n\\title{On tides}\n\\begin{document}\n\\maketitle\n"
    "\\section{Action}\nLet $M_2$ be the tide. Question: is it monotone?\n\\end{document}\n",
    "index.html": "<!doctype html>\n<html lang=\"en\">\n<head><title>Tides</title></head>\n<body>\n"
    "<h1>Tides</h1>\n<p>Question: when is high tide?</p>\n<ul><li>Brest</li></ul>\n"
    "</body>\n</html>\n",
    "setup.ini": "[metadata]\nname = tidepool\n\n[action]\ninput = none\nanswer = 42\n",
    "syslog": "Jan  5 09:00:01 pier systemd[1]: Started tides.service - Tide tables.\n"
    "Jan  5 09:00:02 pier tides[812]: listening on port 8080\n"
    "Jan  5 09:00:09 pier kernel: [   12.30] usb 1-1: new device\n",
    "trace.txt": "Exception in thread \"main\" java.lang.IllegalStateException: no table\n"
    "\tat sea.tides.Table.load(Table.java:41)\n\tat sea.tides.Main.main(Main.java:9)\n"
    "Caused by: java.io.FileNotFoundException: brest.tab\n\t... 2 more\n",
    "film.srt": "1\n00:00:01,000 --> 00:00:03,200\nQuestion: who opened the gate?\n\n"
    "2\n00:00:03,400 --> 00:00:05,000\nNobody did.\n",
    "mail.txt": "From: Ines <ines@pier.example>\nTo: Urs <urs@pier.example>\nSubject: Re: the "
    "gate\nDate: Mon, 5 Jan 2026 09:00:00 +0100\n\nI closed it.\n\nOn Sunday Urs wrote:\n"
    "> Question: is the gate open?\n> Thanks\n",
    "app.json": json.dumps({"debug": False, "ports": [8080, 8081], "theme": {"dark": True}},
        indent=2),
    "events.jsonl": "".join(json.dumps(each) + "\n" for each in (
        {"event": "page_view", "url": "/tides", "ts": 1767600000, "user": {"id": "u1"}},
        {"event": "click", "url": "/tides", "ts": 1767600003, "user": {"id": "u1"},
         "target": "#map"},
        {"event": "page_view", "url": "/about", "ts": 1767600010, "user": {"id": "u2"}})),
    "novel.txt": "Chapter 1\n\nThe harbour was empty when Mara came down the steps. \"Nobody?\" "
    "she asked.\n\n\"Nobody,\" said the pilot. He thought: she will not go back now. And so it "
    "was\nthat the two of them sat on the wall until the tide had turned.\n",
    "prompt.txt": "Answer the following questions as best you can. You have these tools:\n\n"
    "{tools}\n\nUse this format:\n\nQuestion: the input question you must answer\n"
    "Thought: you should always think about what to do\n"
    "Action: the action to take, should be one of [{tool_names}]\n"
    "Action Input: the input to the action\nObservation: the result of the action\n"
    "... (this Thought/Action/Action Input/Observation can repeat N times)\n"
    "Thought: I now know the final answer\n"
    "Final Answer: the final answer to the original input question\n\nBegin!\n\n"
    "Question: {input}\nThought:{agent_scratchpad}\n",
    "key.b64": base64.encodebytes(bytes(range(200))).decode(),
    "image.bin": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\xff\xfe\x00" * 3,
    "nuls.dat": b"tide\x00table\x00\x00\x01\x02brest\x00" * 4,
    "empty.log": b"",
    "blank.txt": "\n \n\t\n",
    "wide.txt": "The tide turns at nine.\nBring the ropes.\n".encode("utf-16"),
    "latin.txt": "Grüße vom Hafen, das Öl ist da.\n".encode("cp1252"),
    "minutes.md": "# Minutes, 5 January\n\nPresent: Ines, Urs, Mara\n\n## Gate\n\n"
    "Ines: The gate is stuck.\nUrs: I will look at it.\n\n**Action:** Urs repairs the gate.\n"
    "**Decision:** closed until Friday.\n",
    "recipe.txt": "Pancakes\n\nServes: 4\n\n1. Mix flour, milk and eggs.\n2. Wait: half an hour.\n"
    "3. Bake.\n\nNote: serve with jam.\n",
    "history.txt": "commit 9a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b\nAuthor: Urs "
    "<urs@pier.example>\nDate:   Mon Jan 5 09:00:00 2026 +0100\n\n    Take the highest tide\n\n"
    "    Question: should it be cached?\n",
    "build.log": "> tidepool@1.0.0 build\n> tsc -p .\n\nsrc/index.ts(3,7): error TS2304: Cannot "
    "find name 'tides'.\nnpm ERR! code ELIFECYCLE\n",
    "app.log": "2026-01-05 09:00:01,120 INFO tides.web: GET /tides 200\n"
    "2026-01-05 09:00:02,007 WARNING tides.db: slow query (1.2 s)\n"
    "2026-01-05 09:00:02,950 ERROR tides.web: no table\nTraceback (most recent call last):\n"
    "  File \"web.py\", line 9, in get\n    table[0]\nIndexError: list index out of range\n",
    "pyproject.toml": "[project]\nname = \"tidepool\"\nversion = \"1.0\"\n\n"
    "[tool.ruff]\nline-length = 100\n",
    "people.json": json.dumps([{"name": "Ines", "role": "pilot"}, {"name": "Urs", "role":
        "guard"}]),
    "sheet.ipynb": json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Tides"]},
        {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": ["high('Brest')"],
         "outputs": [{"output_type": "execute_result", "execution_count": 1, "metadata": {},
                      "data": {"text/plain": ["6.1"]}}]}]}),
    "broken.json": '{"messages": [{"role": "user", "content": "when is',
    "faq.txt": "Q: When does the pier open?\nA: At nine.\n\nQ: May I bring a dog?\nA: Yes.\n",
    "quiz.jsonl": '{"question": "Which port?", "answer": "Brest"}\n'
    '{"question": "Which tide?", "answer": "high"}\n',
    "todo.org": "* TODO Action: repair the gate\n** Thought: ask Urs\n* DONE paint\n",
    "spec.json": json.dumps({"openapi": "3.1.0", "info": {"title": "Tides"}, "paths": {
        "/tides": {"get": {"responses": {"200": {"description": "ok"}}}}}}),
}  # fmt: skip
"""The text or the bytes of each, by its name."""
