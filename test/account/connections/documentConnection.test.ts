import assert from 'node:assert/strict';
import type { Client } from '../../../src/client/client.ts';
import type { Profile } from '../../../src/account/connections/connectionStore.ts';
import { connectionOfDocument } from '../../../src/account/connections/requireConnection.ts';
import { startScriptedServer } from '../../client/scriptedServer.ts';
import { hosted } from './support.ts';

describe('the connection of a document', () => {
  const profile = (id: string): Profile => {
    const { apiKey = '', ...connection } = hosted('work');
    return { kind: 'hosted', ...connection, apiKey, id, name: `name of ${id}` };
  };
  const work = profile('work');
  const team = profile('team');

  /** Creates connections with the same addresses. `load` makes one of them the current one. */
  function connections(client: Client) {
    return {
      loaded: false,
      client: undefined as Client | undefined,
      profile: undefined as Profile | undefined,
      find: (id: string) => [work, team].find((one) => one.id === id),
      load() {
        this.loaded = true;
        this.client = client;
        this.profile = work;
        return Promise.resolve();
      },
    };
  }

  it('is the current one, after the stored connections have been read', async () => {
    await using server = await startScriptedServer(() => undefined);
    const store = connections(server.client);
    assert.equal((await connectionOfDocument(store, 'work')).client, server.client);
  });

  it('is never another one, even if it has the same addresses', async () => {
    await using server = await startScriptedServer(() => undefined);
    await assert.rejects(connectionOfDocument(connections(server.client), 'team'), {
      code: 'notCurrent',
      message: 'it belongs to the connection “name of team”, which is not the current one',
    });
    await assert.rejects(connectionOfDocument(connections(server.client), 'forgotten'), {
      code: 'unknown',
      message: 'it belongs to a connection that no longer exists',
    });
  });
});
