// A thin bridge from Streamable HTTP on loopback to a STDIO server, for test
// suites that speak HTTP only: bridge.mjs PORT COMMAND ARG...
// A session of HTTP is one process. Messages pass unchanged; what the server
// says about a request goes on that request's stream.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [port, command, ...args] = process.argv.slice(2);
const sessions = new Map();

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
  session.child.stdin.write(JSON.stringify(message) + "\n");
});
server.listen(Number(port), "127.0.0.1", () => console.log("ready"));
process.on("SIGTERM", () => {
  for (const s of sessions.values()) s.child.stdin.end();
  server.close();
  server.closeAllConnections();
});
