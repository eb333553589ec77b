import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { followVisible } from '../../src/kit/documents/followVisible.ts';

const SCHEME = 'followed-test';

describe('A document that shows running work', () => {
  it('is read again while it is visible, until it is over', async () => {
    const provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: () => 'a start',
    });
    const read = new vscode.EventEmitter<void>();
    const pauses: (() => void)[] = [];
    let [reads, goesOn] = [0, true];
    const refresh = (): Promise<void> => {
      reads++;
      read.fire();
      // A failed read is repeated.
      return reads === 1 ? Promise.reject(new Error('no platform')) : Promise.resolve();
    };
    const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
    const until = async (condition: () => boolean) => {
      while (!condition()) await turn();
    };
    const pass = () => pauses.splice(0).forEach((end) => end());
    const following = followVisible(
      { scheme: SCHEME, onDidRead: read.event, refresh },
      {
        clock: { now: () => 0, sleep: () => new Promise((resolve) => pauses.push(resolve)) },
        goesOn: () => goesOn,
      },
    );
    try {
      const uri = vscode.Uri.from({ scheme: SCHEME, path: '/start' });
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
      await until(() => {
        pass();
        return reads >= 3;
      });
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await until(() => !vscode.window.visibleTextEditors.some(({ document }) => document.uri.scheme === SCHEME));
      const hidden = reads;
      for (let round = 0; round < 5; round++) {
        pass();
        await turn();
      }
      assert.ok(reads - hidden <= 1, 'only a read that had begun');
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
      await until(() => {
        pass();
        return reads > hidden + 1;
      });
      goesOn = false;
      read.fire();
      const over = reads;
      for (let round = 0; round < 5; round++) {
        pass();
        await turn();
      }
      assert.ok(reads - over <= 1, 'only a read that had begun');
    } finally {
      following.dispose();
      provider.dispose();
      read.dispose();
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    }
  });
});
