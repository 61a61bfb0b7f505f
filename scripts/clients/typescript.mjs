// The TypeScript SDK as a client: lists the tools, runs both languages, gets a
// denial, a picture and progress, and cancels a running call.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const programs = JSON.parse(readFileSync(process.env.PROGRAMS));
const transport = new StdioClientTransport({ command: process.env.SALLYPORT, args: ["mcp"], env: { ...process.env } });
const client = new Client({ name: "typescript-check", version: "1" });
await client.connect(transport);

const run = (name, code, options) => client.callTool({ name, arguments: { code } }, undefined, options);

const { tools } = await client.listTools();
assert.deepEqual(tools.map((t) => t.name).sort(), ["check_code", "run_javascript_code", "run_python_code"]);
assert.equal((await run("run_python_code", programs.python)).content[0].text, "42");
assert.equal((await run("run_javascript_code", programs.javascript)).content[0].text, "42");

const denied = await run("run_python_code", programs.denied);
assert.equal(denied.isError, true);
assert.match(denied.content[0].text, /os\.system.*\n.*Do not retry/);

const picture = (await run("run_python_code", programs.image)).content.find((c) => c.type === "image");
assert.equal(picture.mimeType, "image/png");

const stages = [];
await run("run_python_code", programs.python, { onprogress: (p) => stages.push(p.message) });
assert.ok(stages.length >= 2, `progress: ${stages}`);

const abort = new AbortController();
const began = Date.now();
await assert.rejects(
  run("run_python_code", programs.endless, { signal: abort.signal, onprogress: (p) => /running/.test(p.message) && abort.abort() }),
);
assert.equal((await run("run_python_code", programs.python)).content[0].text, "42");
console.log(`list, python, javascript, denial, image, progress, cancel (${Date.now() - began} ms): ok`);
await client.close();
