// A login against a real OpenID provider: the client finds the provider by the
// service's own words, gets a token, and works with it. Then what the provider
// gives for another service, or for less, opens nothing.
import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { start } from './service.mjs'

const { at, url, issuer, id, secret, token, stop } = await start()
const status = async (bearer, path, body) => (await fetch(at + path, {
  method: 'POST', headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }, body: JSON.stringify(body),
})).status

try {
  const client = new Client({ name: 'login', version: '1' })
  const authProvider = new ClientCredentialsProvider({ clientId: id, clientSecret: secret, expectedIssuer: issuer, scope: 'run check' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }))
  const { tools } = await client.listTools()
  assert.ok(tools.some((t) => t.name === 'run_python_code'))
  const steps = []
  const run = (code, options) => client.callTool({ name: 'run_python_code', arguments: { code } }, undefined, options)
  const ran = await run('print(6 * 7)', { onprogress: (p) => steps.push(p.message) })
  assert.equal(ran.content[0].text, '42')
  assert.ok(steps.includes('running in the sandbox'), steps.join())
  const denied = await run('import os; os.system("id")')
  assert.equal(denied._meta['sallyport/result'].status, 'denied')
  const given = new AbortController()
  await assert.rejects(run('import time; time.sleep(100)', { signal: given.signal, onprogress: (p) => p.message === 'running in the sandbox' && given.abort() }))
  await client.close()

  const program = { language: 'python', code: 'print(1)' }
  assert.equal(await status(await token(url, 'run'), '/v1/run', program), 200)
  assert.equal(await status(await token(url, 'check'), '/v1/run', program), 403, 'a token that may only check runs')
  assert.equal(await status(await token('https://other.example/mcp', 'run'), '/v1/run', program), 401, 'a token for another service runs')
  assert.equal(await status(await token('', 'run'), '/v1/run', program), 401, 'a token that is none of JWT runs')
  console.log('login: found the provider, listed, ran, saw progress, was denied, cancelled; three tokens opened nothing')
} finally {
  await stop()
}
