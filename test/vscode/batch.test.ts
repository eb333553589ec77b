import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { emptyPlatform } from './emptyPlatform.ts';
import { activated, stubbed, waitFor, workspaceFolder } from './support.ts';

interface Asked {
  readonly message: string;
  readonly buttons: readonly string[];
  answer(button: string | undefined): void;
}

/** Intercepts notifications with buttons. Each waits for the answer of the test. */
function notifications() {
  const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };
  const { showWarningMessage, showInformationMessage } = vscode.window;
  const asked: Asked[] = [];
  let wake = Promise.withResolvers<void>();
  const intercept = (message: string, ...buttons: string[]): Promise<never> =>
    new Promise((resolve) => {
      asked.push({ message, buttons, answer: (button) => resolve(button as never) });
      wake.resolve();
      wake = Promise.withResolvers();
    });
  window.showWarningMessage = intercept as never;
  window.showInformationMessage = intercept as never;
  return {
    /** Resolves with the next notification whose message matches. */
    next: async (pattern: RegExp): Promise<Asked> => {
      for (;;) {
        const index = asked.findIndex(({ message }) => pattern.test(message));
        const [found] = index === -1 ? [] : asked.splice(index, 1);
        if (found) return found;
        await wake.promise;
      }
    },
    /** Messages that no test has taken. */
    rest: () => asked.map(({ message }) => message),
    done: () => Object.assign(window, { showWarningMessage, showInformationMessage }),
  };
}

/** Runs the sample worker on the local platform. The timeout allows for a slow start of processes. */
describe('Batches on the local platform', () => {
  let shown: ReturnType<typeof notifications>;

  const fileNamed = (name: string) => vscode.Uri.joinPath(workspaceFolder(), name);
  const write = (name: string, text: string) =>
    vscode.workspace.fs.writeFile(fileNamed(name), new TextEncoder().encode(text));
  const read = async (name: string) => new TextDecoder().decode(await vscode.workspace.fs.readFile(fileNamed(name)));

  before(async () => {
    await activated();
    await vscode.commands.executeCommand('cloudCompute.localPlatform.start');
    await vscode.commands.executeCommand('cloudCompute.manifest.createEndpoint', fileNamed('hello.endpoint.yaml'));
    shown = notifications();
  });

  after(async () => {
    shown.done();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    await emptyPlatform();
  });

  it('run the valid rows of a file, list the broken ones, and open the results on request', async () => {
    const rows = Array.from({ length: 50 }, (_, row) => JSON.stringify({ name: `row ${row + 1}`, seconds: 0 }));
    rows[9] = '{"name": "broken"';
    rows[19] = JSON.stringify({ seconds: 0, fail: true });
    await write('rows.jsonl', rows.join('\n'));
    const command = vscode.commands.executeCommand('cloudCompute.batch.run', fileNamed('rows.jsonl'));

    const question = await shown.next(/broken row/);
    assert.match(question.message, /“rows\.jsonl” has 1 broken row and 49 valid rows\. Line 10 is not JSON/);
    question.answer('Show Rows');
    const again = await shown.next(/broken row/);
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /^Line 10 is not JSON/);
    again.answer('Skip Broken Rows');
    await command;

    const summary = await shown.next(/^Batch “rows\.jsonl”/);
    assert.equal(summary.message, 'Batch “rows.jsonl”: 48 completed, 1 failed');
    assert.deepEqual(summary.buttons, ['Open Results', 'Retry Failed']);
    const results = (await read('rows.results.jsonl')).trimEnd().split('\n');
    assert.equal(results.length, 49);
    const first = JSON.parse(results[0] ?? '') as Record<string, unknown>;
    assert.deepEqual([first['row'], first['reference'], first['status']], [1, 1, 'COMPLETED']);
    assert.match(JSON.stringify(first['output']), /row 1/);
    assert.equal((await read('rows.results.csv')).trimEnd().split('\r\n').length, 50);
    // The end of a batch must not interrupt other work.
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /^Line 10 is not JSON/);

    summary.answer('Retry Failed');
    const retried = await shown.next(/^Batch “rows\.jsonl”/);
    assert.equal(retried.message, 'Batch “rows.jsonl”: 48 completed, 1 failed');
    retried.answer('Open Results');
    const opened = fileNamed('rows.results.jsonl').toString();
    await waitFor(
      [vscode.window.onDidChangeActiveTextEditor as vscode.Event<never>],
      () => vscode.window.activeTextEditor?.document.uri.toString() === opened,
    );
  });

  it('have one notification for all rows that fail', async () => {
    const row = JSON.stringify({ seconds: 0, fail: true });
    await write('failing.jsonl', Array.from({ length: 20 }, () => row).join('\n'));
    await vscode.commands.executeCommand('cloudCompute.batch.run', fileNamed('failing.jsonl'));
    const summary = await shown.next(/failing\.jsonl/);
    assert.equal(summary.message, 'Batch “failing.jsonl”: 0 completed, 20 failed');
    summary.answer(undefined);
    assert.deepEqual(shown.rest(), []);
    for (const name of ['failing.jsonl', 'failing.results.jsonl', 'failing.results.csv'])
      await vscode.workspace.fs.delete(fileNamed(name));
  });

  it('list the row files of the workspace, those of the active file first', async () => {
    await write('other.csv', 'name,seconds\na,0\n');
    await write('rows.endpoint.jsonl', '');
    await vscode.commands.executeCommand('vscode.open', fileNamed('rows.results.csv'));
    const offered: string[] = [];
    const showQuickPick = (items: readonly vscode.QuickPickItem[]) => {
      offered.push(...items.map(({ label }) => label));
      return Promise.resolve(undefined);
    };
    await stubbed({ showQuickPick }, () => vscode.commands.executeCommand('cloudCompute.batch.run'));
    await vscode.commands.executeCommand('vscode.open', fileNamed('other.csv'));
    await stubbed({ showQuickPick }, () => vscode.commands.executeCommand('cloudCompute.batch.run'));
    const rest = ['', '$(folder-opened) Browse…', '$(folder) Browse Folders…'];
    assert.deepEqual(offered, [
      ...['$(table) rows.endpoint.jsonl', '$(table) rows.jsonl', '$(table) other.csv', ...rest],
      ...['$(table) other.csv', '$(table) rows.endpoint.jsonl', '$(table) rows.jsonl', ...rest],
    ]);
    await vscode.workspace.fs.delete(fileNamed('other.csv'));
    await vscode.workspace.fs.delete(fileNamed('rows.endpoint.jsonl'));
  });

  it('do not ask for the only row file if it is the active file', async () => {
    await vscode.commands.executeCommand('vscode.open', fileNamed('rows.jsonl'));
    const showQuickPick = () => assert.fail('the file was asked for');
    const command = stubbed({ showQuickPick }, () => vscode.commands.executeCommand('cloudCompute.batch.run'));
    (await shown.next(/“rows\.jsonl” has 1 broken row/)).answer(undefined);
    await command;
  });

  it('do not start if broken rows are not skipped', async () => {
    await write('none.csv', 'name,seconds\nonly one cell\n');
    const command = vscode.commands.executeCommand('cloudCompute.batch.run', fileNamed('none.csv'));
    const question = await shown.next(/broken row/);
    assert.match(question.message, /Line 2 has 1 column instead of 2/);
    question.answer(undefined);
    await command;
    await assert.rejects(async () => vscode.workspace.fs.stat(fileNamed('none.results.csv')));
  });

  it('ask before they replace results of another batch', async () => {
    await write('twice.csv', 'name,seconds\na,0\n');
    await write('twice.results.csv', 'mine');
    await vscode.commands.executeCommand('cloudCompute.batch.run', fileNamed('twice.csv'));
    (await shown.next(/already exists/)).answer('Keep Both');
    (await shown.next(/^Batch “twice\.csv”: 1 completed$/)).answer(undefined);
    assert.equal(await read('twice.results.csv'), 'mine');
    assert.match(await read('twice.results-2.csv'), /^row,reference,jobId,status/);
  });

  it('are listed with the reason and their results if their journal is damaged or of a newer version', async () => {
    const label = '“rows.jsonl”';
    let revealed: vscode.Uri | undefined;
    const { executeCommand } = vscode.commands;
    const commands = vscode.commands as { executeCommand: typeof executeCommand };
    commands.executeCommand = ((command: string, ...args: unknown[]) => {
      if (command !== 'revealFileInOS') return executeCommand(command, ...args);
      revealed = args[0] as vscode.Uri;
      return Promise.resolve();
    }) as never;
    /** Manages the batches, chooses one, and then an action. Returns the row of the batch and the actions. */
    const manage = async (wanted: string, action: string) => {
      const picks: (readonly vscode.QuickPickItem[])[] = [];
      const choose = (items: readonly vscode.QuickPickItem[]) => {
        picks.push(items);
        return Promise.resolve(items.find((item) => item.label === (picks.length === 1 ? wanted : action)));
      };
      await stubbed({ showQuickPick: choose }, () => executeCommand('cloudCompute.batch.manage'));
      const row = picks[0]?.find((item) => item.label === wanted);
      return { row, actions: (picks[1] ?? []).map((item) => item.label) };
    };
    const opened = () => vscode.window.activeTextEditor?.document.uri.path ?? '';
    try {
      await manage(label, 'Open Folder');
      const folder = revealed ?? assert.fail('the folder is not shown');
      const journal = vscode.Uri.joinPath(folder, 'journal.jsonl');
      const content = new TextDecoder().decode(await vscode.workspace.fs.readFile(journal));
      const put = (text: string) => vscode.workspace.fs.writeFile(journal, new TextEncoder().encode(text));

      await put(`${content}{"kind":"sending","row":1,"key":"k","at":1,"sum":"00000000"}\n`);
      const damaged = await manage(label, 'Open Results');
      assert.match(damaged.row?.description ?? '', /^Done · Damaged · /);
      assert.match(damaged.row?.detail ?? '', /48 completed, 1 failed\. Its journal is damaged in 1 place\./);
      assert.ok(damaged.row?.iconPath instanceof vscode.ThemeIcon);
      assert.match(opened(), /rows\.results\.jsonl$/);

      const newer = `${content}{"kind":"merged"}\n`;
      await put(newer);
      const other = await manage(label, 'Open Stored Results');
      assert.match(other.row?.description ?? '', /^Newer Version · /);
      assert.match(other.row?.detail ?? '', /Update the extension/);
      assert.deepEqual(other.actions, ['Open Stored Results', 'Open Folder']);
      assert.match(opened(), /\/results\.jsonl$/);
      assert.equal(new TextDecoder().decode(await vscode.workspace.fs.readFile(journal)), newer);

      await put('damaged\n');
      await vscode.workspace.fs.delete(vscode.Uri.joinPath(folder, 'header.json'));
      const unknown = await manage(`“${folder.path.split('/').at(-1)}”`, 'Open Stored Results');
      assert.match(unknown.row?.description ?? '', /^Damaged · /);
      assert.deepEqual(unknown.actions, ['Open Stored Results', 'Open Folder', 'Delete']);
    } finally {
      commands.executeCommand = executeCommand;
    }
  });
});
