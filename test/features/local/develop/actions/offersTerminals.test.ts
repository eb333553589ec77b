import assert from 'node:assert/strict';
import { contextOf } from '../../../../../src/client/context.ts';
import { offersTerminals } from '../../../../../src/features/local/develop/actions/offersTerminals.ts';
import { json, startScriptedServer, type Script } from '../../../../client/scriptedServer.ts';
import { cleanUp, platformForTest } from '../../../../platform/support.ts';

const { signal } = new AbortController();

describe('offersTerminals', () => {
  afterEach(cleanUp);

  async function answered(script: Script): Promise<boolean> {
    await using server = await startScriptedServer(script);
    return await offersTerminals(server.client.context, signal);
  }

  it('is true for the platform of a team, with the key of any member', async () => {
    const { platform } = await platformForTest();
    const connection = { ...platform.announcement, apiKey: 'key-of-a-member' };
    assert.equal(await offersTerminals(contextOf({ connection, fetch }), signal), true);
  });

  for (const status of [400, 401, 403, 404, 405])
    it(`is false for a platform that answers an unknown path with ${status}`, async () => {
      assert.equal(await answered((_, response) => json(response, status, { message: 'no' })), false);
    });

  it('is false for a platform that answers an unknown path with a page or another document', async () => {
    assert.equal(await answered((_, response) => void response.end('<!doctype html><p>Welcome</p>')), false);
    assert.equal(await answered((_, response) => json(response, 200, { id: 1 })), false);
  });

  it('fails for a platform that does not answer', async () => {
    await assert.rejects(
      answered((_, response) => json(response, 503, {})),
      { kind: 'server' },
    );
    await assert.rejects(
      answered((_, response) => void response.destroy()),
      { kind: 'network' },
    );
  });
});
