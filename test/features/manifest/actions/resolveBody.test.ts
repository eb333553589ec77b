import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import { createClient } from '../../../../src/client/client.ts';
import type { Wait } from '../../../../src/client/context.ts';
import {
  NO_VALUES,
  resolveBody,
  sendResolved,
  UnresolvedReferencesError,
} from '../../../../src/features/manifest/actions/resolveBody.ts';
import type { ValueSource } from '../../../../src/account/secrets/envReferences.ts';
import { createEndpoint, readDraft } from '../../../../src/features/manifest/actions/createEndpoint.ts';
import { readEdit } from '../../../../src/features/manifest/actions/updateEndpoint.ts';
import { editableYaml, endpointYaml } from '../../../../src/features/manifest/editing/endpointText.ts';
import { changeWords } from '../../../../src/features/manifest/model/deployment/difference.ts';
import { jumpingClock } from '../../../client/fakeClock.ts';
import { json, startScriptedServer } from '../../../client/scriptedServer.ts';
import { cleanUp, endpointBody, fixtures } from '../../../platform/support.ts';
import { createPaused, storeOnPlatform } from '../../storeOnPlatform.ts';

const TOKEN = 'tok_a8Kd3ZqP0vR7mX2tLw9Y';
const source: ValueSource = {
  variable: (name) => (name === 'REGION' ? 'eu-west' : undefined),
  secret: (name) => Promise.resolve(name === 'TOKEN' ? TOKEN : undefined),
};

const manifest = (env: string, max = 0): string => `
name: made
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 1 }
cpu: [{ id: cpu3c, vcpuCount: 2 }]
workers: { min: 0, max: ${max} }
x-local: { directory: ., command: node worker.mjs }
env: ${env}
`;
const draftOf = (text: string) => readDraft({ text, language: 'yaml', target: 'local', folder: fixtures });
const signal = new AbortController().signal;

describe('resolveBody', () => {
  it('resolves the references and returns their values', async () => {
    const { body, values } = await resolveBody(
      { name: 'a', env: { A: 'x ${secret:TOKEN}', B: '${env:REGION}', C: '$${x}' } },
      source,
    );
    assert.deepEqual(body, { name: 'a', env: { A: `x ${TOKEN}`, B: 'eu-west', C: '${x}' } });
    assert.deepEqual(values, [TOKEN, 'eu-west']);
  });

  it('leaves a body without env as it is', async () => {
    const body: { name: string; env?: Record<string, string> } = { name: 'a' };
    assert.equal((await resolveBody(body, source)).body, body);
  });

  it('throws all references without a value, without any value', async () => {
    const env = { A: '${secret:NO} ${secret:TOKEN}', B: '${env:NO}' };
    await assert.rejects(resolveBody({ env }, source), (error) => {
      assert.ok(error instanceof UnresolvedReferencesError);
      assert.deepEqual(error.references, [
        { kind: 'secret', name: 'NO' },
        { kind: 'env', name: 'NO' },
      ]);
      assert.ok(!error.message.includes(TOKEN));
      return true;
    });
    await assert.rejects(resolveBody({ env: { A: '${secret:TOKEN}' } }, NO_VALUES), UnresolvedReferencesError);
    await assert.rejects(resolveBody({ env: { A: '${secret:TOKEN}' } }), UnresolvedReferencesError);
  });
});

describe('A manifest with references', () => {
  afterEach(cleanUp);

  it('reaches the platform and its workers with the values, and stays unresolved in the editor', async () => {
    const { client, store } = await storeOnPlatform();
    const draft = await draftOf(
      manifest('{ AUTH: "Bearer ${secret:TOKEN}", REGION: "${env:REGION}", RAW: "$${env:X}" }', 1),
    );
    assert.ok(!JSON.stringify(draft).includes(TOKEN));
    const created = await createEndpoint({ client, store, values: source }, draft, signal);
    const wanted = { AUTH: `Bearer ${TOKEN}`, REGION: 'eu-west', RAW: '${env:X}' };
    assert.deepEqual((await client.getEndpoint({ id: created.id })).env, wanted);
    const job = await client.runJobSync({
      endpointId: created.id,
      body: { input: { do: 'environment' } },
      query: { wait: 60_000 },
    });
    const { AUTH, REGION, RAW } = job.output as Record<string, string>;
    assert.deepEqual({ AUTH, REGION, RAW }, wanted);
    assert.equal(draft.body.env?.['AUTH'], 'Bearer ${secret:TOKEN}');
  }).timeout(60_000);

  it('is not sent if a reference has no value', async () => {
    const { client, store } = await storeOnPlatform();
    const draft = await draftOf(manifest('{ A: "${secret:NO}" }'));
    await assert.rejects(createEndpoint({ client, store, values: source }, draft, signal), UnresolvedReferencesError);
    await assert.rejects(createEndpoint({ client, store }, draft, signal), UnresolvedReferencesError);
    assert.deepEqual((await client.listEndpoints({})).endpoints, []);
  });

  it('returns the violation of a resolved value at its field', async () => {
    const { client, store } = await storeOnPlatform();
    const text = manifest('{ PORT: "${secret:TOKEN}" }')
      .replace('type: QUEUE\n', 'type: LOAD_BALANCER\n')
      .replace('{ type: QUEUE_DELAY, queueDelay: 1 }', '{ type: REQUEST_COUNT, requestCount: 1 }');
    await assert.rejects(createEndpoint({ client, store, values: source }, await draftOf(text), signal), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual(
        error.fields.map(({ path }) => path),
        [['env', 'PORT']],
      );
      return true;
    });
  });
});

describe('A server that repeats the values of a request', () => {
  /** Sends a body to a server that responds with this status and repeats the value, and returns all texts of the error and the waits. */
  async function textsAfter(status: number, contentType: string): Promise<string> {
    let left = 1;
    await using server = await startScriptedServer((_, response) => {
      if (left-- <= 0) {
        json(response, 500, {});
        return;
      }
      const errors = [`$.env.AUTH: '${TOKEN}' is bad`, TOKEN, `$.env.${TOKEN}: bad`];
      response.setHeader('Retry-After', '1');
      json(
        response,
        status,
        { title: `Bad ${TOKEN}`, status, detail: `got ${TOKEN}`, error: TOKEN, errors },
        contentType,
      );
    });
    const waits: Wait[] = [];
    const client = createClient({
      connection: server.connection,
      fetch,
      clock: jumpingClock(1_000).clock,
      onWait: (wait) => waits.push(wait),
    });
    const body = endpointBody({ env: { AUTH: 'Bearer ${secret:TOKEN}' } });
    const error: unknown = await sendResolved(body, source, (resolved, redact) =>
      client.createEndpoint({ body: resolved }, { redact }),
    ).catch((reason: unknown) => reason);
    assert.ok(error instanceof ApiError);
    assert.match(JSON.stringify(server.received[0]?.body), new RegExp(TOKEN), 'the server received the value');
    if (status === 400 && contentType !== 'text/plain') assert.deepEqual(error.fields[0]?.path, ['env', 'AUTH']);
    if (status === 429) assert.equal(waits.length, 1);
    return [
      error.stack,
      error.message,
      error.title,
      ...error.errors,
      String(error.cause),
      JSON.stringify(error),
      JSON.stringify(waits),
    ].join('\n');
  }

  for (const [status, type] of [
    [400, 'application/problem+json'],
    [422, 'application/problem+json'],
    [500, 'application/json'],
    [400, 'text/plain'],
    [429, 'application/problem+json'],
  ] as const)
    it(`reveals none of them with a ${status} as ${type}`, async () => {
      assert.doesNotMatch(await textsAfter(status, type), /tok_|a8Kd3|Lw9Y/);
    });

  it('reveals none of them in any other error', async () => {
    const error: unknown = await sendResolved({ env: { A: '${secret:TOKEN}' } }, source, ({ env }) =>
      Promise.reject(new TypeError(`cannot send ${env.A}`)),
    ).catch((reason: unknown) => reason);
    assert.ok(error instanceof Error);
    assert.deepEqual([error.name, error.message], ['TypeError', 'cannot send …']);
    assert.doesNotMatch(String(error.stack), /tok_/);
  });
});

describe('An edited endpoint with references', () => {
  afterEach(cleanUp);

  const hidden = [{ reference: { kind: 'secret', name: 'TOKEN' } as const, value: TOKEN }];
  async function deployed(env: Record<string, string>) {
    const { client, store } = await storeOnPlatform();
    const endpoint = await createPaused(client, 'edited', { env });
    return { client, store, endpoint, text: editableYaml(endpoint, 'Local Platform', hidden) };
  }

  it('shows no secret, and changes nothing if the references are unchanged', async () => {
    const { endpoint, text } = await deployed({ AUTH: `Bearer ${TOKEN}`, MODE: 'fast' });
    assert.ok(!`${text}${endpointYaml(endpoint, hidden)}`.includes(TOKEN));
    assert.match(text, /AUTH: Bearer \$\{secret:TOKEN\}/);
    const { body, changes } = await readEdit(text, endpoint, { target: 'hosted', values: source });
    assert.deepEqual([body, changes], [{}, []]);
  });

  it('is compared by its values and sent with references', async () => {
    const { client, store, endpoint, text } = await deployed({ AUTH: `Bearer ${TOKEN}`, MODE: 'fast' });
    const change = await readEdit(text.replace('MODE: fast', 'MODE: ${env:REGION}'), endpoint, {
      target: 'hosted',
      values: source,
    });
    assert.deepEqual(change.body, { env: { AUTH: 'Bearer ${secret:TOKEN}', MODE: '${env:REGION}' } });
    assert.deepEqual(change.changes.map(changeWords), ['env: change MODE']);
    await sendResolved(change.body, source, (body, redact) => store.update(client, endpoint.id, body, { redact }));
    const { env } = await client.getEndpoint({ id: endpoint.id });
    assert.deepEqual(env, { AUTH: `Bearer ${TOKEN}`, MODE: 'eu-west' });
  });

  it('cannot read a secret with text that the platform supplied', async () => {
    const { endpoint, text } = await deployed({ STOLEN: '${secret:OTHER}', MODE: 'fast' });
    const asked: string[] = [];
    const spy: ValueSource = { ...source, secret: (name) => (asked.push(name), Promise.resolve('x')) };
    const { body } = await readEdit(text.replace('MODE: fast', 'MODE: slow'), endpoint, {
      target: 'hosted',
      values: spy,
    });
    assert.deepEqual((await resolveBody(body, spy)).body.env, { STOLEN: '${secret:OTHER}', MODE: 'slow' });
    assert.deepEqual(asked, []);
  });
});
