import assert from 'node:assert/strict';
import { createClient, type Client } from '../../../../src/client/client.ts';
import type { CreateEndpointBody } from '../../../../src/contract/endpoint.ts';
import { operations } from '../../../../src/contract/operations.ts';
import { formatViolation } from '../../../../src/contract/violation.ts';
import { ReferenceLookup } from '../../../../src/features/manifest/catalog/referenceLookup.ts';
import type { LiveValues } from '../../../../src/account/liveValues/liveValues.ts';
import { parseManifestFile } from '../../../../src/features/manifest/model/text/parse.ts';
import { referencesIn } from '../../../../src/features/manifest/model/references.ts';
import { Emitter } from '../../../../src/kit/emitter.ts';
import { json, startScriptedServer, type Script } from '../../../client/scriptedServer.ts';
import { cleanUp, endpointBody, platformForTest, type Api } from '../../../platform/support.ts';
import { steppedClock } from '../../steppedClock.ts';
import { readOne } from '../model/readOne.ts';

const NO_ENTRIES: LiveValues = { registries: [], templates: [], networkVolumes: [], globalVolumes: [] };

/** Creates a lookup with the lists of an account, and a clock that the test moves. */
function lookupOf(client: Client | undefined, current = NO_ENTRIES) {
  const clock = steppedClock();
  const connected = new Emitter<void>();
  const listed = new Emitter<void>();
  const logged = new Emitter<void>();
  const connections = { client, onDidChange: connected.event };
  const values = { current, onDidChange: listed.event };
  const lines: string[] = [];
  const log = {
    debug: (text: string) => {
      lines.push(text);
      logged.fire();
    },
  };
  const lookup = new ReferenceLookup({ connections, values, clock: clock.clock, log });
  return {
    ...{ lookup, clock, lines },
    use: (next: Client | undefined) => {
      connections.client = next;
      connected.fire();
    },
    list: (next: LiveValues) => {
      values.current = next;
      listed.fire();
    },
    changed: () =>
      new Promise<void>((resolve) => {
        const subscription = lookup.onDidChange(() => {
          subscription.dispose();
          resolve();
        });
      }),
    logged: () => new Promise<void>((resolve) => logged.event(() => resolve())),
  };
}

const registry = (id: string) => ({ kind: 'registry', id }) as const;
const missing: Script = (_, response) => json(response, 404, { message: 'no' });

describe('ReferenceLookup', () => {
  afterEach(cleanUp);

  it('reports the same IDs in the same words as the platform', async () => {
    const { platform, api } = await platformForTest();
    const client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
    const own = await client.createRegistry({ body: { name: 'ghcr', username: 'u', password: 'p' } });
    const [catalog] = (await client.listPublicTemplates({})).templates;
    const pod = await client.createTemplate({ body: { name: 'pod', image: 'example/pod:1' } });
    const bodies: Partial<CreateEndpointBody>[] = [
      { registry: 'r0' },
      { registry: own.id },
      { networkVolumes: ['n0'] },
      { mounts: { network: [{ volumeId: 'n0', path: '/data' }] } },
      { mounts: { global: [{ volumeId: 'g0', path: '/data' }] }, cpu: undefined, gpu: { pools: ['ADA_24'] } },
      { templateId: 't0' },
      { templateId: catalog?.id ?? '' },
      { templateId: pod.id },
    ];
    for (const change of bodies) {
      const body = endpointBody({ workers: { min: 0, max: 0 }, ...change });
      const told = await errorsOf(api, body);
      const text = JSON.stringify(body);
      const { lookup, clock, changed } = lookupOf(client);
      lookup.watch('a', referencesIn(parseManifestFile(text, 'json').parts[0]?.root));
      // Ends the wait even if the platform has all IDs of the body.
      lookup.watch('b', [registry('none')]);
      const done = changed();
      clock.advance(500);
      await done;
      const { problems } = readOne(text, { language: 'json', target: 'local', references: lookup.current });
      assert.deepEqual(
        problems.flatMap(({ violation, severity }) =>
          violation && severity === 'error' ? [formatViolation(violation)] : [],
        ),
        told,
        text,
      );
      lookup.dispose();
    }
  });

  it('looks up nothing for an unknown list, a listed ID, or a closed manifest', async () => {
    await using server = await startScriptedServer(missing);
    const { lookup, clock, list } = lookupOf(server.client, {});
    lookup.watch('a', [registry('r0')]);
    assert.equal(clock.sleeping, 0);
    list({ registries: [{ id: 'r0', name: 'ghcr' }] });
    assert.equal(clock.sleeping, 0);
    lookup.unwatch('a');
    list({ registries: [] });
    assert.deepEqual([clock.sleeping, lookup.current.missing], [0, []]);
  });

  it('waits until an ID has been typed', async () => {
    await using server = await startScriptedServer(missing);
    const asked: string[] = [];
    const getRegistry: Client['getRegistry'] = (args, options) => {
      asked.push(args.id);
      return server.client.getRegistry(args, options);
    };
    const { lookup, clock, changed } = lookupOf({ ...server.client, getRegistry });
    for (const id of ['r', 're', 'reg']) {
      lookup.watch('a', [registry(id)]);
      clock.advance(499);
    }
    const done = changed();
    clock.advance(1);
    await done;
    assert.deepEqual(lookup.current, { missing: [registry('reg')], podTemplates: [] });
    assert.deepEqual(asked, ['reg']);
  });

  it('forgets a missing ID that a later list contains', async () => {
    await using server = await startScriptedServer(missing);
    const { lookup, clock, changed, list } = lookupOf(server.client);
    lookup.watch('a', [registry('r0')]);
    const done = changed();
    clock.advance(500);
    await done;
    list({ ...NO_ENTRIES, registries: [{ id: 'r0', name: 'ghcr' }] });
    assert.deepEqual(lookup.current.missing, []);
  });

  it('finds a credential that the platform has only on the v1 API', async () => {
    await using server = await startScriptedServer(({ path }, response) =>
      path.startsWith('/v1/') ? json(response, 200, { id: 'r0', name: 'ghcr' }) : json(response, 404, {}),
    );
    const { lookup, clock, changed } = lookupOf(server.client);
    lookup.watch('a', [registry('r0'), { kind: 'network volume', id: 'n0' }]);
    const done = changed();
    clock.advance(500);
    await done;
    assert.deepEqual(lookup.current.missing, [{ kind: 'network volume', id: 'n0' }]);
  });

  it('reports nothing after a failed lookup, and repeats it later', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 500, { message: 'broken' }));
    const { lookup, clock, lines, logged } = lookupOf(server.client);
    lookup.watch('a', [registry('r0')]);
    const done = logged();
    clock.advance(500);
    await done;
    assert.deepEqual([lookup.current.missing, lines.length], [[], 1]);
    lookup.watch('a', [registry('r0')]);
    assert.equal(clock.sleeping, 0);
    clock.advance(300_000);
    lookup.watch('a', [registry('r0')]);
    assert.equal(clock.sleeping, 1);
  });

  it('limits the number of lookups', async () => {
    await using server = await startScriptedServer(missing);
    const { lookup, clock, changed } = lookupOf(server.client);
    const many = Array.from({ length: 600 }, (_, index) => ({ kind: 'network volume', id: `n${index}` }) as const);
    lookup.watch('a', many);
    const done = changed();
    clock.advance(500);
    await done;
    assert.deepEqual(lookup.current.missing, many.slice(0, 100));
    lookup.watch('a', many.slice(100));
    assert.equal(clock.sleeping, 0);
    clock.advance(300_000);
    lookup.watch('a', many.slice(100));
    assert.equal(clock.sleeping, 1);
  });

  it('discards its results when the connection changes', async () => {
    await using server = await startScriptedServer(missing);
    const { lookup, clock, changed, use } = lookupOf(server.client);
    lookup.watch('a', [registry('r0')]);
    const done = changed();
    clock.advance(500);
    await done;
    use(undefined);
    assert.deepEqual([lookup.current.missing, clock.sleeping], [[], 0]);
  });
});

/** Returns the errors with which the platform refuses a body. */
async function errorsOf(api: Api, body: CreateEndpointBody): Promise<string[]> {
  const response = await api.fetch(operations.createEndpoint, { body });
  if (response.ok) return [];
  const { errors = [] } = (await response.json()) as { errors?: string[] };
  return errors;
}
