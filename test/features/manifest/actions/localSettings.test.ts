import assert from 'node:assert/strict';
import { createEndpoint, readDraft } from '../../../../src/features/manifest/actions/createEndpoint.ts';
import { applyPlan } from '../../../../src/features/manifest/actions/applyPlan.ts';
import { planDeployment } from '../../../../src/features/manifest/actions/planDeployment.ts';
import { planUpdate, updateFromManifest } from '../../../../src/features/manifest/actions/updateEndpoint.ts';
import { deployingSteps } from '../../../../src/features/manifest/model/deployment/deploymentPlan.ts';
import { cleanUp } from '../../../platform/support.ts';
import { storeOnPlatform } from '../../storeOnPlatform.ts';
import { filesOf, kindsOf, outcomesOf } from './deployment.ts';
import { tests } from './tests.ts';

const text = (name: string, more = '') => `name: ${name}
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 1 }
gpu: { pools: [ADA_24], count: 1 }
image: registry.example.com/worker:1
workers: { min: 0, max: 0 }
x-local: { gpu: ignore, inputSchema: input.schema.json }
${more}`;
const noSignal = new AbortController().signal;
const literal = (value: string) => value;

/** A store on a platform, and the bodies of the requests that change the platform. */
async function recorded() {
  const sent: string[] = [];
  const store = await storeOnPlatform((input, init) => {
    if (typeof init?.body === 'string') sent.push(init.body);
    return fetch(input, init);
  });
  return { ...store, sent };
}

for (const target of ['local', 'hosted'] as const)
  describe(`x-local on a ${target} platform`, () => {
    afterEach(cleanUp);

    const isSent = target === 'local';
    const expected = isSent ? { gpu: 'ignore' } : undefined;
    const manifestOf = async (source: string) =>
      (await readDraft({ text: source, language: 'yaml', target, folder: undefined })).manifest;

    it(`is ${isSent ? 'sent without the members of the file' : 'never sent'} when an endpoint is created`, async () => {
      const { client, store, sent } = await recorded();
      const draft = await readDraft({ text: text('made'), language: 'yaml', target, folder: undefined });
      const endpoint = await createEndpoint({ client, store }, draft, noSignal);
      assert.deepEqual(endpoint['x-local'], expected);
      assert.deepEqual(
        sent.map((body) => (JSON.parse(body) as Record<string, unknown>)['x-local']),
        [expected],
      );
    });

    it(`is ${isSent ? 'sent' : 'never sent'} when an endpoint is updated`, async () => {
      const { client, store, sent } = await recorded();
      const without = text('made').replace(/x-local.*\n/, '');
      const draft = await readDraft({ text: without, language: 'yaml', target, folder: undefined });
      const { id } = await createEndpoint({ client, store }, draft, noSignal);
      const manifest = await manifestOf(text('made', 'timeout: 60000'));
      const source = { manifest, target, folder: undefined, resolve: literal };
      const plan = await planUpdate(client, source, id);
      const wanted = isSent ? { timeout: 60_000, 'x-local': { gpu: 'ignore' } } : { timeout: 60_000 };
      assert.deepEqual(plan.comparison.body, wanted);
      const updated = await updateFromManifest({ client, store }, plan, { values: [] });
      assert.deepEqual(updated['x-local'], expected);
      assert.deepEqual(JSON.parse(sent.at(-1) ?? ''), wanted);
      assert.deepEqual((await planUpdate(client, source, id)).comparison.changes, []);
    });

    it(`is ${isSent ? 'sent' : 'never sent'} when all manifests are deployed`, async () => {
      const { client, store, sent } = await recorded();
      const deploy = async (files: Readonly<Record<string, string>>) => {
        const valuesOf = () => Promise.resolve({ resolve: literal });
        const sources = { client, files: filesOf(files), links: [], tests, signal: noSignal, valuesOf };
        const plan = await planDeployment({ ...sources, options: () => ({ target }) });
        const apply = { client, store, values: [], deployed: () => Promise.resolve(), starting: () => undefined };
        return { kinds: kindsOf(plan), outcomes: outcomesOf(await applyPlan(apply, deployingSteps(plan), noSignal)) };
      };
      assert.deepEqual((await deploy({ a: text('a'), b: text('b') })).outcomes, ['a: created', 'b: created']);
      const changed = { a: text('a', 'timeout: 60000'), b: text('b').replace('gpu: ignore, ', '') };
      assert.deepEqual((await deploy(changed)).outcomes, isSent ? ['a: updated', 'b: updated'] : ['a: updated']);
      assert.equal(
        sent.some((body) => body.includes('x-local')),
        isSent,
      );
      assert.deepEqual((await deploy(changed)).kinds, ['a: unchanged', 'b: unchanged']);
    });
  });
