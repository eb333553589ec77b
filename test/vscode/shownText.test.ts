import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createLog, createOutput } from '../../src/kit/log.ts';
import { codeLens, diagnostic } from '../../src/kit/marks.ts';
import { showMessage } from '../../src/kit/messages.ts';
import { rowOf } from '../../src/kit/quickInput.ts';
import { withSafeErrors } from '../../src/kit/safeErrors.ts';
import { commandLink, formatted } from '../../src/text/markdown.ts';
import { shown } from '../../src/text/shownText.ts';
import { tooltipOf } from '../../src/kit/tooltips.ts';
import { treeItem } from '../../src/kit/trees.ts';
import { activated } from './support.ts';

const HOSTILE = '[Fix](command:evil) $(flame)\n\u202e';
const INERT = '[Fix] (command:evil) $ (flame) ';
const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };

describe('Untrusted text in the editor', () => {
  before(activated);

  it('is plain text in a message, and the buttons work', async () => {
    const { showErrorMessage } = vscode.window;
    const seen: string[] = [];
    window.showErrorMessage = (message: string, ...labels: unknown[]) => {
      seen.push(message);
      return Promise.resolve(labels.at(-1) as undefined);
    };
    try {
      assert.equal(await showMessage('error', HOSTILE, 'One', HOSTILE), HOSTILE);
      await showMessage('error', shown`$(check) ${HOSTILE}`);
      assert.deepEqual(seen, [INERT, `$(check) ${INERT}`]);
    } finally {
      window.showErrorMessage = showErrorMessage;
    }
  });

  it('is plain text in a tree item, a quick pick, a code lens, and a diagnostic', () => {
    const { None } = vscode.TreeItemCollapsibleState;
    const row = { label: HOSTILE, description: HOSTILE, spoken: HOSTILE };
    const item = treeItem({ ...row, id: 'x', collapsibleState: None });
    assert.deepEqual([item.label, item.description, item.accessibilityInformation?.label], [INERT, INERT, INERT]);
    const listed = rowOf({ label: HOSTILE, description: HOSTILE, detail: HOSTILE });
    assert.deepEqual([listed.label, listed.description, listed.detail], [INERT, INERT, INERT]);
    const lens = codeLens(0, { title: HOSTILE, tooltip: HOSTILE, command: 'x' });
    assert.deepEqual([lens.command?.title, lens.command?.tooltip], [INERT, INERT]);
    const range = new vscode.Range(0, 0, 0, 0);
    assert.equal(diagnostic(range, HOSTILE, vscode.DiagnosticSeverity.Error).message, INERT);
  });

  it('is plain text in a tooltip, which allows only the given commands and no HTML', () => {
    assert.equal(tooltipOf(HOSTILE), INERT);
    const text = tooltipOf({ markdown: formatted`${HOSTILE}` });
    assert.ok(text instanceof vscode.MarkdownString);
    assert.deepEqual([text.isTrusted, text.supportHtml], [false, false]);
    const markdown = commandLink('Run', 'cloudCompute.jobs.run', { id: ')' });
    const linked = tooltipOf({ markdown, commands: ['cloudCompute.jobs.run'] });
    assert.ok(linked instanceof vscode.MarkdownString);
    assert.deepEqual(linked.isTrusted, { enabledCommands: ['cloudCompute.jobs.run'] });
  });

  it('cannot forge a log entry or write control characters to a channel', () => {
    const { createOutputChannel } = vscode.window;
    const lines: string[] = [];
    const fake = { append: (text: string) => lines.push(text), info: (text: string) => lines.push(text) };
    window.createOutputChannel = (() => fake) as never;
    try {
      createLog('x').info('a\n2026-01-01 [error] b', new Error('c\n\x1b[2Jd'));
      createOutput('x', 'log').append('a\x1b[2J\u202eb\n');
    } finally {
      window.createOutputChannel = createOutputChannel;
    }
    const [entry = '', line = ''] = lines;
    for (const rest of entry.split('\n').slice(1)) assert.match(rest, /^ {4}/);
    assert.equal(line, 'ab\n');
  });
});

describe('The errors of a provider', () => {
  const uri = vscode.Uri.parse('test:/x');
  const provider = withSafeErrors({
    value: 1,
    add: (a: number, b: number) => a + b,
    fails: () => {
      throw new Error(HOSTILE);
    },
    rejects: () => Promise.reject(new Error(HOSTILE)),
    missing: () => Promise.reject(vscode.FileSystemError.FileNotFound(HOSTILE)),
    canceled: () => Promise.reject(new vscode.CancellationError()),
    later: () => Promise.resolve(uri),
  });

  it('have safe messages, thrown or rejected', async () => {
    assert.throws(() => provider.fails(), { message: INERT });
    await assert.rejects(provider.rejects(), { message: INERT });
  });

  it('keep the classes that the editor checks', async () => {
    await assert.rejects(provider.missing(), (error: unknown) => {
      assert.ok(error instanceof vscode.FileSystemError);
      assert.deepEqual([error.code, error.message], ['FileNotFound', INERT]);
      return true;
    });
    await assert.rejects(provider.canceled(), vscode.CancellationError);
  });

  it('are the only thing that the wrapper changes', async () => {
    assert.deepEqual([provider.value, provider.add(1, 2), await provider.later()], [1, 3, uri]);
  });
});
