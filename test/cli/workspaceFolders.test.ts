import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import path from 'node:path';
import { workspaceFolders } from '../../src/cli/mcp/workspaceFolders.ts';

describe('The folders whose files tools can use', () => {
  const working = path.join(homedir(), 'project');

  it('are those of the flags, then those of the client, then the working directory', () => {
    assert.deepEqual(workspaceFolders(['/flag'], ['/client'], working), ['/flag']);
    assert.deepEqual(workspaceFolders([], ['/client'], working), ['/client']);
    assert.deepEqual(workspaceFolders([], undefined, working), [working]);
  });

  it('are none if the client reports none, because the user has no folder open', () => {
    assert.deepEqual(workspaceFolders([], [], working), []);
  });

  it('are neither the home directory nor a root, unless a flag or the client names it', () => {
    const root = path.parse(working).root;
    for (const directory of [homedir(), `${homedir()}${path.sep}`, root]) {
      assert.deepEqual(workspaceFolders([], undefined, directory), [], directory);
      assert.deepEqual(workspaceFolders([directory], undefined, working), [directory]);
      assert.deepEqual(workspaceFolders([], [directory], working), [directory]);
    }
  });
});
