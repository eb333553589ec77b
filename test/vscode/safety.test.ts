import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { SafetyTests } from '../../src/features/safety/safetyTests.ts';
import type { Log } from '../../src/kit/log.ts';
import { activated, extension, workspaceFolder } from './support.ts';

const silent = (): void => undefined;
const log: Log = {
  ...{ trace: silent, debug: silent, info: silent, warn: silent, error: silent },
  ...{ show: silent, dispose: silent },
};

describe('Tests of retry safety', () => {
  let tests: SafetyTests;
  /** Results by the ID of the item, without its manifest. */
  const results = new Map<string, string>();
  const messages = new Map<string, string>();
  const folder = () => vscode.Uri.joinPath(workspaceFolder(), 'safety');
  const manifest = () => vscode.Uri.joinPath(folder(), 'charge.endpoint.yaml');
  const nameOf = ({ id }: vscode.TestItem) => id.split('#').slice(2).join('#');

  before(async () => {
    await activated();
    const sample = vscode.Uri.file(path.join(extension().extensionPath, 'samples/retry-safety'));
    await vscode.workspace.fs.copy(sample, folder());
    const context = { asAbsolutePath: (name: string) => path.join(extension().extensionPath, name) };
    const services = { context, log, globalState: {}, secrets: {} } as unknown as ConstructorParameters<
      typeof SafetyTests
    >[0];
    tests = new SafetyTests(services);
    const { controller } = tests;
    const original = controller.createTestRun.bind(controller);
    controller.createTestRun = (request, ...rest) => {
      const run = original(request, ...rest);
      const note = (result: string) => (item: vscode.TestItem, message?: unknown) => {
        results.set(nameOf(item), result);
        if (message instanceof vscode.TestMessage) messages.set(nameOf(item), message.message as string);
      };
      return Object.assign(run, {
        passed: note('passed'),
        failed: note('failed'),
        errored: note('errored'),
        skipped: note('skipped'),
      });
    };
  });

  afterEach(() => {
    results.clear();
    messages.clear();
  });

  after(async () => {
    tests.dispose();
    await vscode.workspace.fs.delete(folder(), { recursive: true });
  });

  it('list each point of a job, with the smallest reproduction of its fault', async () => {
    await tests.check([manifest(), 0]);
    assert.deepEqual(Object.fromEntries(results), {
      'charge.job.json#killedBeforeTake': 'passed',
      'charge.job.json#killedAtCall:1': 'failed',
      'charge.job.json#killedBeforeResult': 'failed',
      'charge.job.json#resultLost': 'failed',
      'charge.job.json#answerLost': 'passed',
      'charge.job.json#expiredAtCall:1': 'failed',
      'charge.job.json#overlapAtCall:1': 'failed',
      'charge.job.json#twoWorkers': 'failed',
    });
    assert.equal(
      messages.get('charge.job.json#killedAtCall:1'),
      'POST /charges is sent again (2 times instead of 1) if the worker is killed after HTTP call 1 (POST /charges) and before its result. This is the smallest reproduction.',
    );
  });

  it('repeat one point under the debugger, which follows the worker to its next process', async () => {
    const [[, root] = []] = [...tests.controller.items];
    const [[, job] = []] = root ? [...root.children] : [];
    const point = job && [...job.children].map(([, item]) => item).find(({ id }) => id.endsWith('killedBeforeResult'));
    assert.ok(point);
    let started = 0;
    const watching = vscode.debug.onDidStartDebugSession(({ parentSession }) => void (parentSession ?? started++));
    const source = new vscode.CancellationTokenSource();
    await tests.run(new vscode.TestRunRequest([point]), source.token, { debug: true });
    watching.dispose();
    assert.deepEqual(Object.fromEntries(results), { 'charge.job.json#killedBeforeResult': 'failed' });
    // The process before the kill, and the one after it.
    assert.equal(started, 2);
  });
});
