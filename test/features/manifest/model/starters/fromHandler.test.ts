import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { operations } from '../../../../../src/contract/operations.ts';
import { detectHandler } from '../../../../../src/features/manifest/model/starters/detectHandler.ts';
import { handlerSections } from '../../../../../src/features/manifest/model/starters/fromHandler.ts';
import { Routes } from '../../../../platform/balancerSupport.ts';
import { cleanUp, platformForTest, repository } from '../../../../platform/support.ts';
import { LANGUAGES, localBody, manifestOf, problemsOf } from './starters.ts';

const workers = path.join(import.meta.dirname, 'workers');
const samples = path.join(repository, 'samples');

/** Returns the sections of an endpoint that runs a file, which is relative to the manifest's folder. */
async function sectionsOf(folder: string, file: string, python = 'python3') {
  const handler = detectHandler(path.basename(file), await readFile(path.join(folder, file), 'utf8'));
  assert.ok(handler, `${file} is a worker`);
  return handlerSections(handler, { name: 'made', directory: path.posix.dirname(file), python });
}

const manifest = async (file: string, python?: string) =>
  manifestOf(await sectionsOf(workers, file, python)) as Record<string, unknown>;

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version']);
    return true;
  } catch {
    return false;
  }
}

describe('handlerSections', () => {
  after(cleanUp);

  for (const file of ['sdk/handler.py', 'asgi/main.py', 'flask/app.py', 'plain/fixed.py', 'node/worker.cjs'])
    it(`makes a manifest without problems on the local platform for ${file}`, async () => {
      const sections = await sectionsOf(workers, file);
      for (const language of LANGUAGES) assert.deepEqual(problemsOf(sections, { language, target: 'local' }), []);
    });

  it('needs only an image for a hosted platform', async () => {
    const sections = await sectionsOf(workers, 'plain/server.py');
    const complete = sections.map(({ fields, proposed }) => ({ fields: { ...fields, ...proposed } }));
    for (const language of LANGUAGES) {
      assert.deepEqual(problemsOf(sections, { language, target: 'hosted' }), [
        "'image' is missing: set image or templateId",
      ]);
      assert.deepEqual(problemsOf(complete, { language, target: 'hosted' }), []);
    }
  });

  it('sets the type, the hardware, the folder, and the command of a queue worker', async () => {
    const { type, gpu, cpu, env, 'x-local': local } = await manifest('sdk/handler.py', '../.venv/bin/python');
    assert.equal(type, 'QUEUE');
    assert.deepEqual([gpu !== undefined, cpu, env], [true, undefined, undefined]);
    assert.deepEqual(local, { directory: 'sdk', command: '../.venv/bin/python -u handler.py', gpu: 'ignore' });
    assert.deepEqual((await manifest('node/worker.cjs'))['x-local'], { directory: 'node', command: 'node worker.cjs' });
  });

  it('sets the port and the health path of a server', async () => {
    const { type, ports, env } = await manifest('asgi/main.py');
    assert.deepEqual([type, ports], ['LOAD_BALANCER', ['8000/http']]);
    assert.deepEqual(env, { PORT: '8000', PORT_HEALTH: '8000', HEALTH_CHECK_PATH: '/health' });
    const fixed = await manifest('express/index.js');
    assert.deepEqual(fixed['env'], { PORT: '3000', PORT_HEALTH: '3000', HEALTH_CHECK_PATH: '/healthz' });
  });

  it('serves the application object of a file that starts no server', async () => {
    const command = async (file: string) => (await manifest(file))['x-local'] as { readonly command: unknown };
    const where = "host='127.0.0.1', port=int(os.environ['PORT'])";
    const python = ['python3', '-u', '-c'];
    assert.deepEqual((await command('asgi/main.py')).command, [
      ...python,
      `import os, uvicorn; uvicorn.run('main:app', ${where})`,
    ]);
    assert.deepEqual((await command('flask/app.py')).command, [
      ...python,
      `import os; from app import web; web.run(${where})`,
    ]);
    assert.equal((await command('asgi/self_started.py')).command, 'python3 -u self_started.py');
  });

  it('runs the queue sample on the local platform', async () => {
    const { api } = await platformForTest();
    const folder = path.join(samples, 'hello-queue');
    const body = await localBody(await sectionsOf(folder, 'hello/handler.mjs'), folder);
    const endpoint = await api.call(operations.createEndpoint, { body });
    const job = await api.runSync(endpoint, { name: 'you', seconds: 0 });
    assert.deepEqual(job.output, { greeting: 'Hello, you!' });
  });

  it('runs the load-balanced sample on the local platform', async () => {
    const { api } = await platformForTest();
    const folder = path.join(samples, 'hello-balanced');
    const body = await localBody(await sectionsOf(folder, 'hello/server.mjs'), folder, 'json');
    const routes = new Routes(api, await api.call(operations.createEndpoint, { body }));
    const response = await routes.fetch('/greet', { method: 'POST', body: '{"name": "you"}' });
    assert.deepEqual(await response.json(), { greeting: 'Hello, you!' });
  });

  it('runs a Python server on the local platform', async function () {
    if (!hasPython()) this.skip();
    const { api } = await platformForTest();
    const body = await localBody(await sectionsOf(workers, 'plain/server.py'), workers);
    const routes = new Routes(api, await api.call(operations.createEndpoint, { body }));
    assert.equal(await (await routes.fetch('/anything')).text(), 'hello');
  });
});
