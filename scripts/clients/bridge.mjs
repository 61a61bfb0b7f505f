// A thin bridge from Streamable HTTP on loopback to a STDIO server, for test
// suites that speak HTTP only: bridge.mjs PORT COMMAND ARG...
// A session of HTTP is one process. Messages pass unchanged; what the server
// says about a request goes on that request's stream. The one exception: a call
// of a tool that $TOOLS, a JSON file, has a Python program for is passed on as
// a call of run_python_code with that program. Answers are never touched.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [port, command, ...args] = process.argv.slice(2);
const sessions = new Map();
const tools = process.env.TOOLS ? JSON.parse(readFileSync(process.env.TOOLS)) : {};

function startSession() {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const session = { id: randomUUID(), child, open: new Map() };
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    const key = JSON.stringify(message.id);
    const done = message.method === undefined && session.open.has(key);
    // A message that answers nothing goes with the oldest open request.
    const stream = done ? session.open.get(key) : session.open.values().next().value;
    stream?.write(`event: message\ndata: ${line}\n\n`);
    if (done) {
      session.open.delete(key);
      stream.end();
    }
  });
  sessions.set(session.id, session);
  return session;
}

const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
const origins = new Set([...hosts].map((h) => `http://${h}`));

const server = createServer(async (request, response) => {
  if (!hosts.has(request.headers.host) || (request.headers.origin && !origins.has(request.headers.origin))) {
    return response.writeHead(403).end();
  }
  if (request.method === "DELETE") {
    sessions.get(request.headers["mcp-session-id"])?.child.stdin.end();
    return response.writeHead(200).end();
  }
  if (request.method !== "POST") return response.writeHead(405).end();
  let body = "";
  for await (const chunk of request) body += chunk;
  const message = JSON.parse(body);
  const session = message.method === "initialize" ? startSession() : sessions.get(request.headers["mcp-session-id"]);
  if (!session) return response.writeHead(404).end();
  if (message.id !== undefined && message.method !== undefined) {
    response.writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": session.id });
    session.open.set(JSON.stringify(message.id), response);
  } else {
    response.writeHead(202).end();
  }
  const code = message.method === "tools/call" && tools[message.params?.name];
  if (code) Object.assign(message.params, { name: "run_python_code", arguments: { code } });
  session.child.stdin.write(JSON.stringify(message) + "\n");
});
server.listen(Number(port), "127.0.0.1", () => console.log("ready"));
process.on("SIGTERM", () => {
  for (const s of sessions.values()) s.child.stdin.end();
  server.close();
  server.closeAllConnections();
});
