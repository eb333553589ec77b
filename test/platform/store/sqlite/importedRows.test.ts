import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { createJob } from '../../../../src/platform/domain/job.ts';
import { BytesJson } from '../../../../src/platform/domain/largeJson.ts';
import { templateWith } from '../../../../src/platform/domain/template.ts';
import { secretBox } from '../../../../src/platform/secrets/secretBox.ts';
import { openSqliteStore } from '../../../../src/platform/store/sqlite/sqlite.ts';
import { sqliteModule } from '../../../../src/platform/store/sqlite/sqliteModule.ts';
import { SnapshotError, type Store } from '../../../../src/platform/store/store.ts';
import { afterwards, cleanUp, dataDirectory } from '../../support.ts';

describe('Rows in a snapshot', () => {
  const secrets = secretBox();

  afterEach(cleanUp);

  function opened(options: Parameters<typeof openSqliteStore>[1]): Store {
    const store = openSqliteStore(':memory:', options);
    afterwards(() => Promise.resolve().then(() => store.close()));
    return store;
  }

  /** Writes a snapshot. Returns a function that imports it after a change. */
  async function snapshotOf(fill: (store: Store) => Promise<void> | void) {
    const folder = await dataDirectory();
    const [original, snapshot] = [path.join(folder, 'original.sqlite'), path.join(folder, 'snapshot.sqlite')];
    const source = opened({ secrets });
    await fill(source);
    await source.writeSnapshot(original);
    return (change = '', key = secrets): Store => {
      copyFileSync(original, snapshot);
      const database = new (sqliteModule().DatabaseSync)(snapshot);
      database.exec(change);
      database.close();
      return opened({ secrets: key, contents: { snapshot, secrets: 'keep', start: true, mayStart: () => true } });
    };
  }

  const refuses = (work: () => unknown, message: RegExp): void =>
    assert.throws(work, (error) => error instanceof SnapshotError && message.test(error.message));

  it('of runs have no handle and no claim, because their processes belong to the platform that wrote the snapshot', async () => {
    const of = { endpointId: 'endpoint1', workerId: 'worker1', startedAt: 1, lastSeenAt: 2 };
    const handle = { runtime: 'process', runId: 'run1', pid: 1 };
    const claim = { version: 1, token: 'secret', gpus: [], frozen: false };
    const cost = { resource: 'cpu', nanoUsdPerSecond: 1, diskGb: 0 } as const;
    const imported = await snapshotOf((store) => store.runs.insert({ id: 'run1', handle, claim, ...of, ...cost }));
    // Without a handle, a restarted platform does not end processes of the other platform.
    assert.deepEqual(imported().runs.listOpen(), [{ id: 'run1', handle: null, ...of }]);
  });

  it('of logs belong to the same endpoints, and are counted again', async () => {
    const ts = '2026-03-01T00:00:00.000000000Z';
    const blocks = [{ source: 'system', firstTs: ts, lastTs: ts, lines: ['line'] }] as const;
    const imported = await snapshotOf(({ logs }) => {
      logs.append(['1', '2'].map((n) => ({ workerId: `worker${n}`, endpointId: `endpoint${n}`, blocks })));
    });
    const { logs } = imported('UPDATE log_sizes SET lines = 9, bytes = 9');
    assert.equal(logs.size().lines, 2);
    const { bytes } = logs.size('worker1');
    assert.deepEqual(Object.fromEntries(logs.bytesByEndpoint()), { endpoint1: bytes, endpoint2: bytes });
  });

  it('of templates have secrets that only the key of the snapshot decrypts', async () => {
    const template = templateWith({ id: 'template1', name: 't', image: 'i', env: { TOKEN: 'secret' } });
    const imported = await snapshotOf((store) => store.resources.of('owner').templates.insert(template));
    assert.deepEqual(imported().resources.of('owner').templates.list(), [template]);
    refuses(() => imported('', secretBox()), /encrypted with the key of another data directory/);
  });

  it('can have the smallest version and the smallest port', async () => {
    const imported = await snapshotOf((store) => {
      store.endpoints.beginImage('endpoint1', 1);
      store.gatePorts.set('10.0.0.1', 1);
    });
    assert.equal(imported().endpoints.imageVersion('endpoint1', 1), 1);
    refuses(() => imported('UPDATE release_images SET first_version = 0'), /release_images .*first_version/);
    refuses(() => imported('UPDATE gate_ports SET port = 0'), /gate_ports .*port/);
  });

  it('of resources are refused with the first invalid member of their kind', async () => {
    const volume = {
      id: 'volume1',
      name: 'v',
      size: 1,
      dataCenter: 'EU-RO-1',
      type: 'STANDARD',
      createdAt: 1,
    } as const;
    const imported = await snapshotOf((store) => store.resources.of('owner').networkVolumes.insert(volume));
    refuses(
      () => imported(`UPDATE resources SET record = json_set(record, '$.size', -1)`),
      /resources has an invalid row: record\.size:/,
    );
    refuses(() => imported(`UPDATE resources SET kind = 'others'`), /resources has an invalid row: kind:/);
    refuses(() => imported(`UPDATE resources SET record = json_set(record, '$.id', 'volume2')`), /row: record\.id:/);
  });

  describe('of large values', () => {
    const jobs = (...ids: readonly string[]) =>
      snapshotOf(async (store) => {
        for (const id of ids)
          await store.largeValues.keep(new BytesJson(Buffer.from('"text"')), (input) => {
            store.jobs.insert(createJob({}, { id, endpointId: 'e', now: 1 }), {
              input: input as Record<string, unknown>,
            });
            return Promise.resolve();
          });
      });

    it('have the text of their job, and are deleted after it', async () => {
      const { jobs: imported, largeValues } = (await jobs('a'))();
      assert.equal(JSON.stringify(imported.request('a').input), '"text"');
      assert.equal(largeValues.deleteUnused(), false);
      imported.delete('a');
      assert.equal(largeValues.deleteUnused(), true);
    });

    for (const [what, change] of [
      ['belong to two jobs', 'UPDATE jobs SET large_input = (SELECT large_input FROM jobs LIMIT 1)'],
      ['do not have their size', 'DELETE FROM large_value_parts WHERE sequence = 1'],
      ['are not JSON', `UPDATE large_value_parts SET content = CAST('"text{' AS BLOB)`],
      ['are not UTF-8', `UPDATE large_value_parts SET content = x'22ff65787422'`],
      ['have a byte order mark', `UPDATE large_value_parts SET content = x'efbbbf227422'`],
      ['are used in an unknown way', 'UPDATE large_values SET used = 2'],
    ] as const) {
      it(`are refused if they ${what}`, async () => {
        const imported = await jobs('a', 'b');
        refuses(() => imported(change), /its table large_value/);
      });
    }

    it('are refused if a job has an invalid reference', async () => {
      const imported = await jobs('a');
      refuses(() => imported(`UPDATE jobs SET large_input = '../x'`), /its table jobs .*large_input/);
    });
  });
});
