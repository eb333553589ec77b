import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient } from '../../../src/client/client.ts';
import { readLocalText } from '../../../src/cli/localFiles.ts';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import { GateError } from '../../../src/features/gate/actions/gateError.ts';
import { runGate, type GateOptions } from '../../../src/features/gate/actions/runGate.ts';
import { deleteLeftovers } from '../../../src/features/gate/actions/scratchEndpoint.ts';
import { measurementNote } from '../../../src/features/gate/model/gateWords.ts';
import { CliWorld } from '../../cli/cliWorld.ts';
import { cleanUp, dataDirectory, endpointBody, eventually, platformForTest } from '../../platform/support.ts';
import { GateWorld, GREETING, manifest, worker } from './gateWorld.ts';

const FOREVER = worker('await new Promise(() => undefined);');

describe('A gate on a connected platform', function () {
  afterEach(cleanUp);

  async function connected() {
    const world = await GateWorld.create();
    await world.record({ name: 'Ada' }, { name: 'Grace' });
    await world.write('hello/handler.mjs', `${GREETING}// the same\n`);
    const { platform, api } = await platformForTest();
    const client = createClient({ connection: api.addresses, fetch: globalThis.fetch });
    // An endpoint of the user, which no gate may touch.
    await client.createEndpoint({ body: endpointBody({ name: 'hello-gate-0a1b2c3d', workers: { min: 0, max: 1 } }) });
    const notes = await dataDirectory();
    const place = { kind: 'connection', client, isLocal: true, platform: 'local', notes } as const;
    const gate = (changes: Partial<GateOptions> = {}) =>
      runGate({
        ...{ manifest: world.manifest, place },
        values: { variable: () => undefined, secret: () => Promise.resolve(undefined) },
        ...{ secretOf: () => undefined, readText: readLocalText, signal: new AbortController().signal },
        ...changes,
      });
    const names = async () => (await client.listEndpoints({})).endpoints.map(({ name }) => name);
    const leavesNothing = async () => {
      assert.deepEqual(await names(), ['hello-gate-0a1b2c3d']);
      assert.deepEqual(await readdir(notes), []);
      assert.deepEqual(await world.worktrees(), []);
    };
    return { world, platform, api, place, gate, names, leavesNothing };
  }

  it('runs both versions on endpoints of their own, which it deletes', async () => {
    const { api, gate, leavesNothing } = await connected();
    const { report } = await gate();
    assert.equal(report.passed, true);
    assert.deepEqual([report.before.memoryBytes, report.after.memoryBytes], [undefined, undefined]);
    assert.match(measurementNote(report) ?? '', /^Memory is measured for workers that run as processes/);
    const { requests } = await api.call(controlOperations.listRequests, {});
    const count = (wanted: string) => requests.filter(({ operation }) => operation === wanted).length;
    // The first one is that of the user.
    assert.deepEqual([count('createEndpoint'), count('deleteEndpoint')], [3, 2]);
    await leavesNothing();
  });

  it('leaves no endpoint after a cancellation, at any time', async () => {
    const { world, gate, leavesNothing } = await connected();
    await world.write('hello/handler.mjs', FOREVER);
    for (const last of ['starting', 'job'] as const) {
      if (last === 'job') await world.write('hello/handler.mjs', worker('return 1;'));
      const abort = new AbortController();
      const onProgress: GateOptions['onProgress'] = (progress) => {
        const isBeforeJobs = progress.kind === 'job' && progress.done === 0;
        if (progress.kind === last && !isBeforeJobs) abort.abort();
      };
      await assert.rejects(gate({ onProgress, signal: abort.signal }), { name: 'AbortError' });
      await leavesNothing();
    }
  });

  it('leaves no endpoint after a cancellation while the endpoint is created', async () => {
    const { api, gate, leavesNothing } = await connected();
    await api.call(controlOperations.addFault, { body: { operation: 'createEndpoint', when: 'after', delayMs: 500 } });
    const abort = new AbortController();
    const ended = assert.rejects(gate({ signal: abort.signal }), { name: 'AbortError' });
    await eventually('an endpoint is being created', async () => {
      const { requests } = await api.call(controlOperations.listRequests, {});
      return requests.some(({ operation }) => operation === 'createEndpoint');
    });
    abort.abort();
    await ended;
    await leavesNothing();
  });

  it('leaves no endpoint if a worker does not start, and if the response to the creation is lost', async () => {
    const { world, api, gate, leavesNothing } = await connected();
    await world.write('hello/handler.mjs', 'throw new Error("no model");\n');
    await assert.rejects(gate(), (error: unknown) => error instanceof GateError && error.code === 'noStart');
    await leavesNothing();
    await world.write('hello/handler.mjs', `${GREETING}// the same\n`);
    await api.call(controlOperations.addFault, { body: { operation: 'createEndpoint', when: 'after', drop: true } });
    await assert.rejects(gate(), (error: unknown) => error instanceof GateError && error.code === 'noStart');
    await leavesNothing();
  });

  it('names an endpoint that it could not delete, which the next gate deletes', async () => {
    const { api, place, gate, names } = await connected();
    await api.call(controlOperations.addFault, { body: { operation: 'deleteEndpoint', status: 403 } });
    await assert.rejects(gate(), (error: unknown) => {
      assert.ok(error instanceof GateError && error.code === 'notDeleted', String(error));
      assert.match(error.message, /“hello-gate-[0-9a-f]{8}”/);
      return true;
    });
    assert.equal((await names()).length, 3);
    await api.call(controlOperations.removeFaults, {});
    assert.equal((await deleteLeftovers({ ...place, platform: 'other' })).length, 0);
    assert.equal((await deleteLeftovers(place)).length, 2);
    assert.deepEqual(await names(), ['hello-gate-0a1b2c3d']);
    assert.deepEqual(await readdir(place.notes), []);
  });

  it('ignores files among its notes that are no notes', async () => {
    const { place } = await connected();
    await writeFile(path.join(place.notes, 'file'), '{}');
    await mkdir(path.join(place.notes, 'empty'));
    await mkdir(path.join(place.notes, 'broken'));
    await writeFile(path.join(place.notes, 'broken', 'endpoint.json'), '{"platform": 1}');
    assert.deepEqual(await deleteLeftovers(place), []);
  });

  it('is deleted by the next gate after its process was killed', async () => {
    const { world, platform, names } = await connected();
    const cli = await CliWorld.create();
    cli.useHosted(platform.announcement);
    const image = `process:${path.join(world.root, 'hello')}`;
    const changes = { image, cmd: [process.execPath, 'handler.mjs'] };
    await world.write('hello.endpoint.json', JSON.stringify(manifest(changes)));
    await world.commit();
    await world.write('hello/handler.mjs', FOREVER);
    const scratch = ['gate', world.manifest, '--scratch', '--yes'];
    const { child, exit } = cli.start(scratch);
    await eventually('both endpoints exist', async () => (await names()).length === 3);
    child.kill('SIGKILL');
    await exit;
    assert.equal((await names()).length, 3);
    await world.write('hello/handler.mjs', `${GREETING}// as before\n`);
    const { code, stdout, stderr } = await cli.run(scratch);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^The gate passed with 2 jobs\.\n/);
    assert.equal(
      stderr.match(/deleted the endpoint hello-gate-[0-9a-f]{8} of an earlier gate that was killed/g)?.length,
      2,
    );
    assert.deepEqual(await names(), ['hello-gate-0a1b2c3d']);
    // The checked out revision of the killed gate is deleted, too.
    assert.deepEqual(await world.worktrees(), []);
  });
});
