import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { isAlive } from '../../src/machine/processTable.ts';
import { connectToAdapter } from './debugAdapter.ts';
import { Hold } from './debugHold.ts';
import { launch } from './launch.ts';
import { hasPython, python } from './pythonSdk.ts';
import {
  afterwards,
  Api,
  cleanUp,
  dataDirectory,
  endpointBody,
  eventually,
  fixtures,
  platformForTest,
} from './support.ts';

/** What the handler of fixtures/preload returns. */
interface Report {
  readonly version: number;
  readonly pid: number;
  readonly parent: number;
  readonly size: number;
  readonly random: number;
  readonly name: string;
  readonly file: string;
}

describe('x-local.preload', () => {
  let api: Api;
  let directory: string;

  before(function () {
    if (process.platform === 'win32' || !hasPython()) this.skip();
  });

  beforeEach(async () => {
    directory = await realpath(await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-preload-')));
    afterwards(() => rm(directory, { recursive: true, force: true }));
    await cp(path.join(fixtures, 'preload'), directory, { recursive: true });
    ({ api } = await platformForTest());
  });

  afterEach(cleanUp);

  const create = (changes: Partial<CreateEndpointBody> = {}): Promise<Endpoint> =>
    api.createEndpoint({
      image: `process:${directory}`,
      cmd: [python, 'handler.py'],
      workers: { min: 1, max: 1 },
      'x-local': { preload: ['model:load'] },
      ...changes,
    });
  const write = (name: string, text: string) => writeFile(path.join(directory, name), text);
  const edit = async (name: string, change: (text: string) => string) =>
    write(name, change(await readFile(path.join(directory, name), 'utf8')));
  const save = (...names: string[]) =>
    api.call(controlOperations.restartWorkers, { body: { files: names.map((name) => path.join(directory, name)) } });
  const report = async (endpoint: Endpoint): Promise<Report> =>
    (await api.runSync(endpoint, { do: 'report' })).output as Report;
  const loads = async (): Promise<number> =>
    (await readFile(path.join(directory, 'loads'), 'utf8')).trim().split('\n').length;
  const saveVersion = async (version: number) => {
    await edit('handler.py', (text) => text.replace(/VERSION = \d+/, `VERSION = ${version}`));
    await save('handler.py');
  };

  it('keeps the model loaded when the handler is saved, and runs the new handler as the main program', async () => {
    const endpoint = await create();
    const first = await report(endpoint);
    await saveVersion(2);
    const second = await report(endpoint);
    await saveVersion(3);
    const third = await report(endpoint);
    assert.deepEqual(
      [first, second, third].map(({ version }) => version),
      [1, 2, 3],
    );
    assert.equal(await loads(), 1);
    assert.equal(new Set([first, second, third].map(({ pid }) => pid)).size, 3);
    assert.equal(new Set([first, second, third].map(({ parent }) => parent)).size, 1);
    assert.equal(new Set([first, second, third].map(({ random }) => random)).size, 3);
    assert.deepEqual([third.name, third.file], ['__main__', path.join(directory, 'handler.py')]);
    assert.equal(isAlive(first.pid), false);
  });

  it('shares the memory of the model between the workers of an endpoint', async () => {
    const bytes = 256 * 2 ** 20;
    const endpoint = await create({ env: { MODEL_BYTES: String(bytes) }, workers: { min: 2, max: 2 } });
    await saveVersion(2);
    await eventually('both workers are idle', async () => {
      const workers = await api.workers(endpoint);
      return workers.length === 2 && workers.every(({ status }) => status === 'IDLE');
    });
    const { output } = await api.runSync(endpoint, { do: 'memory' });
    const { Rss = 0, Private_Clean = 0, Private_Dirty = 0, Pss = 0 } = output as Record<string, number>;
    const modelKb = bytes / 1024;
    assert.ok(Rss > modelKb, `Rss ${Rss} kB`);
    assert.ok(Private_Clean + Private_Dirty < modelKb / 4, `private ${Private_Clean + Private_Dirty} kB`);
    // The preloading process and both workers share the pages.
    assert.ok(Pss < modelKb / 2, `Pss ${Pss} kB`);
    assert.equal(await loads(), 1);
  });

  it('says in the log of the worker that the model stayed loaded', async () => {
    const endpoint = await create();
    const { id } = await api.worker(endpoint, 'IDLE');
    await saveVersion(2);
    const events = await api.logsUntil(endpoint, id, ({ line }) => line.startsWith('forked in '));
    const lines = events.map(({ line }) => line.replace(/\d+(\.\d+)? (m?s)/, 'N $2'));
    assert.ok(lines.includes('preload: load model:load'));
    assert.ok(
      lines.includes('preload: model:load loaded in N s; they stay loaded when the worker restarts'),
      lines.join('\n'),
    );
    assert.ok(lines.includes('forked in N ms; model:load stayed loaded'), lines.join('\n'));
  });

  it('lets a busy worker finish its job, and forks its replacement from the same process', async () => {
    const endpoint = await create();
    await report(endpoint);
    const waiting = await api.run(endpoint, { do: 'wait' });
    await api.jobWithStatus(endpoint, waiting.id, 'IN_PROGRESS');
    await saveVersion(2);
    await write('go', '');
    const { output } = await api.jobWithStatus(endpoint, waiting.id, 'COMPLETED');
    assert.equal((output as Report).version, 1);
    assert.equal((await report(endpoint)).version, 2);
    assert.equal(await loads(), 1);
  });

  it('survives a crash of the worker, with its exit code in the log', async () => {
    const endpoint = await create();
    const { id } = await api.worker(endpoint, 'IDLE');
    const before = await report(endpoint);
    const crashed = await api.run(endpoint, { do: 'exit' });
    await api.logsUntil(endpoint, id, ({ line }) => line.includes('exited with code 7'));
    await api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: crashed.id } });
    const after = await report(endpoint);
    assert.notEqual(after.pid, before.pid);
    assert.equal(after.parent, before.parent);
    assert.equal(await loads(), 1);
  });

  it('reports a killed worker with its signal', async () => {
    const endpoint = await create();
    const { id } = await api.worker(endpoint, 'IDLE');
    const { pid } = await report(endpoint);
    process.kill(pid, 'SIGKILL');
    await api.logsUntil(endpoint, id, ({ line }) => line.includes('was ended by SIGKILL'));
    assert.notEqual((await report(endpoint)).pid, pid);
    assert.equal(await loads(), 1);
  });

  it('loads again after the preloading process was killed', async () => {
    const endpoint = await create();
    const { pid, parent } = await report(endpoint);
    process.kill(parent, 'SIGKILL');
    const after = await report(endpoint);
    assert.notEqual(after.parent, parent);
    assert.equal(await loads(), 2);
    assert.equal(isAlive(pid), false);
  });

  it('shows a syntax error of the handler, and continues with the loaded model once it is mended', async () => {
    const endpoint = await create();
    const { id } = await api.worker(endpoint, 'IDLE');
    await report(endpoint);
    await edit('handler.py', (text) => text.replace('VERSION = 1', 'VERSION = = 1'));
    await save('handler.py');
    const events = await api.logsUntil(endpoint, id, ({ line }) => line.includes('SyntaxError: invalid syntax'));
    const output = events.filter(({ source }) => source === 'container').map(({ line }) => line);
    assert.match(output.join('\n'), /^ {2}File ".*handler\.py", line \d+\n/, 'the traceback begins with the handler');
    await edit('handler.py', (text) => text.replace('VERSION = = 1', 'VERSION = 2'));
    await save('handler.py');
    assert.equal((await report(endpoint)).version, 2);
    assert.equal(await loads(), 1);
  });

  it('imports other modules of the worker anew, also after they were deleted and renamed', async () => {
    await write('helper.py', 'ANSWER = 1\n');
    await edit('handler.py', (text) => text.replace('VERSION = 1', 'import helper\nVERSION = helper.ANSWER'));
    const endpoint = await create();
    const { id } = await api.worker(endpoint, 'IDLE');
    assert.equal((await report(endpoint)).version, 1);
    await rename(path.join(directory, 'helper.py'), path.join(directory, 'renamed.py'));
    await save('helper.py', 'renamed.py');
    const failed = "ModuleNotFoundError: No module named 'helper'";
    await api.logsUntil(endpoint, id, ({ line }) => line === failed);
    await write('renamed.py', 'ANSWER = 1234\n');
    await edit('handler.py', (text) =>
      text.replace('import helper\nVERSION = helper.', 'import renamed\nVERSION = renamed.'),
    );
    await save('handler.py', 'renamed.py');
    assert.equal((await report(endpoint)).version, 1234);
    assert.equal(await loads(), 1);
  });

  it('loads again after a change of a file that the preload has read, and names it', async () => {
    await write('size.txt', '1000');
    await edit('model.py', (text) =>
      text.replace('int(os.environ.get("MODEL_BYTES", "1000000"))', 'int(open("size.txt").read())'),
    );
    const endpoint = await create();
    const { id } = await api.worker(endpoint, 'IDLE');
    const before = await report(endpoint);
    await write('size.txt', '2000');
    await save('size.txt');
    const after = await report(endpoint);
    assert.deepEqual([before.size, after.size, await loads()], [1_000, 2_000, 2]);
    await edit('model.py', (text) => `${text}\n# changed\n`);
    await save('model.py');
    await report(endpoint);
    assert.equal(await loads(), 3);
    const changed = (name: string) => `preload: load again, because ${path.join(directory, name)} has changed`;
    const events = await api.logsUntil(endpoint, id, ({ line }) => line === changed('model.py'));
    assert.ok(events.some(({ line }) => line === changed('size.txt')));
    await eventually('the earlier processes have ended', () => !isAlive(before.parent) && !isAlive(after.parent));
  });

  describe('starts the worker as a whole, and names the reason', () => {
    const cases: Readonly<Record<string, readonly [code: string, reason: RegExp]>> = {
      'a thread': [
        'import threading, time\nthreading.Thread(target=time.sleep, args=(600,), name="beat", daemon=True).start()',
        /threads run: beat$/,
      ],
      'a thread that Python does not know': [
        'import _thread, time\n_thread.start_new_thread(time.sleep, (600,))',
        /native threads run: 1$/,
      ],
      'a connection': ['import socket\nKEPT = socket.create_server(("127.0.0.1", 0))', /a connection is open$/],
      'an event loop': [
        'import asyncio\nKEPT = asyncio.new_event_loop()',
        /an event loop is open|a connection is open/,
      ],
      'a subprocess': ['import subprocess\nKEPT = subprocess.Popen(["sleep", "600"])', /a subprocess runs$/],
      'an initialized GPU': [
        'import sys, types\ntorch = types.ModuleType("torch")\ntorch.cuda = types.SimpleNamespace(is_initialized=lambda: True)\nsys.modules["torch"] = torch',
        /CUDA is initialized$/,
      ],
      'an exception': ['raise ValueError("no weights")', /warm failed: ValueError: no weights$/],
      'an exit': ['raise SystemExit(3)', /warm failed: SystemExit: 3$/],
      'a crash': [
        'import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)',
        /the process that loads them ended with SIGSEGV$/,
      ],
      'closed descriptors': ['import os\nos.closerange(3, 100)', /the process that loads them ended with code 0$/],
    };
    for (const [name, [code, reason]] of Object.entries(cases)) {
      it(`after ${name}`, async function () {
        if (process.platform !== 'linux' && /Python does not know|event loop/.test(name)) this.skip();
        await write('warm.py', `${code}\n`);
        const endpoint = await create({ 'x-local': { preload: ['warm'] } });
        const { id } = await api.worker(endpoint, 'IDLE');
        const first = await report(endpoint);
        const isReason = ({ line }: { readonly line: string }) =>
          line.startsWith('preload: the worker starts as a whole');
        const events = await api.logsUntil(endpoint, id, isReason);
        assert.match(events.at(-1)?.line ?? '', reason);
        await saveVersion(2);
        const second = await report(endpoint);
        assert.deepEqual([second.version, second.parent], [2, process.pid]);
        assert.equal(first.parent, process.pid);
        await eventually('only the worker runs', async () => (await processesIn(directory)).length === 1);
      });
    }

    it('until the files change', async () => {
      await write(
        'warm.py',
        'import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n',
      );
      const endpoint = await create({ 'x-local': { preload: ['model:load', 'warm'] } });
      await report(endpoint);
      assert.equal(await loads(), 2, 'once by the preload, and once by the worker');
      await saveVersion(2);
      await report(endpoint);
      assert.equal(await loads(), 3, 'only by the worker');
      await write('warm.py', '');
      await save('warm.py');
      await report(endpoint);
      assert.equal(await loads(), 4);
      await saveVersion(3);
      assert.equal((await report(endpoint)).version, 3);
      assert.equal(await loads(), 4);
    });

    it('for names without a module or function', async () => {
      for (const [entry, reason] of [
        ['missing', "missing failed: ModuleNotFoundError: No module named 'missing'"],
        ['model:missing', "model:missing failed: AttributeError: module 'model' has no attribute 'missing'"],
        ['os:abort', 'the process that loads them ended with SIGABRT'],
        ['sys:exit', 'sys:exit failed: SystemExit'],
        ['builtins:dir', undefined],
      ] as const) {
        const endpoint = await create({ name: entry, 'x-local': { preload: [entry] } });
        const { id } = await api.worker(endpoint, 'IDLE');
        const last = reason === undefined ? 'loaded in' : 'starts as a whole';
        const events = await api.logsUntil(endpoint, id, ({ line }) => line.includes(last));
        if (reason !== undefined)
          assert.ok(
            events.at(-1)?.line.startsWith(`preload: the worker starts as a whole, because ${reason}`),
            events.at(-1)?.line,
          );
        await report(endpoint);
        await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
      }
    });

    it('for Python without a script', async () => {
      const endpoint = await create({ cmd: [python, '-'] });
      const { id } = await eventually('a worker', async () => (await api.workers(endpoint))[0]);
      await api.logsUntil(endpoint, id, ({ line }) =>
        line.endsWith('because its command does not start a script or a module with Python'),
      );
    });
  });

  it('refuses a command that is not Python, also in an update', async () => {
    const message =
      '$.x-local.preload: needs a directory and a command that starts Python itself, such as python handler.py';
    const preload = { 'x-local': { preload: ['model'] } };
    const other = { ...endpointBody(), ...preload, cmd: ['sh', '-c', `exec ${python} handler.py`] };
    assert.deepEqual((await api.refused(400, operations.createEndpoint, { body: other })).errors, [message]);
    const inContainer = { ...endpointBody(), ...preload, image: 'example.com/python:1', cmd: [python, 'handler.py'] };
    assert.deepEqual((await api.refused(400, operations.createEndpoint, { body: inContainer })).errors, [message]);
    const { id } = await create();
    const update = (status: number, body: object) =>
      api.refused(status, operations.updateEndpoint, { parameters: { id }, body });
    assert.deepEqual((await update(400, { cmd: ['node', 'a.mjs'] })).errors, [
      message.replace('x-local.preload', 'cmd'),
    ]);
    await api.call(operations.updateEndpoint, { parameters: { id }, body: { 'x-local': {}, cmd: ['node', 'a.mjs'] } });
    assert.deepEqual((await update(400, preload)).errors, [message]);
  });

  it('refuses names that are no modules or functions', async () => {
    for (const entry of [
      '',
      'os;x',
      'a b',
      '-c',
      '../model',
      'model:',
      ':load',
      'model:load()',
      'a\nb',
      'a..b',
      '1a',
      'model:a:b',
    ]) {
      const body = { ...endpointBody(), cmd: [python, 'handler.py'], 'x-local': { preload: [entry] } };
      const { errors } = await api.refused(400, operations.createEndpoint, { body });
      assert.deepEqual(errors, ['$.x-local.preload[0]: must be module or module:function, such as model:load']);
    }
  });

  it('passes SIGTERM to the worker, and keeps its last output', async () => {
    await edit('handler.py', (text) =>
      text.replace(
        'VERSION = 1',
        'import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: (print("drained"), sys.exit(5)))\nVERSION = 1',
      ),
    );
    const endpoint = await create();
    const { id } = await api.worker(endpoint, 'IDLE');
    await save('handler.py');
    const events = await api.logsUntil(endpoint, id, ({ line }) => line === 'process exited with code 5');
    assert.ok(events.some(({ line }) => line === 'drained'));
  });

  it('runs modules, and passes arguments', async () => {
    await edit('handler.py', (text) => text.replace('VERSION = 1', 'import sys\nVERSION = sys.argv[1:]'));
    const endpoint = await create({ cmd: [python, '-u', '-m', 'handler', 'a', '-b'] });
    const { version, name } = await report(endpoint);
    assert.deepEqual([version, name], [['a', '-b'], '__main__']);
  });

  it('ends daemons of a fork, and then forks again', async function () {
    if (process.platform !== 'linux') this.skip();
    const daemon = `import subprocess\nsubprocess.run(["sh", "-c", "env -i setsid sleep 600 </dev/null >/dev/null 2>&1 &"])\n`;
    await edit('handler.py', (text) => text.replace('VERSION = 1', `${daemon}VERSION = 1`));
    const endpoint = await create();
    await report(endpoint);
    assert.equal((await processesIn(directory)).length, 3);
    await saveVersion(2);
    assert.equal((await report(endpoint)).version, 2);
    assert.equal((await processesIn(directory)).length, 3);
    assert.equal(await loads(), 1);
  });

  it('imports the public SDK anew in each fork, because it reads its addresses when it is imported', async () => {
    await mkdir(path.join(directory, 'runpod'));
    await write('runpod/__init__.py', 'from runpod.addresses import WORKER\n');
    await write('runpod/addresses.py', 'import os\nWORKER = os.environ.get("RUNPOD_WEBHOOK_GET_JOB")\n');
    await edit('handler.py', (text) =>
      text.replace('VERSION = 1', 'import runpod\nVERSION = runpod.WORKER == os.environ["RUNPOD_WEBHOOK_GET_JOB"]'),
    );
    const endpoint = await create({ 'x-local': { preload: ['runpod', 'model:load'] } });
    assert.equal((await report(endpoint)).version, true);
    await save('handler.py');
    assert.equal((await report(endpoint)).version, true);
    assert.equal(await loads(), 1);
  });

  it('gives a fork the environment of its run alone', async () => {
    await write('seen.py', 'import json, os\nSEEN = sorted(os.environ)\n');
    await edit('handler.py', (text) =>
      text.replace('VERSION = 1', 'import seen\nVERSION = [seen.SEEN, sorted(os.environ)]'),
    );
    const endpoint = await create({ env: { GREETING: 'Hi' }, 'x-local': { preload: ['seen'] } });
    const [preloaded, forked] = (await report(endpoint)).version as unknown as [string[], string[]];
    assert.ok(preloaded.includes('GREETING') && forked.includes('GREETING'));
    assert.ok(forked.includes('RUNPOD_WEBHOOK_GET_JOB') && !preloaded.includes('RUNPOD_WEBHOOK_GET_JOB'));
    assert.ok(![...preloaded, ...forked].includes('GLIBC_TUNABLES'));
  });

  it('serves requests from a fork of a load-balanced endpoint, on a port of its own', async () => {
    await write(
      'server.py',
      `import http.server, os\nimport model\nMODEL = model.load()\nclass Handler(http.server.BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(200)\n        self.end_headers()\n        self.wfile.write(b"%d" % len(MODEL))\nhttp.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()\n`,
    );
    const endpoint = await create({
      ...{ type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 }, cmd: [python, 'server.py'] },
      env: { PORT: '8000', PORT_HEALTH: '8000' },
    });
    const { id } = await api.worker(endpoint, 'IDLE');
    await save('server.py');
    await api.logsUntil(endpoint, id, ({ line }) => line.startsWith('forked in '));
    const url = `${api.addresses.endpointHost.replace('{endpoint_id}', endpoint.id)}/`;
    const response = await fetch(url, { headers: { Authorization: `Bearer ${api.addresses.apiKey}` } });
    assert.equal(await response.text(), '1000000');
    assert.equal(await loads(), 1);
  });

  it('measures the start of the whole worker', async () => {
    const endpoint = await create();
    await report(endpoint);
    const parameters = { endpointId: endpoint.id };
    const response = await api.fetch(controlOperations.xRayStart, { parameters });
    assert.match(await response.text(), /"event":"ready"/);
    assert.equal(await loads(), 2);
  });

  it('ends all processes with the endpoint, and with the platform', async () => {
    const endpoint = await create();
    const { pid, parent } = await report(endpoint);
    await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    await eventually('both have ended', () => !isAlive(pid) && !isAlive(parent));
  });

  it('ends the process that loads when its endpoint is deleted, at any time', async function () {
    if (process.platform !== 'linux') this.skip();
    for (let turn = 0; turn < 20; turn++) {
      const { id } = await create({ name: `turn ${turn}` });
      await new Promise((resolve) => setImmediate(resolve));
      await api.call(operations.deleteEndpoint, { parameters: { id } });
    }
    await eventually('no process runs', async () => (await processesIn(directory)).length === 0);
  });

  it('leaves no process when the platform is killed, also while it loads', async function () {
    if (process.platform !== 'linux') this.skip();
    await write('slow.py', 'import time\nopen("loading", "w").close()\ntime.sleep(600)\n');
    const platform = launch(['--json', '--data-dir', await dataDirectory()]);
    api = new Api(await platform.announcement());
    const endpoint = await create();
    await report(endpoint);
    await create({ name: 'slow', 'x-local': { preload: ['slow'] } });
    await eventually('it loads', async () => (await readdir(directory)).includes('loading'));
    assert.equal((await processesIn(directory)).length, 3);
    platform.kill('SIGKILL');
    await platform.exit;
    await eventually('no process runs', async () => (await processesIn(directory)).length === 0);
  });

  it('debugs a fork, which keeps the model loaded', async function () {
    const debugged = '/usr/bin/python3';
    const found = await promisify(execFile)(debugged, ['-c', 'import debugpy']).catch(() => undefined);
    if (!found) this.skip();
    const endpoint = await create({ cmd: [debugged, 'handler.py'] });
    await report(endpoint);
    const hold = new Hold(api, endpoint);
    const { port = 0, language } = await hold.event('ready');
    assert.equal(language, 'python');
    const adapter = await connectToAdapter(port);
    afterwards(() => adapter.close());
    await adapter.attach(path.join(directory, 'handler.py'), 'value = job["input"]');
    await api.run(endpoint, { do: 'report' });
    assert.equal(await adapter.stopped(), 'handler');
    await adapter.resume();
    assert.equal(await loads(), 1);
  });
});

/** Linux: returns the PIDs of the processes with this working directory. */
async function processesIn(directory: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_, index) => found[index] === directory);
}
