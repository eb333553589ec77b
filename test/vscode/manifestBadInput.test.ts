import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { activated, nonEmpty, waitFor, workspaceFolder } from './support.ts';

const wroteDiagnostics = vscode.languages.onDidChangeDiagnostics as vscode.Event<never>;

/** Each test waits for the diagnostics of a later document, because the extension must ignore some of the earlier ones. */
describe('Bad input in the manifest editor', () => {
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => void rejections.push(reason);
  const uriOf = (name: string) => vscode.Uri.joinPath(workspaceFolder(), 'bad', name);

  before(async () => {
    await activated();
    await vscode.workspace.fs.createDirectory(uriOf('.'));
    process.on('unhandledRejection', onRejection);
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    assert.deepEqual(rejections, []);
  });

  after(async () => {
    process.off('unhandledRejection', onRejection);
    await vscode.workspace.fs.delete(uriOf('.'), { recursive: true });
  });

  const write = (name: string, content: Uint8Array) => vscode.workspace.fs.writeFile(uriOf(name), content);

  /** Opens a file with a text and returns the codes of its diagnostics. */
  async function codesOf(name: string, text: string): Promise<unknown[]> {
    const uri = uriOf(name);
    await write(name, new TextEncoder().encode(text));
    await vscode.window.showTextDocument(uri);
    const found = await waitFor([wroteDiagnostics], () => nonEmpty(vscode.languages.getDiagnostics(uri)));
    return found.map(({ code }) => code);
  }

  for (const extension of ['yaml', 'yml', 'json']) {
    it(`reports an empty .${extension} file as empty`, async () => {
      assert.deepEqual(await codesOf(`empty.endpoint.${extension}`, ''), ['emptyFile']);
    });

    it(`reports a .${extension} file of a megabyte as too long`, async () => {
      assert.deepEqual(await codesOf(`long.endpoint.${extension}`, 'a: 1\n'.repeat(210_000)), ['tooLong']);
    });

    it(`ignores a binary .${extension} file`, async () => {
      const uri = uriOf(`binary.endpoint.${extension}`);
      await write(
        `binary.endpoint.${extension}`,
        Uint8Array.from({ length: 2_000 }, (_, index) => (index * 37) % 256),
      );
      await assert.rejects(async () => vscode.workspace.openTextDocument(uri));
      assert.deepEqual(await codesOf(`after.endpoint.${extension}`, ''), ['emptyFile']);
      assert.deepEqual(vscode.languages.getDiagnostics(uri), []);
    });

    it(`ignores a directory with the name of a .${extension} file`, async () => {
      const uri = uriOf(`directory.endpoint.${extension}`);
      await vscode.workspace.fs.createDirectory(uri);
      await assert.rejects(async () => vscode.workspace.openTextDocument(uri));
      assert.deepEqual(await codesOf(`later.endpoint.${extension}`, ''), ['emptyFile']);
      assert.deepEqual(vscode.languages.getDiagnostics(uri), []);
    });
  }

  it('keeps diagnostics in the document while its text is half typed', async () => {
    const uri = uriOf('typed.endpoint.yaml');
    assert.deepEqual(await codesOf('typed.endpoint.yaml', ''), ['emptyFile']);
    const document = await vscode.workspace.openTextDocument(uri);
    const text = 'name: hello\nenv:\n  <<: [*a, "b\n\tcpu: {';
    for (const piece of text) {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(uri, document.lineAt(document.lineCount - 1).range.end, piece);
      assert.ok(await vscode.workspace.applyEdit(edit));
    }
    const found = await waitFor([wroteDiagnostics], () =>
      nonEmpty(vscode.languages.getDiagnostics(uri).filter(({ code }) => code === 'syntax')),
    );
    for (const { range } of found) assert.ok(document.validateRange(range).isEqual(range));
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });
});
