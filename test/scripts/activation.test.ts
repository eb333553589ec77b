import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';

interface Manifest {
  readonly activationEvents: readonly string[];
}

const CONTAINS = 'workspaceContains:';

describe('Activation events', () => {
  async function activationEvents(): Promise<readonly string[]> {
    const text = await readFile(path.join(repository, 'package.json'), 'utf8');
    return (JSON.parse(text) as Manifest).activationEvents;
  }

  /** Returns whether a workspace that contains the file activates the extension. */
  async function activates(file: string): Promise<boolean> {
    const events = await activationEvents();
    return events.some((event) => event.startsWith(CONTAINS) && path.matchesGlob(file, event.slice(CONTAINS.length)));
  }

  for (const name of ['hello.endpoint.yaml', 'hello.endpoint.yml', 'hello.endpoint.json', 'hello.job.json'])
    it(`include a workspace that contains ${name}`, async () => {
      assert.equal(await activates(name), true);
      assert.equal(await activates(`team/services/${name}`), true);
    });

  for (const name of ['docker-compose.yaml', 'workflow.yml', 'package.json', 'endpoint.yaml', 'job.json'])
    it(`exclude a workspace that contains only ${name}`, async () => assert.equal(await activates(name), false));

  it('concern only files, documents, webviews, debuggers, and links of the extension, and Python files, whose functions have a CodeLens', async () => {
    const own =
      /^(workspaceContains:\*\*\/\*\.(endpoint|job)\.|onFileSystem:cloud-compute-|onWebviewPanel:cloudCompute\.|onDebug(Resolve|DynamicConfigurations):cloudCompute$|onLanguage:python$|onUri$)/;
    assert.deepEqual(
      (await activationEvents()).filter((event) => !own.test(event)),
      [],
    );
  });
});
