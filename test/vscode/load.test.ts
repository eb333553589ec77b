import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { JobWorld } from './jobWorld.ts';
import { waitFor } from './support.ts';

const { executeCommand } = vscode.commands;
const LOAD = 'cloudCompute.load.run';
type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
const window = vscode.window as Mutable<typeof vscode.window>;

/** Answers each input box with the next text. Returns their prompts. */
function answering(...answers: (string | undefined)[]) {
  const { showInputBox } = vscode.window;
  const prompts: string[] = [];
  window.showInputBox = (options?: vscode.InputBoxOptions) => {
    prompts.push(options?.prompt ?? '');
    return Promise.resolve(answers.shift());
  };
  return { prompts, [Symbol.dispose]: () => void Object.assign(window, { showInputBox }) };
}

/** Resolves with the text of an open report that matches. */
async function reportWith(pattern: RegExp): Promise<string> {
  const found = () =>
    vscode.workspace.textDocuments
      .filter(({ uri }) => uri.scheme === 'cloud-compute-load')
      .map((document) => document.getText())
      .find((text) => pattern.test(text));
  return waitFor([vscode.workspace.onDidOpenTextDocument as vscode.Event<never>], found);
}

describe('Load tests', () => {
  const world = new JobWorld();

  before(() => world.start());
  after(() => world.stop());
  afterEach(() => world.reset());

  it('end with the arrivals in flight after a cancellation', async () => {
    const endpointId = await world.endpoint('canceled', { workers: { min: 0, max: 0 } });
    using boxes = answering('1', '600', '');
    const running = world.run('canceled', { endpoint: 'canceled', input: { do: 'echo', value: 1 } }, LOAD);
    await world.progressed(/in flight/);
    world.cancel();
    await world.progressed(/draining/);
    await world.client.purgeQueue({ endpointId });
    await running;
    assert.equal(boxes.prompts.length, 3);
    assert.match(await reportWith(/Load test of “canceled”/), /\| Ended by \| a cancellation/);
  });

  it('ask for the load and the cap, show percentiles, open the report, and compare a repetition with it', async () => {
    await world.endpoint('loaded');
    const file = { endpoint: 'loaded', input: { do: 'echo', value: 1 } };
    {
      using boxes = answering('20', '1', '5');
      await world.run('load', file, LOAD);
      assert.match(boxes.prompts[2] ?? '', /The estimated cost is up to \$/);
    }
    assert.ok(world.progress.some((text) => /sent, .*p99/.test(text)));
    const report = await reportWith(/Load test of “loaded”/);
    assert.match(report, /\| Completed \| 20\\, /);
    assert.match(report, /## Settings at the start/);
    const { showQuickPick } = vscode.window;
    window.showQuickPick = ((items: readonly vscode.QuickPickItem[]) => Promise.resolve(items[0])) as never;
    try {
      using boxes = answering('5');
      const [uri] = await vscode.workspace.findFiles('load-*.job.json');
      await executeCommand(LOAD, uri);
      assert.equal(boxes.prompts.length, 1);
    } finally {
      Object.assign(window, { showQuickPick });
    }
    assert.match(await reportWith(/## Compared with/), /\| p99 \|/);
  });
});
