// Approvals by another person, from end to end: what the TypeScript SDK and FastMCP
// ask to run waits until somebody else, logged in at the provider, answers it, with
// the shipped command or over HTTP. Then what must run nothing.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { start } from './service.mjs'

const waits = "waiting for a person's approval"
const program = 'import random\nprint(6 * 7)'
const command = (...args) => promisify(execFile)(process.env.SALLYPORT, args)
const dir = mkdtempSync(join(tmpdir(), 'spa.'))

// agent is a client that has logged in, and its ways to call.
async function agent({ url, issuer, id, secret }) {
  const client = new Client({ name: 'approvals', version: '1' })
  const authProvider = new ClientCredentialsProvider({ clientId: id, clientSecret: secret, expectedIssuer: issuer, scope: 'run check' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }))
  const call = (code, options) => client.callTool({ name: 'run_python_code', arguments: { code } }, undefined, { timeout: 500_000, ...options })
  // run returns the call, once it waits, and how to give it up.
  const run = async (code) => {
    const given = new AbortController()
    let answer
    await new Promise((resolve, reject) => {
      answer = call(code, { signal: given.signal, onprogress: (p) => p.message === waits && resolve() })
      answer.then((a) => reject(new Error(`it does not wait, but answers ${JSON.stringify(a)}`)), reject)
    })
    return { answer, leave: () => (given.abort(), assert.rejects(answer)) }
  }
  return { call, run, close: () => client.close() }
}

// approver is somebody with the shipped command and a token of their own login.
async function approver(service, who) {
  const bearer = await service.token(service.url, 'approve', who)
  const file = join(dir, who)
  writeFileSync(file, bearer, { mode: 0o600 })
  const approvals = async (...args) => (await command('approvals', ...args, '--server', service.at, '--token-file', file)).stdout
  const list = async () => JSON.parse(await approvals('list', '--format', 'json')).approvals
  // only is the one that waits, as soon as there is one: a client hears of it before.
  const only = async () => {
    for (;;) {
      const all = (await list()).filter((a) => a.state === 'waiting')
      assert.ok(all.length < 2, JSON.stringify(all))
      if (all.length) return all[0].id
    }
  }
  return { approvals, list, only, bearer }
}

// Who is told of what waits.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const heard = []
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (b) => (body += b))
  request.on('end', () => {
    heard.push(new Webhook(secret).verify(body, request.headers).data)
    response.end()
  })
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')
writeFileSync(join(dir, 'hook'), secret)

const service = await start(`{by: [group:approvers], not: requester, webhook: {url: "http://127.0.0.1:${receiver.address().port}", secret_file: ${join(dir, 'hook')}}}`)
let brief
try {
  const asks = await agent(service)
  const [own, other, none] = [await approver(service, 'agent'), await approver(service, 'approver'), await approver(service, 'builder')]

  // One waits with progress; who asks cannot approve, somebody else can.
  const first = await asks.run(program)
  const id = await other.only()
  await assert.rejects(own.approvals('approve', id), /who asks cannot approve/)
  await assert.rejects(none.approvals('approve', id), /does not name you/)
  const shown = await other.approvals('show', id)
  assert.ok(shown.includes('   2 | print(6 * 7)') && shown.includes(`"${service.issuer}|agent"`), shown)
  assert.match(await other.approvals('approve', id, '--reason', 'as agreed'), /^approved .* may run it once, until /)
  assert.equal((await first.answer).content[0].text, '42')

  // It was for one run. A changed one does not find the yes of another, which waits
  // for its own.
  const second = await asks.run(program)
  const again = await other.only()
  await assert.rejects(other.approvals('approve', id), /nothing waits by this name/)
  await second.leave()
  await other.approvals('approve', again)
  const changed = await asks.run(program + ' ')
  const unlike = await other.only()
  await changed.leave()
  await other.approvals('decline', unlike, '--reason', 'not today')
  const declined = await asks.call(program + ' ')
  assert.equal(declined._meta['sallyport/result'].status, 'denied', JSON.stringify(declined))
  assert.equal((await asks.call(program)).content[0].text, '42')
  const replayed = await asks.run(program)
  await other.approvals('decline', await other.only())
  assert.equal((await replayed.answer)._meta['sallyport/result'].status, 'denied')
  await asks.close()

  // Another client, of another principal, whose answer comes over HTTP.
  const python = spawn(process.env.VENV_PYTHON, [process.env.FASTMCP_ASKS], {
    stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, SERVICE: JSON.stringify({ ...service, id: 'builder' }), PROGRAM: program },
  })
  const lines = createInterface(python.stdout)[Symbol.asyncIterator]()
  assert.equal((await lines.next()).value, waits)
  const answered = await fetch(`${service.at}/v1/approvals/${await other.only()}`, {
    method: 'POST', headers: { authorization: `Bearer ${other.bearer}`, 'content-type': 'application/json' }, body: '{"answer": "approve", "reason": "over HTTP"}',
  })
  assert.equal(answered.status, 200, await answered.text())
  assert.equal((await lines.next()).value, '42')
  assert.deepEqual(await once(python, 'exit'), [0, null])

  // One that expires runs nothing, and its answer comes too late.
  brief = await start('{by: [group:approvers], within: 2s}')
  const hurried = await agent(brief)
  const late = await hurried.run(program)
  const result = await late.answer
  assert.equal(result._meta['sallyport/result'].status, 'denied', JSON.stringify(result))
  assert.deepEqual(await (await approver(brief, 'approver')).list(), [])
  await hurried.close()

  // On record: three runs, each behind the answer of who approved it.
  const records = async ({ config }) => (await command('--config', config, 'audit', 'search', '--format', 'json')).stdout.trim().split('\n').map((l) => JSON.parse(l))
  const told = await records(service)
  const ends = told.filter((r) => r.event === 'end')
  assert.equal(ends.length, 3)
  for (const end of ends) {
    const yes = told.filter((r) => r.event === 'approval' && r.answer === 'accepted' && r.seq < end.seq && r.decision === end.decision)
    assert.ok(yes.some((r) => r.approval.by.subject === 'approver' && r.approval.by.how === 'oauth'), JSON.stringify(yes))
  }
  assert.ok(told.some((r) => r.event === 'access' && r.caller.principal.subject === 'agent' && /who asks cannot approve/.test(r.note)))
  while (heard.length < 5) await setTimeout(10)
  assert.deepEqual(heard.map((t) => [t.requester, t.rules.join()]), ['agent', 'agent', 'agent', 'agent', 'builder'].map((who) => [`${service.issuer}|${who}`, 'own/chance']))
  assert.equal(heard[0].id, id)
  assert.equal((await records(brief)).filter((r) => r.event === 'end').length, 0)
  console.log('approvals: waited with progress, told of it, approved by another login, once; own, replayed, changed, declined and expired ones ran nothing: ok')
} finally {
  await service.stop()
  await brief?.stop()
  receiver.close()
  rmSync(dir, { recursive: true })
}
