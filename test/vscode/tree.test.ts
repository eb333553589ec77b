import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { inputs } from './inputs.ts';
import { activated, nextEvent, stubbed, waitFor, workspaceFolder } from './support.ts';

const editorsChanged = [vscode.window.onDidChangeActiveTextEditor] as unknown as vscode.Event<never>[];

const textsChanged = [vscode.workspace.onDidChangeTextDocument] as unknown as vscode.Event<never>[];

/** Runs after most other test files, because some of them expect only one endpoint. */
describe('An endpoint of the explorer', function () {
  let node: { readonly kind: 'endpoint'; readonly endpointId: string };

  before(async () => {
    await activated();
    await vscode.commands.executeCommand('cloudCompute.localPlatform.start');
    const sample = vscode.Uri.joinPath(workspaceFolder(), 'hello.endpoint.yaml');
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(sample));
    const manifest = vscode.Uri.joinPath(workspaceFolder(), 'explored.endpoint.yaml');
    // The first name in the list of endpoints.
    const explored = text.replace(/^name: .*/m, `name: 0-explored-${Date.now()}`);
    await vscode.workspace.fs.writeFile(manifest, new TextEncoder().encode(explored));
    await vscode.commands.executeCommand('cloudCompute.manifest.createEndpoint', manifest);
    const id = await copied('cloudCompute.endpoints.copyId', true);
    node = { kind: 'endpoint', endpointId: id };
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('cloudCompute.localPlatform.stop');
  });

  /** Returns the text that a command copies to the clipboard. With `pick`, selects the first endpoint in its list. */
  async function copied(command: string, pick = false): Promise<string> {
    await vscode.env.clipboard.writeText('');
    const done = vscode.commands.executeCommand(command, ...(pick ? [] : [node]));
    // No event reports that the list contains the endpoints.
    while (pick && (await vscode.env.clipboard.readText()) === '') {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await done;
    return vscode.env.clipboard.readText();
  }

  /** Returns the text that *Copy As…* copies in a form. */
  async function copiedAs(label: string): Promise<string> {
    await choosing([label], () => vscode.commands.executeCommand('cloudCompute.copyAs', node));
    return vscode.env.clipboard.readText();
  }

  /** Answers the next quick picks with the rows that have these labels. Each row says what it does, or its value. */
  async function choosing(labels: readonly string[], act: () => Thenable<unknown>): Promise<void> {
    const left = [...labels];
    const showQuickPick = (rows: readonly vscode.QuickPickItem[]) => {
      const wanted = left.shift();
      return Promise.resolve(rows.find(({ label }) => label === wanted));
    };
    await stubbed({ showQuickPick: showQuickPick as never }, act);
    assert.deepEqual(left, [], 'all quick picks were shown');
  }

  /** Returns the document that a command opens. */
  async function shownBy(command: string): Promise<vscode.TextDocument> {
    await vscode.commands.executeCommand(command, node);
    const editor = await waitFor(editorsChanged, () => {
      const active = vscode.window.activeTextEditor;
      return active?.document.uri.scheme === 'cloud-compute-endpoint' && active;
    });
    return editor.document;
  }

  /** Resolves with the text of a document once its tab is active. */
  async function shownText(uri: vscode.Uri): Promise<string> {
    const editor = await waitFor(editorsChanged, () => {
      const active = vscode.window.activeTextEditor;
      return active?.document.uri.toString() === uri.toString() && active;
    });
    return editor.document.getText();
  }

  async function replaceIn(document: vscode.TextDocument, from: RegExp, to: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    const all = new vscode.Range(0, 0, document.lineCount, 0);
    edit.replace(document.uri, all, document.getText().replace(from, to));
    await vscode.workspace.applyEdit(edit);
  }

  async function scale(limits: string): Promise<void> {
    await stubbed({ showInputBox: () => Promise.resolve(limits) }, () =>
      vscode.commands.executeCommand('cloudCompute.endpoints.scale', node),
    );
  }

  it('copies its id, its URL, and a curl command with a variable for the key', async () => {
    assert.equal(await copied('cloudCompute.endpoints.copyId'), node.endpointId);
    const url = await copiedAs('$(globe) Request URL');
    assert.match(url, new RegExp(`^http://127\\.0\\.0\\.1:\\d+/.*${node.endpointId}/run$`));
    const command = await copiedAs('$(terminal) cURL Command');
    assert.ok(command.startsWith(`curl '${url}'`));
    assert.match(command, /Bearer \$CLOUD_COMPUTE_API_KEY"/);
  });

  it('opens as a read-only document', async () => {
    const document = await shownBy('cloudCompute.endpoints.open');
    assert.equal(document.languageId, 'yaml');
    assert.match(document.getText(), new RegExp(`^id: "?${node.endpointId}"?$`, 'm'));
    const { permissions } = await vscode.workspace.fs.stat(document.uri);
    assert.equal(permissions, vscode.FilePermission.Readonly);
  });

  it('shows its current state when its closed document is opened again', async () => {
    const { uri } = await shownBy('cloudCompute.endpoints.open');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    // The editor disposes this document with its tab. It keeps one that the extension opened for minutes.
    const another = uri.with({ path: uri.path.replace(/[^/]+$/, 'another.yaml') });
    await vscode.commands.executeCommand('vscode.open', another);
    assert.match(await shownText(another), /^ {2}max: 2$/m);
    const closed = nextEvent(vscode.workspace.onDidCloseTextDocument, (one) => one.uri.path === another.path);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await closed;
    await scale('0-3');
    await vscode.commands.executeCommand('workbench.action.reopenClosedEditor');
    assert.match(await shownText(another), /^ {2}max: 3$/m);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('opens its explanation as formatted text with the numbers of jobs and workers', async () => {
    const show = async () => {
      await vscode.commands.executeCommand('cloudCompute.endpoints.explain', node);
      const tabsChanged = [vscode.window.tabGroups.onDidChangeTabs] as unknown as vscode.Event<never>[];
      const { viewType } = await waitFor(tabsChanged, () => {
        const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
        return input instanceof vscode.TabInputWebview && input;
      });
      assert.match(viewType, /markdown\.preview$/);
      const explained = ({ uri }: vscode.TextDocument) =>
        uri.scheme === 'cloud-compute-endpoint' && uri.path.endsWith('.md');
      return vscode.workspace.textDocuments.find(explained);
    };
    const document = await show();
    assert.match(document?.getText() ?? '', /^# 0-explored/);
    assert.match(document?.getText() ?? '', /## Observations\n\n[^]*Worker range: 0 to 3\n[^]*Jobs: /);
    await scale('0-2');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await show();
    await waitFor(textsChanged, () => document?.getText().includes('Worker range: 0 to 2'));
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('opens its manifest with live diagnostics, and does not save it while it is invalid', async () => {
    const document = await shownBy('cloudCompute.endpoints.edit');
    assert.ok(document.uri.path.endsWith('.endpoint.yaml'));
    await replaceIn(document, /QUEUE\n/, 'QUEUED\n');
    const wrote = [vscode.languages.onDidChangeDiagnostics] as unknown as vscode.Event<never>[];
    await waitFor(wrote, () => vscode.languages.getDiagnostics(document.uri).length > 0);
    assert.equal(await document.save(), false);
    // Not a revert: right after a failed save, the editor only marks the document as unchanged.
    await replaceIn(document, /QUEUED\n/, 'QUEUE\n');
    assert.equal(await document.save(), true);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('saves an unchanged manifest without a confirmation', async () => {
    const document = await shownBy('cloudCompute.endpoints.edit');
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), '# only a comment\n');
    await vscode.workspace.applyEdit(edit);
    assert.equal(await document.save(), true);
    assert.match(document.getText(), /^# only a comment/);
  });

  it('saves an edit after the local platform has started again', async () => {
    const document = await shownBy('cloudCompute.endpoints.edit');
    await waitFor(textsChanged, () => !document.getText().startsWith('# only a comment'));
    await replaceIn(document, /max: \d+/, 'max: 4');
    await vscode.commands.executeCommand('cloudCompute.localPlatform.restart');
    const { asked, done } = inputs({ confirm: 'Update Endpoint' });
    assert.equal(await document.save(), true);
    done();
    assert.match(asked.join(), /^Update endpoint “0-explored-\d+”\?.*4/s);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const updated = await shownBy('cloudCompute.endpoints.open');
    await waitFor(textsChanged, () => /^ {2}max: 4$/m.test(updated.getText()));
  });

  it('asks for confirmation only when the user saves it, and not after the delay of an automatic save', async () => {
    const settings = vscode.workspace.getConfiguration('files');
    const { asked, done } = inputs({ confirm: 'Update Endpoint' });
    await settings.update('autoSave', 'afterDelay', vscode.ConfigurationTarget.Workspace);
    try {
      const document = await shownBy('cloudCompute.endpoints.edit');
      await replaceIn(document, /max: \d+/, 'max: 7');
      const manifest = await vscode.workspace.openTextDocument(
        vscode.Uri.joinPath(workspaceFolder(), 'explored.endpoint.yaml'),
      );
      const saved = nextEvent(vscode.workspace.onDidSaveTextDocument, ({ uri }) => uri.path === manifest.uri.path);
      // The delay of this change starts and ends later.
      await replaceIn(manifest, /^/, '# changed\n');
      await saved;
      assert.deepEqual([asked, document.isDirty], [[], true]);
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.files.save');
      assert.match(asked.join(), /^Update endpoint “0-explored-\d+”\?.*7/s);
      assert.equal(document.isDirty, false);
    } finally {
      done();
      await settings.update('autoSave', undefined, vscode.ConfigurationTarget.Workspace);
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const updated = await shownBy('cloudCompute.endpoints.open');
    await waitFor(textsChanged, () => /^ {2}max: 7$/m.test(updated.getText()));
  });

  it('compares an edit with the endpoint at its start, also after its language has changed', async () => {
    const document = await shownBy('cloudCompute.endpoints.edit');
    await replaceIn(document, /max: \d+/, 'max: 6');
    const closed = nextEvent(vscode.workspace.onDidCloseTextDocument, (one) => one.uri.path === document.uri.path);
    const reopened = await vscode.languages.setTextDocumentLanguage(document, 'plaintext');
    await closed;
    await scale('0-5');
    const { asked, done } = inputs({ confirm: 'Update Endpoint' });
    assert.equal(await reopened.save(), true);
    done();
    assert.match(asked.join(), /This overwrites a newer change of workers\./);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('does not ask for a sort order, group, filter, or favorite that is an argument', async () => {
    for (const [command, argument] of [
      ['arrange', { sort: 'state', group: 'type', filter: 'explored' }],
      ['addFavorite', node],
      ['refreshOne', node],
      ['removeFavorite', node],
      ['clearFilter', undefined],
      ['arrange', { sort: 'name', group: 'none' }],
      ['refresh', undefined],
    ] as const) {
      await vscode.commands.executeCommand(`cloudCompute.endpoints.${command}`, argument);
    }
  });

  it('arranges the view in steps, with rows that say what they do', async () => {
    const arrange = () => vscode.commands.executeCommand('cloudCompute.endpoints.arrange');
    await choosing(['$(sort-precedence) Sort…', 'By State (most urgent first)'], arrange);
    await choosing(['$(group-by-ref-type) Group…', 'By Hardware'], arrange);
    const seen: (readonly vscode.QuickPickItem[])[] = [];
    const showQuickPick = (rows: readonly vscode.QuickPickItem[]) => Promise.resolve(void seen.push(rows));
    await stubbed({ showQuickPick: showQuickPick as never }, arrange);
    assert.deepEqual(
      seen[0]?.map(({ description }) => description),
      ['', 'By State (most urgent first)', 'By Hardware'],
    );
    assert.ok(seen[0].every(({ detail }) => detail?.endsWith('.')));
    await vscode.commands.executeCommand('cloudCompute.endpoints.arrange', { sort: 'name', group: 'none' });
  });

  const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };

  /** Returns the error messages that a command shows. */
  async function errorsOf(command: string): Promise<string[]> {
    const { showErrorMessage } = vscode.window;
    const messages: string[] = [];
    window.showErrorMessage = (message: string) => {
      messages.push(message);
      return Promise.resolve(undefined);
    };
    await vscode.commands.executeCommand(command, node);
    window.showErrorMessage = showErrorMessage;
    return messages;
  }

  it('scales in one step, validates the input while it is typed, and ignores Escape', async () => {
    const { showInputBox } = vscode.window;
    const offered: unknown[] = [];
    const answer = async (text: string | undefined): Promise<void> => {
      window.showInputBox = async (options?: vscode.InputBoxOptions) => {
        offered.push(options?.value);
        const problem = await options?.validateInput?.('3-1');
        assert.ok(typeof problem === 'string' && problem.includes('greater than the maximum'));
        return text;
      };
      await vscode.commands.executeCommand('cloudCompute.endpoints.scale', node);
    };
    await answer('0-1');
    await answer(undefined);
    await answer('0-1');
    window.showInputBox = showInputBox;
    assert.deepEqual(offered.slice(1), ['0-1', '0-1']);
  });

  it('reports that the local platform has no console', async () => {
    assert.match((await errorsOf('cloudCompute.endpoints.openInBrowser')).join(), /no console address is set/);
  });

  it('deletes the endpoint only after a confirmation that names it', async () => {
    const no = inputs();
    await vscode.commands.executeCommand('cloudCompute.endpoints.delete', node);
    no.done();
    assert.match(no.asked[0] ?? '', /“0-explored-\d+”/);
    assert.equal(await copied('cloudCompute.endpoints.copyId'), node.endpointId);
    const yes = inputs({ confirm: 'Delete' });
    await vscode.commands.executeCommand('cloudCompute.endpoints.delete', node);
    yes.done();
    assert.equal((await errorsOf('cloudCompute.endpoints.open')).length, 1, 'the endpoint no longer exists');
  });
});
