import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { addressesFrom } from '../../../src/features/connections/address.ts';
import { probeAddress, verifyConnection } from '../../../src/features/connections/verifyConnection.ts';
import { startPlatform } from '../../../src/platform/daemon/start.ts';
import { json, startScriptedServer, type Script } from '../../client/scriptedServer.ts';

const { fetch } = globalThis;

const problem = (response: ServerResponse, status: number, detail: string) =>
  json(response, status, { title: 'Error', status, detail }, 'application/problem+json');
const page = (response: ServerResponse, status: number) =>
  void response.writeHead(status, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Welcome</title>');

/** What is said of a key when the service answers like this. */
async function verdict(script: Script, teamId?: string): Promise<string> {
  await using server = await startScriptedServer(script);
  return (await verifyConnection({ ...server.connection, teamId }, { fetch }))?.text ?? 'accepted';
}

/** What is said of an address before there is a key, and what was received there. */
async function probe(script: Script, member: Parameters<typeof probeAddress>[0] = 'baseUrl') {
  await using server = await startScriptedServer(script);
  const said = (await probeAddress(member, server.connection, { fetch }))?.text ?? 'possible';
  return { said, received: server.received };
}

describe('a key is checked before it is stored', () => {
  it('with a real platform', async () => {
    const platform = await startPlatform({ apiKey: 'the-right-key' });
    try {
      const { pid, dataDir, ...connection } = platform.announcement;
      assert.equal(await verifyConnection(connection, { fetch }), undefined);
      const wrong = await verifyConnection({ ...connection, apiKey: 'wrong' }, { fetch });
      assert.match(
        wrong?.text ?? '',
        /^The service does not accept this key \(.+\)\. Copy it again, or make a new one\.$/,
      );
      for (const member of ['baseUrl', 'restUrl', 'queueUrl'] as const)
        assert.equal(await probeAddress(member, connection, { fetch }), undefined, member);
      assert.ok(pid > 0 && dataDir === null);
    } finally {
      await platform.close();
    }
  });

  it('and one that may not do enough is told apart from one that is not known', async () => {
    const said = await verdict((_, response) => problem(response, 403, 'missing scope'));
    assert.match(said, /^The key is known, but may not list endpoints \(missing scope\)/);
  });

  it('and the team is named where the key may not act for it', async () => {
    const said = await verdict((_, response) => problem(response, 403, 'no member'), 'team-1');
    assert.match(said, /team team-1 \(no member\)/);
  });

  it('and another API that refuses it is suspected', async () => {
    const said = await verdict((_, response) => json(response, 401, { message: 'Bad credentials' }));
    assert.match(said, /does not accept this key \(Bad credentials\).*is 127\.0\.0\.1:\d+ its management API\?$/);
  });

  it('and nobody waits in front of it for a rate limit', async () => {
    const said = await verdict((_, response) => {
      response.setHeader('Retry-After', '30');
      problem(response, 429, 'slow down');
    });
    assert.equal(said, 'Too many requests (slow down). Try again in 30 s.');
  });

  it('and a service that fails is not called a wrong address', async () => {
    assert.match(await verdict((_, response) => page(response, 502)), /failed .*Try again later/);
  });

  it('and what is said never holds the key', async () => {
    const scripts: Script[] = [
      (_, response) => problem(response, 401, 'no'),
      (_, response) => problem(response, 403, 'no'),
      (_, response) => page(response, 200),
      (_, response) => void response.destroy(),
    ];
    for (const script of scripts) assert.doesNotMatch(await verdict(script), /the-key/);
  });

  it('and leaving ends the check', async () => {
    const controller = new AbortController();
    await using server = await startScriptedServer(() => controller.abort());
    assert.equal(await verifyConnection(server.connection, { fetch, signal: controller.signal }), undefined);
  });
});

describe('an address is asked before there is a key', () => {
  it('and gets none', async () => {
    const { said, received } = await probe((_, response) => problem(response, 401, 'no key'));
    assert.equal(said, 'possible');
    assert.deepEqual(
      received.map(({ headers }) => headers.authorization),
      [undefined],
    );
  });

  const strangers: Record<string, Script> = {
    'a web page': (_, response) => page(response, 200),
    'a page that is not found': (_, response) => page(response, 404),
    'another API': (_, response) => json(response, 200, { hello: 'world' }),
    'an API without this operation': (_, response) => json(response, 404, { message: 'Not Found' }),
    'one that redirects': (_, response) => void response.writeHead(302, { Location: 'https://example.com' }).end(),
  };
  for (const [what, script] of Object.entries(strangers)) {
    it(`and ${what} is not this platform`, async () => {
      assert.match((await probe(script)).said, /answers, but not as this platform \(.+\)\. .*\/v2\/serverless\.$/);
    });
  }

  it('and a web page is not the queue either, but an endpoint that is not there is no reason', async () => {
    assert.match((await probe((_, response) => page(response, 200), 'queueUrl')).said, /not as this platform/);
    const { said } = await probe((_, response) => json(response, 404, { error: 'endpoint not found' }), 'queueUrl');
    assert.equal(said, 'possible');
  });

  it('and the wording of a refusal does not matter', async () => {
    const detail = 'the service answered: there is no such endpoint';
    const { said } = await probe((_, response) => problem(response, 404, detail), 'queueUrl');
    assert.equal(said, 'possible');
  });

  it('and where there is no such host, or nobody at its port, the remedy is named', async () => {
    const server = await startScriptedServer(() => undefined);
    await server[Symbol.asyncDispose]();
    assert.match(await said('https://nowhere.invalid'), /^The host nowhere\.invalid was not found\. Check/);
    assert.match(await said(server.origin), /^Nothing answers at 127\.0\.0\.1:\d+: the connection was refused/);
  });

  it('and a port that is not encrypted is told apart', async () => {
    await using server = await startScriptedServer((_, response) => void response.end());
    assert.match(await said(server.origin.replace('http:', 'https:')), /^The encrypted connection to .* failed/);
  });

  async function said(address: string): Promise<string> {
    return (await probeAddress('baseUrl', addressesFrom(address), { fetch }))?.text ?? 'possible';
  }
});
