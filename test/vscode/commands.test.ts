import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { on, registerCommands, type CommandTable } from '../../src/kit/commands.ts';
import { UserError } from '../../src/kit/userError.ts';
import { activated } from './support.ts';

describe('A table of commands', () => {
  const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };
  const { showErrorMessage } = vscode.window;
  const log = vscode.window.createOutputChannel('Test of commands', { log: true });
  const errors: string[] = [];
  const acted: unknown[] = [];

  const rows = {
    'test.value': { failure: 'Could not return', run: (value) => value },
    'test.failure': {
      failure: 'Could not try',
      run: () => {
        throw new UserError('there is no reason');
      },
    },
    'test.target': {
      failure: 'Could not act',
      run: on(
        ([target]) => Promise.resolve(target),
        (target) => acted.push(target),
      ),
    },
  } satisfies Record<string, CommandTable['cloudCompute.showLog']>;
  let registered: vscode.Disposable;

  before(async () => {
    await activated();
    registered = registerCommands(log, rows as CommandTable);
    window.showErrorMessage = (text: string) => {
      errors.push(text);
      return Promise.resolve(undefined);
    };
  });

  after(() => {
    window.showErrorMessage = showErrorMessage;
    registered.dispose();
    log.dispose();
  });

  it('passes the arguments to the command with the ID of the row, and returns its result', async () => {
    assert.equal(await vscode.commands.executeCommand('test.value', 7), 7);
  });

  it('shows a failure once, with the words of the row', async () => {
    await vscode.commands.executeCommand('test.failure');
    assert.deepEqual(errors, ['Could not try: there is no reason']);
  });

  it('does nothing if the user picks no target', async () => {
    await vscode.commands.executeCommand('test.target', undefined);
    await vscode.commands.executeCommand('test.target', 'a');
    assert.deepEqual(acted, ['a']);
  });
});
