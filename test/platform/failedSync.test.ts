import assert from 'node:assert/strict';
import { readFile, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { PLATFORM_EXIT_CODES } from '../../src/contract/launch/platformExit.ts';
import { operations } from '../../src/contract/operations.ts';
import { isAlive } from '../../src/machine/processTable.ts';
import { launch } from './launch.ts';
import { Api, cleanUp, dataDirectory, fixtures } from './support.ts';

describe('A failed fsync', () => {
  afterEach(cleanUp);

  it('stops the platform, which confirms no later write, and keeps all confirmed jobs', async () => {
    const dataDir = await dataDirectory();
    const syncedSize = path.join(dataDir, 'synced-size');
    const failing = launch(['--json', '--data-dir', dataDir], {
      nodeArgs: ['--import', path.join(fixtures, 'failingSync.mjs')],
      env: { SYNCED_SIZE: syncedSize },
    });
    const api = new Api(await failing.announcement());
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 1 } });
    const held = await api.run(endpoint, { do: 'hang' });
    const { workerId = '' } = await api.jobWithStatus(endpoint, held.id, 'IN_PROGRESS');
    const lines = await api.logsUntil(endpoint, workerId, ({ line }) => /^process \d+ started$/.test(line));
    const worker = Number(/\d+/.exec(lines.at(-1)?.line ?? '')?.[0]);
    const confirmed = [held.id];
    for (let count = 0; count < 5; count++) confirmed.push((await api.run(endpoint, { do: 'hang' })).id);

    assert.equal(await failing.ask('fail'), 'armed');
    const parameters = { endpointId: endpoint.id };
    for (let round = 0; round < 3; round++) {
      // The connection is refused once the platform has stopped.
      const responses = await Promise.all(
        Array.from({ length: 3 }, () =>
          api.fetch(operations.runJob, { parameters, body: { input: { do: 'hang' } } }).catch(() => undefined),
        ),
      );
      for (const response of responses) assert.ok(!response?.ok, `a job was confirmed in round ${round}`);
    }
    const { code, stderr } = await failing.exit;
    assert.equal(code, PLATFORM_EXIT_CODES.diskFailed, stderr);
    const reasons = stderr
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{'));
    assert.equal(reasons.length, 1, stderr);
    assert.match(reasons[0] ?? '', /platform\.sqlite-wal cannot be written to disk: EIO/);
    assert.equal(isAlive(worker), false, 'the worker has ended');

    const log = path.join(dataDir, 'platform.sqlite-wal');
    const onDisk = Number(await readFile(syncedSize, 'utf8'));
    assert.ok((await stat(log)).size > onDisk, 'the unconfirmed writes were not copied to the database');
    await truncate(log, onDisk);
    const next = new Api(await launch(['--json', '--data-dir', dataDir]).announcement());
    for (const id of confirmed) assert.notEqual((await next.job(endpoint, id)).status, 'FAILED');
    assert.equal((await next.run(endpoint, { do: 'hang' })).status, 'IN_QUEUE');
  });

  it('ends the other windows that share the platform with the same reason', async () => {
    const dataDir = await dataDirectory();
    const flags = ['--json', '--stop-with-stdin', '--data-dir', dataDir];
    const failing = launch(flags, {
      nodeArgs: ['--import', path.join(fixtures, 'failingSync.mjs')],
      env: { SYNCED_SIZE: path.join(dataDir, 'synced-size') },
    });
    const api = new Api(await failing.announcement());
    const sharing = launch(flags);
    await sharing.announcement();

    assert.equal(await failing.ask('fail'), 'armed');
    await assert.rejects(api.createEndpoint());
    const { code, stderr } = await sharing.exit;
    assert.equal(code, PLATFORM_EXIT_CODES.diskFailed, stderr);
    assert.match(stderr, /platform\.sqlite-wal cannot be written to disk: EIO/);
    assert.equal((await failing.exit).code, PLATFORM_EXIT_CODES.diskFailed);
  });
});
