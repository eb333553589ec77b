import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Clock } from '../../src/client/clock.ts';
import { withLateProgress } from '../../src/kit/progress.ts';

describe('Progress of a task that is usually short', () => {
  const original = vscode.window.withProgress;
  let titles: (string | undefined)[];
  let cancel: (() => void) | undefined;
  let fire: (() => void) | undefined;
  const clock: Clock = {
    now: () => 0,
    sleep: () => Promise.reject(new Error('not used')),
    after: (_, action) => {
      fire = action;
      return () => (fire = undefined);
    },
  };

  beforeEach(() => {
    titles = [];
    Object.assign(vscode.window, {
      withProgress: (
        { title }: vscode.ProgressOptions,
        task: (progress: vscode.Progress<unknown>, token: vscode.CancellationToken) => Thenable<unknown>,
      ) => {
        titles.push(title);
        const source = new vscode.CancellationTokenSource();
        cancel = () => source.cancel();
        return task({ report: () => undefined }, source.token);
      },
    });
  });

  afterEach(() => void Object.assign(vscode.window, { withProgress: original }));

  it('is not shown if the task ends early', async () => {
    assert.equal(await withLateProgress(clock, 'Reading…', () => Promise.resolve(1)), 1);
    assert.equal(fire, undefined);
    assert.deepEqual(titles, []);
  });

  it('is shown once the task takes long, and can be canceled', async () => {
    const result = withLateProgress(
      clock,
      'Reading…',
      (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted by the user')))),
    );
    fire?.();
    assert.deepEqual(titles, ['Reading…']);
    cancel?.();
    await assert.rejects(result, /aborted by the user/);
  });
});
