import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { clickAction, createEndpoint, openFile, row, startLocalPlatform } from './actions.ts';
import { openEditor, screenshotOnFailure, skipAfterFailure, temporaryFolder, type Editor } from './harness.ts';
import { whenKept } from './stored.ts';
import { screenshotTheme } from './themes.ts';

const SCHEMA = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    seconds: { type: 'integer', minimum: 0, default: 0 },
    password: { type: 'string', format: 'password' },
  },
};

/** Fills the form for an input as a user does. Each step depends on the previous one. */
describe('the form for the input of a job', () => {
  skipAfterFailure();

  let workspace: Awaited<ReturnType<typeof temporaryFolder>>;
  let editor: Editor;
  screenshotOnFailure(() => editor);
  const field = async (name: string) => (await editor.webviewFrame('Run hello')).getByLabel(name);

  before(async () => {
    workspace = await temporaryFolder();
    await cp(path.join(repository, 'samples', 'hello-queue'), workspace.path, { recursive: true });
    await writeFile(path.join(workspace.path, 'hello.schema.json'), JSON.stringify(SCHEMA));
    const manifest = path.join(workspace.path, 'hello.endpoint.yaml');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace('x-local:\n', 'x-local:\n  inputSchema: hello.schema.json\n'));
    editor = await openEditor({ workspaceFolder: workspace.path, theme: screenshotTheme.title });
    await startLocalPlatform(editor);
    await openFile(editor, 'hello.endpoint.yaml');
    await createEndpoint(editor);
    await row(editor, /idle.* up \d/).waitFor();
  });

  after(async () => {
    await editor.close();
    await workspace.remove();
  });

  it('opens for an endpoint whose manifest names a schema', async () => {
    await clickAction(row(editor, /^hello/), 'Run Job');
    await (await field('seconds')).waitFor();
    await editor.screenshot(`job-form-${screenshotTheme.name}`);
  });

  it('is there again after a reload of the window, with the last values but no secrets', async () => {
    await editor.whenStored('tabs', 'cloudCompute.jobForm');
    await (await field('password')).fill('hidden value');
    // The editor has stored its tabs before these values.
    await (await field('name')).fill('typed before the reload');
    await whenKept(editor.page, 'extension', ['typed before the reload']);
    await editor.reload();
    const name = await field('name');
    await name.waitFor();
    assert.equal(await name.inputValue(), 'typed before the reload');
    assert.equal(await (await field('password')).inputValue(), '');
  });
});
