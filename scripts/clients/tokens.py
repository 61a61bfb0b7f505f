"""How many tokens a model is given: the list of the tools, and answers of a few kinds, counted with
the tokenizer o200k. tokens.py TOOLS PAGE: TOOLS is the list as mcp's TestToolsStayShort writes it,
PAGE is where the numbers stand. --write writes them there; else they must be true."""

import asyncio
import os
import sys

import bpe_openai
from fastmcp import Client

BEGIN, END = "<!-- tokens: written by scripts/clients/tokens.py -->", "<!-- end of tokens -->"
ANSWERS = {
    "`print(6 * 7)`": "print(6 * 7)",
    "a denial with one finding": "import os\nos.system('id')",
    "a syntax error": "for i in range(3)\n    print(i)",
    "an exception in a function": "def f(x):\n    return 1 / x\n\nf(0)",
    "1 MB of text, cut at 25,000 bytes": "print('a line of an ordinary log, 42\\n' * 30_000)",
}
tokens = bpe_openai.get_encoding("o200k_base")


def count(text):
    return len(tokens.encode_ordinary(text))


async def answers():
    server = {"transport": "stdio", "command": os.environ["SALLYPORT"], "args": ["mcp"], "env": dict(os.environ)}
    async with Client({"mcpServers": {"sallyport": server}}) as session:
        for what, code in ANSWERS.items():
            r = await session.call_tool("run_python_code", {"code": code}, raise_on_error=False)
            assert r.structured_content is None, r  # nothing is said twice
            yield what, count("".join(c.text for c in r.content))


async def main():
    write = "--write" in sys.argv
    tools, page = [a for a in sys.argv[1:] if a != "--write"]
    listed = count(open(tools).read())
    assert listed <= 1200, listed
    rows = [("the list of the tools, with two environments of packages", listed)] + [row async for row in answers()]
    text = open(page).read()
    head, rest = text.split(BEGIN)
    old, tail = rest.split(END)
    said = [int(line.split("|")[-2].replace(",", "")) for line in old.splitlines()[4:] if line]
    new = "\n\n| what a model is given | tokens |\n|---|---|\n" + "".join(f"| {what} | {n:,} |\n" for what, n in rows) + "\n"
    if write:
        open(page, "w").write(head + BEGIN + new + END + tail)
    else:
        # Ids and addresses in answers differ from one to the next.
        assert len(said) == len(rows) and all(abs(n - was) <= max(3, n // 50) for (_, n), was in zip(rows, said)), f"{page} says\n{old}\nand what is counted is\n{new}"
    print(f"{listed:,} tokens of tools; answers of {len(rows) - 1} kinds as docs/mcp.md has them: ok")


asyncio.run(main())
