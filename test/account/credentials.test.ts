import assert from 'node:assert/strict';
import { createClient, type Client } from '../../src/client/client.ts';
import { ApiError } from '../../src/client/apiError.ts';
import {
  createCredential,
  deleteCredential,
  findUsers,
  listCredentials,
  listCredentialsIfAllowed,
} from '../../src/account/credentials.ts';
import { credentialDeletionDetail } from '../../src/features/endpoints/model/deletion.ts';
import { json, startScriptedServer, type Received } from '../client/scriptedServer.ts';
import { cleanUp, endpointBody, platformForTest } from '../platform/support.ts';

const body = { name: 'ghcr', username: 'somebody-secret', password: 'correct-horse-battery' };
const asked = (received: readonly Received[]) => received.map(({ method, path }) => `${method} ${path}`);
const problem = (status: number, detail: string) => ({ type: 'about:blank', title: 'Refused', status, detail });

describe('registry credentials on a platform', () => {
  let client: Client;

  before(async () => {
    const { platform } = await platformForTest();
    client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
  });

  after(cleanUp);

  it('can be added, listed, and deleted', async () => {
    const created = await createCredential(client, body);
    assert.deepEqual(await listCredentials(client), [created]);
    await deleteCredential(client, created.id);
    assert.deepEqual(await listCredentials(client), []);
  });

  it('are used only by the endpoints and templates that name them', async () => {
    const [used, unused] = await Promise.all(
      ['used', 'unused'].map((name) => createCredential(client, { ...body, name })),
    );
    assert.ok(used && unused);
    const paused = { workers: { min: 0, max: 0 } };
    await client.createEndpoint({ body: endpointBody({ name: 'private', registry: used.id, ...paused }) });
    await client.createEndpoint({ body: endpointBody({ name: 'public', ...paused }) });
    await client.createTemplate({ body: { name: 'base', image: 'ghcr.io/me/base', registry: used.id } });
    assert.deepEqual(await findUsers(client, used.id), {
      endpoints: ['private'],
      templates: ['base'],
      unknown: undefined,
    });
    assert.deepEqual(await findUsers(client, unused.id), { endpoints: [], templates: [], unknown: undefined });
  });
});

describe('registry credentials on a platform that supports them only on v1', () => {
  it('are listed and added on v1 after one request to v2', async () => {
    await using server = await startScriptedServer(({ method, path }, response) => {
      if (path.startsWith('/v2/')) json(response, 404, problem(404, 'no such path'), 'application/problem+json');
      else json(response, 200, method === 'GET' ? [{ id: 'one', name: 'ghcr' }] : { id: 'two', name: 'ghcr' });
    });
    assert.deepEqual(await listCredentials(server.client), [{ id: 'one', name: 'ghcr' }]);
    assert.deepEqual(await createCredential(server.client, body), { id: 'two', name: 'ghcr' });
    assert.deepEqual(asked(server.received), [
      'GET /v2/registries',
      'GET /v1/containerregistryauth',
      'POST /v1/containerregistryauth',
    ]);
  });

  it('are requested on v2 again when v1 fails too', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 404, { message: 'not found' }));
    for (let attempt = 0; attempt < 2; attempt++) {
      await assert.rejects(listCredentials(server.client), (error) => (error as ApiError).kind === 'notFound');
    }
    assert.equal(asked(server.received).filter((one) => one === 'GET /v2/registries').length, 2);
  });
});

describe('rejected requests for registry credentials', () => {
  it('are not repeated on v1 when the key has no permission', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 403, problem(403, 'not allowed')));
    await assert.rejects(listCredentials(server.client), (error) => (error as ApiError).kind === 'forbidden');
    assert.deepEqual(asked(server.received), ['GET /v2/registries']);
  });

  it('return undefined for a caller that does not require permission', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 403, problem(403, 'not allowed')));
    assert.equal(await listCredentialsIfAllowed(server.client), undefined);
  });

  it('throw for all other reasons', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 401, problem(401, 'unknown key')));
    await assert.rejects(
      listCredentialsIfAllowed(server.client),
      (error) => (error as ApiError).kind === 'unauthorized',
    );
  });

  it('throw an error without the secrets, even if the answer repeats them', async () => {
    await using server = await startScriptedServer(({ body: sent }, response) =>
      json(response, 400, {
        ...problem(400, `invalid body ${sent}`),
        errors: [`$.password: '${body.password}' is bad`],
      }),
    );
    await assert.rejects(createCredential(server.client, body), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.kind, 'validation');
      const texts = JSON.stringify([error.message, error.title, error.errors, error.cause, error.stack]);
      assert.doesNotMatch(texts, /correct-horse|somebody-secret/);
      assert.deepEqual(error.errors, ["$.password: '…' is bad"]);
      return true;
    });
  });
});

describe('the confirmation before a credential is deleted', () => {
  const cases = [
    ['names each endpoint and template that uses it', { endpoints: ['a', 'b'], templates: ['t'] }, undefined],
    ['states that nothing uses it', { endpoints: [], templates: [] }, undefined],
    ['does not state that nothing uses it when a list cannot be read', { endpoints: [], templates: [] }, 'not allowed'],
  ] as const;
  const expected = [
    /^Used by 2 endpoints: a, b\. .*\n\nUsed by 1 template: t\.\n\nThis cannot be undone\.$/,
    /^No endpoint or template uses it\.\n\nThis cannot be undone\.$/,
    /^Could not check whether anything uses it: not allowed\.\n\nThis cannot be undone\.$/,
  ];
  for (const [index, [name, users, unknown]] of cases.entries()) {
    it(name, () => {
      const error =
        unknown === undefined ? undefined : new ApiError('forbidden', unknown, { operation: 'listEndpoints' });
      assert.match(credentialDeletionDetail({ ...users, unknown: error }).text, expected[index] ?? /^$/);
    });
  }

  it('uses the readable list when the key has no permission for the other one', async () => {
    await using server = await startScriptedServer(({ path }, response) => {
      if (path === '/v2/templates')
        json(response, 200, { templates: [{ id: 't', name: 'base', serverless: true, registry: 'r' }] });
      else json(response, 403, problem(403, 'not allowed'));
    });
    const users = await findUsers(server.client, 'r');
    assert.deepEqual([users.endpoints, users.templates, users.unknown?.kind], [[], ['base'], 'forbidden']);
  });
});
