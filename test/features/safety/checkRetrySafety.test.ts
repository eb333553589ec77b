import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { hasPython } from '../../platform/pythonSdk.ts';
import { afterwards, cleanUp, eventually } from '../../platform/support.ts';
import { checkImage, checkSample, checkWorker, sampleFolder } from './safetyWorld.ts';

describe('checkRetrySafety', function () {
  this.timeout(240_000);
  afterEach(cleanUp);

  it('finds the charge that is sent again over HTTP, at the call as the smallest reproduction', async () => {
    const { unsafe, smallest, outcomes } = await checkSample('charge');
    assert.equal(smallest, 'killedAtCall:1');
    assert.equal(
      unsafe[smallest],
      'POST /charges is sent again (2 times instead of 1) if the worker is killed after HTTP call 1 (POST /charges) and before its result',
    );
    assert.deepEqual(outcomes, {
      killedBeforeTake: 'safe',
      'killedAtCall:1': 'unsafe',
      killedBeforeResult: 'unsafe',
      resultLost: 'unsafe',
      answerLost: 'safe',
      'expiredAtCall:1': 'unsafe',
      'overlapAtCall:1': 'unsafe',
      twoWorkers: 'unsafe',
    });
  });

  it('finds the line that is appended again, after the progress report that follows it, and keeps the file of the user', async () => {
    const file = path.join(sampleFolder, 'ledger/ledger.csv');
    const before = await readFile(file, 'utf8');
    const { unsafe, smallest, outcomes } = await checkSample('ledger');
    assert.equal(smallest, 'killedAtProgress:1');
    assert.match(
      unsafe[smallest] ?? '',
      /^the file LEDGER_DIR\/ledger\.csv has 3 lines instead of 2 if the worker is killed after progress report 1/,
    );
    assert.deepEqual([outcomes['killedBeforeTake'], outcomes['answerLost']], ['safe', 'safe']);
    assert.equal(await readFile(file, 'utf8'), before);
  });

  it('finds the row that a Python worker inserts again when its result is lost, in the output of a command', async function () {
    if (!hasPython()) this.skip();
    const { unsafe, smallest } = await checkSample('orders');
    assert.equal(smallest, 'killedBeforeResult');
    assert.match(
      unsafe['resultLost'] ?? '',
      /^the command prints “ada 1250” 2 times instead of 1 if the result of the worker is lost$/,
    );
  });

  it('finds nothing in a worker with an idempotency key and complete files', async () => {
    const { outcomes, failure } = await checkSample('safe');
    assert.equal(failure, undefined);
    assert.deepEqual(Object.keys(outcomes), [
      ...['killedBeforeTake', 'killedAtProgress:1', 'killedAtCall:1', 'killedBeforeCall:1'],
      ...['killedAtFile:1', 'killedAtFile:2', 'killedBeforeResult', 'resultLost', 'answerLost'],
      ...['expiredAtProgress:1', 'expiredAtCall:1', 'overlapAtProgress:1', 'overlapAtCall:1', 'twoWorkers'],
    ]);
    assert.deepEqual([...new Set(Object.values(outcomes))], ['safe']);
  });

  it('finds an effect that is lost, because the worker marks its work as done before it is done', async () => {
    const { unsafe, smallest } = await checkWorker(
      `const mark = path.join(process.env.OUT, 'done-' + job.id);
       if (fs.existsSync(mark)) return 'done';
       fs.writeFileSync(mark, '');
       await progress(1);
       fs.writeFileSync(path.join(process.env.OUT, 'result.txt'), 'result');
       return 'done';`,
      { files: { OUT: 'out' } },
    );
    assert.equal(smallest, 'killedAtProgress:1');
    assert.match(unsafe[smallest] ?? '', /^the file OUT\/result\.txt is missing if/);
  });

  it('finds a crash between two changes of files, without a call between them', async () => {
    const { unsafe, outcomes } = await checkWorker(
      `const out = (name) => path.join(process.env.OUT, name);
       if (fs.existsSync(out('done'))) return 'done';
       fs.writeFileSync(out('done'), '');
       const { appendFile } = await import('node:fs/promises');
       await appendFile(out('result.txt'), 'result');
       return 'done';`,
      { files: { OUT: 'out' } },
      { wants: (_, { kind }) => kind.startsWith('killed') },
    );
    assert.deepEqual(outcomes, { killedBeforeTake: 'safe', 'killedAtFile:1': 'unsafe', killedBeforeResult: 'safe' });
    assert.equal(
      unsafe['killedAtFile:1'],
      'the file OUT/result.txt is missing if the worker is killed after file change 1 (OUT/done) and before the next one (OUT/result.txt)',
    );
  });

  it('finds a crash between two changes of files of a Python worker', async function () {
    if (!hasPython()) this.skip();
    const { unsafe } = await checkWorker(
      `const { execFileSync } = await import('node:child_process');
       const program = 'import os\\nout = os.environ["OUT"]\\nif not os.path.exists(out + "/done"):\\n' +
         '    os.mkdir(out + "/done")\\n    open(out + "/result.txt", "w").close()\\n';
       execFileSync('python3', ['-c', program]);
       return 'done';`,
      { files: { OUT: 'out' } },
      { wants: (_, { kind }) => kind === 'killedAtFile' },
    );
    // The program ends, the worker reports a failed job, and no retry follows.
    assert.match(unsafe['killedAtFile:1'] ?? '', /^the file OUT\/result\.txt is missing if/);
  });

  it('finds a crash between a change of a file and a call', async () => {
    const { unsafe, smallest } = await checkWorker(
      `const mark = path.join(process.env.OUT, 'sent');
       if (fs.existsSync(mark)) return 'done';
       fs.writeFileSync(mark, '');
       await fetch(process.env.API + '/mail', { method: 'POST' });
       return 'done';`,
      { files: { OUT: 'out' }, http: { API: { reply: {} } } },
      { wants: (_, { kind }) => kind.startsWith('killed') },
    );
    assert.equal(smallest, 'killedBeforeCall:1');
    assert.equal(
      unsafe[smallest],
      'POST /mail is sent 0 times instead of 1 if the worker is killed just before HTTP call 1 (POST /mail)',
    );
  });

  it('runs two workers in both orders at a call and at a report', async () => {
    const { outcomes, unsafe } = await checkWorker(
      `const shared = path.join(process.env.OUT, '.work');
       fs.writeFileSync(shared, 'x');
       await fetch(process.env.API, { method: 'POST', headers: { 'Idempotency-Key': job.id } });
       await progress(1);
       fs.renameSync(shared, path.join(process.env.OUT, 'result.txt'));
       return 'done';`,
      { files: { OUT: 'out' }, http: { API: { reply: {} } } },
      { wants: (_, { kind }) => /^(expired|overlap)/.test(kind) },
    );
    assert.deepEqual(outcomes, {
      // The first worker fails, and nobody waits for its result.
      'expiredAtProgress:1': 'safe',
      'expiredAtCall:1': 'safe',
      'overlapAtProgress:1': 'unsafe',
      'overlapAtCall:1': 'unsafe',
    });
    assert.equal(
      unsafe['overlapAtCall:1'],
      'the job ends as FAILED instead of COMPLETED if the lease expires after HTTP call 1 (POST /), and the worker finishes while another one is at the same call',
    );
  });

  it('refuses workers in containers without an engine of this machine', async () => {
    const flagged = (...engineFlags: string[]) => checkImage('example.com/test:1', {}, { engineFlags });
    await assert.rejects(
      flagged('--runtime', 'process'),
      /^UserError: no container engine was found; to check the worker as/,
    );
    await assert.rejects(
      flagged('--container-engine', 'ssh://192.0.2.1'),
      /^UserError: the container engine is on another machine \(ssh:\/\/192\.0\.2\.1\), so that/,
    );
    await assert.rejects(
      flagged('--container-engine', 'unix:///nonexistent.sock'),
      /^UserError: the container engine does not respond: .*nonexistent/,
    );
  });

  it('forwards calls to the named server, and records calls through HTTP_PROXY', async () => {
    const received: string[] = [];
    const url = await serverFor((request) => received.push(`${request.method} ${request.url}`));
    const { smallest, notes, failure, outcomes } = await checkWorker(
      `const { request } = await import('node:http');
       await fetch(process.env.API + '/named', { method: 'POST', body: 'x' });
       await fetch(job.input.url + '/fetched', { method: 'POST', body: 'x' });
       await new Promise((resolve, reject) => {
         const call = request(job.input.url + '/requested', { method: 'POST' }, (reply) => reply.resume().on('end', resolve));
         call.on('error', reject).end();
       });
       return 'done';`,
      { http: { API: `${url}/base` } },
      { input: { url }, wants: (_, point) => point.kind === 'killedAtCall' && point.number === 3 },
    );
    assert.deepEqual([failure, outcomes], [undefined, { 'killedAtCall:3': 'unsafe' }]);
    assert.equal(smallest, 'killedAtCall:3');
    assert.deepEqual(notes, []);
    // Two undisturbed runs, and two attempts of the disturbed one.
    assert.deepEqual(
      received,
      Array.from({ length: 4 }, () => ['POST /base/named', 'POST /fetched', 'POST /requested']).flat(),
    );
  });

  it('compares what is stable if effects differ from run to run, and says so', async () => {
    const { unsafe, smallest, notes } = await checkWorker(
      `fs.appendFileSync(path.join(process.env.OUT, 'log.txt'), process.hrtime.bigint() + '\\n');
       await fetch(process.env.API + '/events', { method: 'POST', body: String(process.hrtime.bigint()) });
       return 'done';`,
      { files: { OUT: 'out' }, http: { API: { reply: {} } } },
      { wants: (_, { kind }) => kind === 'killedBeforeTake' || kind === 'resultLost' },
    );
    assert.deepEqual(notes, [
      'The bodies of HTTP calls differ from run to run. Their paths are compared.',
      'The content of the file OUT/log.txt differs from run to run. Its number of lines is compared.',
    ]);
    assert.equal(smallest, 'resultLost');
    assert.match(unsafe['resultLost'] ?? '', /^POST \/events is sent again/);
  });

  it('stops with the reason if the job fails without a disturbance', async () => {
    const { failure, outcomes } = await checkWorker(`throw new Error('no customer');`, {});
    assert.equal(
      failure,
      'the job fails without a disturbance, so its retries cannot be compared: FAILED: Error: no customer',
    );
    assert.deepEqual(outcomes, {});
  });

  it('stops with the reason if a worker cannot start', async () => {
    const { failure } = await checkWorker(`} ; process.exit(7); {`, {});
    assert.match(failure ?? '', /^the worker exited at its start \(exit code/);
  });

  it('stops with the reason if a server cannot be reached', async () => {
    const { failure } = await checkWorker(`await fetch(process.env.API, { method: 'POST' }); return 'done';`, {
      http: { API: 'http://127.0.0.1:1' },
    });
    assert.equal(failure, 'API cannot be reached (ECONNREFUSED)');
  });

  it('stops with the reason if the command fails', async () => {
    const { failure } = await checkWorker(`return 1;`, { command: 'echo no table >&2; exit 3' });
    assert.equal(failure, 'the command “echo no table >&2; exit 3” of x-safety failed: no table');
  });

  it('leaves no process and no folder behind when it is canceled during a disturbed run', async () => {
    const stop = new AbortController();
    const marker = `retry-safety-${process.pid}-${process.hrtime.bigint()}`;
    const scratch = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('cloud-compute-safety-'));
    const before = await scratch();
    const running = checkWorker(
      `await progress(1); return 'done';`,
      {},
      {
        ...{ signal: stop.signal, files: { [`worker/${marker}`]: '' } },
        onEvent: ({ kind }) => {
          if (kind === 'started') stop.abort();
        },
      },
    );
    await assert.rejects(running, (error: Error) => error.name === 'AbortError');
    assert.deepEqual(
      (await scratch()).filter((name) => !before.includes(name)),
      [],
    );
    await eventually('no worker is left', async () => !(await workersWith(marker)));
  });
});

/** Returns whether a process runs in a directory that contains this file. */
async function workersWith(marker: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const files: readonly string[] = await readdir(`/proc/${pid}/cwd`).catch(() => []);
    if (files.includes(marker)) return true;
  }
  return false;
}

/** Starts a server until `cleanUp`. */
async function serverFor(onRequest: (request: IncomingMessage) => void): Promise<string> {
  const server = createServer((request, response) => {
    onRequest(request);
    request.resume().on('end', () => response.end('ok'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
