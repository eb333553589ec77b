import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { addressesFrom } from '../../../../src/account/connections/model/address.ts';
import {
  probeAddress,
  readTeamAnswer,
  verifyConnection,
} from '../../../../src/account/connections/actions/verifyConnection.ts';
import { startPlatform } from '../../../../src/platform/daemon/start.ts';
import { endpoint } from '../../../features/endpoints/sample.ts';
import { json, startScriptedServer, type Script } from '../../../client/scriptedServer.ts';

const { fetch } = globalThis;

const problem = (response: ServerResponse, status: number, detail: string) =>
  json(response, status, { title: 'Error', status, detail }, 'application/problem+json');
const page = (response: ServerResponse, status: number) =>
  void response.writeHead(status, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Welcome</title>');

/** Returns the result of verifying a key with a scripted service. */
async function verdict(script: Script, teamId?: string): Promise<string> {
  await using server = await startScriptedServer(script);
  return (await verifyConnection({ ...server.connection, teamId }, { fetch }))?.text ?? 'accepted';
}

/** Returns the result of probing an address of a scripted service, and the requests that it received. */
async function probe(script: Script, member: Parameters<typeof probeAddress>[0] = 'baseUrl') {
  await using server = await startScriptedServer(script);
  const result = (await probeAddress(member, server.connection, { fetch }))?.text ?? 'possible';
  return { result, received: server.received };
}

describe('readTeamAnswer', () => {
  /** A platform whose key belongs to the team `member`. It answers other teams with the account of the key. */
  const script: Script = ({ headers }, response) => {
    const team = headers['x-team-id'];
    if (team === 'refused') {
      problem(response, 403, 'no member');
      return;
    }
    json(response, 200, { endpoints: team === 'member' ? [listed('t1'), listed('t2')] : [listed('own')] });
  };
  const listed = (id: string) => ({ ...endpoint, id });

  it('tells the endpoints of a team from those of the account of the key', async () => {
    await using server = await startScriptedServer(script);
    const answer = (teamId: string) => readTeamAnswer({ ...server.connection, teamId }, { fetch });
    assert.deepEqual(await answer('member'), { endpoints: 2, isOwnAccount: false });
    assert.deepEqual(await answer('other'), { endpoints: 1, isOwnAccount: true });
    await assert.rejects(answer('refused'), { kind: 'forbidden' });
  });
});

describe('verifyConnection', () => {
  it('accepts the key of a real platform and rejects another key', async () => {
    const platform = await startPlatform({ apiKey: 'the-right-key' });
    try {
      const { pid, dataDir, ...connection } = platform.announcement;
      assert.equal(await verifyConnection(connection, { fetch }), undefined);
      const wrong = await verifyConnection({ ...connection, apiKey: 'wrong' }, { fetch });
      assert.match(
        wrong?.text ?? '',
        /^The service did not accept the API key \(.+\)\. Copy it again, or create another one\.$/,
      );
      for (const member of ['baseUrl', 'restUrl', 'queueUrl'] as const)
        assert.equal(await probeAddress(member, connection, { fetch }), undefined, member);
      assert.ok(pid > 0 && dataDir === null);
    } finally {
      await platform.close();
    }
  });

  it('distinguishes a key without permission from an unknown key', async () => {
    const result = await verdict((_, response) => problem(response, 403, 'missing scope'));
    assert.match(result, /^The API key has no permission to list endpoints \(missing scope\)/);
  });

  it('names the team when the key has no permission for it', async () => {
    const result = await verdict((_, response) => problem(response, 403, 'no member'), 'team-1');
    assert.match(result, /team team-1 \(no member\)/);
  });

  it('suggests a wrong address when another API rejects the key', async () => {
    const result = await verdict((_, response) => json(response, 401, { message: 'Bad credentials' }));
    assert.match(
      result,
      /did not accept the API key \(Bad credentials\).*Check that 127\.0\.0\.1:\d+ is the address of its management API\.$/,
    );
  });

  it('reports a rate limit without waiting', async () => {
    const result = await verdict((_, response) => {
      response.setHeader('Retry-After', '30');
      problem(response, 429, 'slow down');
    });
    assert.equal(result, 'Too many requests (slow down). Try again in 30 s.');
  });

  it('does not report a failing service as a wrong address', async () => {
    assert.match(await verdict((_, response) => page(response, 502)), /failed .*Try again later/);
  });

  it('never includes the key in its result', async () => {
    const scripts: Script[] = [
      (_, response) => problem(response, 401, 'no'),
      (_, response) => problem(response, 403, 'no'),
      (_, response) => page(response, 200),
      (_, response) => void response.destroy(),
    ];
    for (const script of scripts) assert.doesNotMatch(await verdict(script), /the-key/);
  });

  it('returns undefined when it is aborted', async () => {
    const controller = new AbortController();
    await using server = await startScriptedServer(() => controller.abort());
    assert.equal(await verifyConnection(server.connection, { fetch, signal: controller.signal }), undefined);
  });
});

describe('probeAddress', () => {
  it('sends no key', async () => {
    const { result, received } = await probe((_, response) => problem(response, 401, 'no key'));
    assert.equal(result, 'possible');
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
    'a redirect': (_, response) => void response.writeHead(302, { Location: 'https://example.com' }).end(),
  };
  for (const [what, script] of Object.entries(strangers)) {
    it(`rejects ${what}`, async () => {
      assert.match((await probe(script)).result, /does not respond like a platform \(.+\)\. .*\/v2\/serverless\.$/);
    });
  }

  it('rejects a web page as the queue, and accepts a queue without the probed endpoint', async () => {
    assert.match((await probe((_, response) => page(response, 200), 'queueUrl')).result, /not respond like a platform/);
    const { result } = await probe((_, response) => json(response, 404, { error: 'endpoint not found' }), 'queueUrl');
    assert.equal(result, 'possible');
  });

  it('does not depend on the text of an error', async () => {
    const detail = 'the service answered: there is no such endpoint';
    const { result } = await probe((_, response) => problem(response, 404, detail), 'queueUrl');
    assert.equal(result, 'possible');
  });

  it('names the remedy for an unknown host and for a closed port', async () => {
    const server = await startScriptedServer(() => undefined);
    await server[Symbol.asyncDispose]();
    assert.match(await resultOf('https://nowhere.invalid'), /^The host nowhere\.invalid was not found\. Check/);
    assert.match(await resultOf(server.origin), /^127\.0\.0\.1:\d+ refused the connection\./);
  });

  it('reports a port that is not encrypted', async () => {
    await using server = await startScriptedServer((_, response) => void response.end());
    assert.match(await resultOf(server.origin.replace('http:', 'https:')), /^The encrypted connection to .* failed/);
  });

  async function resultOf(address: string): Promise<string> {
    return (await probeAddress('baseUrl', addressesFrom(address), { fetch }))?.text ?? 'possible';
  }
});
