import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { inputs } from './inputs.ts';
import { activated } from './support.ts';

const { executeCommand } = vscode.commands;
const ADD = 'Add Registry Credential';
const DELETE = 'Delete Registry Credential';

describe('The commands of resources', function () {
  before(async () => {
    await activated();
    await executeCommand('cloudCompute.localPlatform.start');
  });

  after(() => executeCommand('cloudCompute.localPlatform.stop'));

  /** Returns the ids of the credentials by name, as listed by the delete command. */
  async function listed(): Promise<Map<string, string>> {
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.registries.delete');
    const list = await page(DELETE);
    const descriptions = list.descriptions();
    const all = new Map(list.labels().map((label, index) => [label, descriptions[index] ?? '']));
    await list.leave();
    await command;
    done();
    return all;
  }

  it('create: hides the password and rejects a duplicate name', async () => {
    for (const name of ['ghcr', 'spare']) {
      const { page, done } = inputs();
      const command = executeCommand('cloudCompute.registries.create');
      await (await page(ADD, 1)).type(name);
      await (await page(ADD, 2)).type('somebody');
      const password = await page(ADD, 3);
      assert.equal(password.isPassword(), true);
      await password.type('hush-hush');
      await command;
      done();
    }
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.registries.create');
    const name = await page(ADD, 1);
    await name.type('ghcr');
    assert.equal(await name.refusal(), 'A credential with this name already exists.');
    await name.leave();
    await command;
    done();
    const names = [...(await listed()).keys()];
    assert.deepEqual(names.slice(0, 2).sort(), ['ghcr', 'spare']);
  });

  it('create: the back button shows the earlier answer', async () => {
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.registries.create');
    await (await page(ADD, 1)).type('third');
    await (await page(ADD, 2)).back();
    const name = await page(ADD, 1);
    assert.equal(name.value(), 'third');
    await name.leave();
    await command;
    done();
  });

  it('delete: does nothing unless the user confirms', async () => {
    const { page, asked, done } = inputs();
    const command = executeCommand('cloudCompute.registries.delete');
    await (await page(DELETE)).choose('ghcr');
    await command;
    done();
    assert.match(asked[0] ?? '', /Delete registry credential “ghcr”\? No endpoint or template uses it/);
    assert.ok((await listed()).has('ghcr'));
  });

  it('delete: deletes a credential from its row, from the list, and by id', async () => {
    const id = (await listed()).get('ghcr') ?? '';
    const row = inputs({ confirm: 'Delete' });
    await executeCommand('cloudCompute.registries.delete', { kind: 'resource', group: 'registries', id });
    row.done();
    assert.match(row.asked[0] ?? '', /“ghcr”/);
    const spare = (await listed()).get('spare') ?? '';
    const { page, asked, done } = inputs({ confirm: 'Delete' });
    const command = executeCommand('cloudCompute.registries.delete');
    await (await page(DELETE)).choose('$(edit) Enter an ID…');
    const box = await page(DELETE);
    await box.type('not an id');
    assert.match(await box.refusal(), /letters, digits/);
    await box.type(spare);
    await command;
    done();
    assert.match(asked[0] ?? '', new RegExp(`with the ID ${spare}`));
    const last = inputs();
    const empty = executeCommand('cloudCompute.registries.delete');
    // The command asks for an id when there are no credentials.
    const question = await last.page(DELETE);
    assert.deepEqual(question.labels(), []);
    await question.leave();
    await empty;
    last.done();
  });

  it('copyId: copies the id to the clipboard', async () => {
    await executeCommand('cloudCompute.resources.copyId', { kind: 'resource', group: 'templates', id: 'abc123' });
    assert.equal(await vscode.env.clipboard.readText(), 'abc123');
  });

  it('refresh: does not fail', async () => {
    await executeCommand('cloudCompute.resources.refresh');
  });
});
