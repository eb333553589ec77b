import assert from 'node:assert/strict';
import path from 'node:path';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { connectToAdapter } from '../platform/debugAdapter.ts';
import { Hold } from '../platform/debugHold.ts';
import { connectToInspector } from '../platform/inspector.ts';
import { afterwards, eventually, fixtures, type Api } from '../platform/support.ts';
import { debugpyDirectory, DEBUGGED_NODE_IMAGE, DEBUGGED_PYTHON_IMAGE } from './debugImages.ts';

const { attachedDebugger } = controlOperations;

/** Creates an endpoint with this image and environment. */
type Create = (
  image: string,
  env?: Readonly<Record<string, string>>,
) => Promise<{ readonly api: Api; readonly endpoint: Endpoint }>;

/** Debuggers of workers in containers or pods. */
export function describeDebugger(create: Create): void {
  const completes = (api: Api, endpoint: Endpoint, { id }: { readonly id: string }) =>
    api.jobWithStatus(endpoint, id, 'COMPLETED');

  it('opens the inspector of a running Node.js worker, and stops it at a breakpoint while a job runs', async () => {
    const { api, endpoint } = await create(DEBUGGED_NODE_IMAGE);
    const { id } = await api.worker(endpoint, 'IDLE');
    const ready = await new Hold(api, endpoint, { workerId: id }).event('ready');
    assert.deepEqual([ready.workerId, ready.language, ready.host], [id, 'node', '127.0.0.1']);
    assert.ok(path.posix.isAbsolute(ready.directory ?? ''), ready.directory);
    const inspector = await connectToInspector(ready.port ?? 0);
    afterwards(() => inspector.close());
    await inspector.breakAt('worker.mjs', 'value ?? null', path.join(fixtures, 'worker.mjs'));
    const job = await api.run(endpoint, { do: 'echo', value: 7 });
    assert.equal(await inspector.paused(), 'echo');
    assert.equal((await api.job(endpoint, job.id)).status, 'IN_PROGRESS');
    await inspector.resume();
    assert.equal((await completes(api, endpoint, job)).output, 7);
  });

  it('stops only the job that meets a condition, and opens the inspector again for the next debugger', async () => {
    const { api, endpoint } = await create(DEBUGGED_NODE_IMAGE);
    const hold = new Hold(api, endpoint, { condition: 'job.input.value == 42' });
    const ready = await hold.event('ready');
    const matching = await api.run(endpoint, { do: 'echo', value: 42 });
    await completes(api, endpoint, await api.run(endpoint, { do: 'echo', value: 1 }));
    assert.equal((await api.job(endpoint, matching.id)).status, 'IN_QUEUE');
    const again = await new Hold(api, endpoint, { workerId: ready.workerId }).event('ready');
    for (const { port = 0 } of [ready, again]) await (await connectToInspector(port)).close();
    await api.call(attachedDebugger, {
      parameters: { endpointId: endpoint.id, debuggerId: ready.debuggerId ?? '' },
    });
    await completes(api, endpoint, matching);
  });

  it('starts a Python worker again under debugpy, and stops it at a breakpoint while a job runs', async function () {
    if ((await debugpyDirectory()) === undefined) this.skip();
    const { api, endpoint } = await create(DEBUGGED_PYTHON_IMAGE);
    const { id } = await api.worker(endpoint, 'IDLE');
    const ready = await new Hold(api, endpoint).event('ready');
    assert.deepEqual([ready.workerId, ready.language, ready.directory], [id, 'python', '/app']);
    const adapter = await connectToAdapter(ready.port ?? 0);
    afterwards(() => adapter.close());
    await adapter.attach(path.join(fixtures, 'worker.py'), 'return value', '/app');
    const job = await api.run(endpoint, { value: 7 });
    assert.equal(await adapter.stopped(), 'handler');
    await adapter.resume();
    assert.equal((await completes(api, endpoint, job)).output, 7);
  });

  it('reports that the Python of a worker has no debugpy', async () => {
    const { api, endpoint } = await create(DEBUGGED_PYTHON_IMAGE, { PYTHONPATH: '/app' });
    await api.worker(endpoint, 'IDLE');
    assert.equal((await new Hold(api, endpoint).event('failed')).problem, 'debugpyMissing');
  });

  it('closes its port on this machine when the debugging ends', async () => {
    const { api, endpoint } = await create(DEBUGGED_NODE_IMAGE);
    const hold = new Hold(api, endpoint);
    const { port = 0 } = await hold.event('ready');
    await hold.close();
    await eventually('the port is closed', () =>
      fetch(`http://127.0.0.1:${port}/json/list`).then(
        () => false,
        () => true,
      ),
    );
  });
}
