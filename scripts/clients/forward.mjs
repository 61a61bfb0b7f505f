// A forwarder on loopback to a service that wants a token, for test suites that
// have none, with $SERVICE as service.mjs describes it.
// Messages pass unchanged, also Host and Origin, as the suite sends them. The one
// exception: a call of a tool that $TOOLS, a JSON file, has a Python program for
// is passed on as a call of run_python_code with that program.
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'

const { url, token } = JSON.parse(process.env.SERVICE)
const tools = JSON.parse(readFileSync(process.env.TOOLS))
const own = (host) => [`127.0.0.1:${server.address().port}`, `localhost:${server.address().port}`].includes(host)

function translated(body, headers) {
  const message = body.length && JSON.parse(body)
  const code = message?.method === 'tools/call' && tools[message.params?.name]
  if (!code) return body
  Object.assign(message.params, { name: 'run_python_code', arguments: { code } })
  if (headers['mcp-name']) headers['mcp-name'] = 'run_python_code'
  return Buffer.from(JSON.stringify(message))
}

const server = createServer(async (from, to) => {
  const parts = []
  for await (const part of from) parts.push(part)
  const headers = { ...from.headers, authorization: `Bearer ${token}` }
  // What names the forwarder names the service; anything else is the suite's doing.
  if (own(headers.host)) headers.host = new URL(url).host
  if (own(headers.origin?.replace('http://', ''))) headers.origin = new URL(url).origin
  const body = translated(Buffer.concat(parts), headers)
  delete headers['transfer-encoding']
  if (body.length) headers['content-length'] = body.length
  const on = request(url, { method: from.method, headers }, (answer) => {
    to.writeHead(answer.statusCode, answer.headers)
    answer.pipe(to)
  })
  on.on('error', () => to.destroy())
  to.on('close', () => on.destroy())
  on.end(body)
})
server.listen(0, '127.0.0.1', () => console.log(`ready ${server.address().port}`))
