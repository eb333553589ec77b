import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { inputs } from './inputs.ts';
import { JobWorld, lensesOf } from './jobWorld.ts';
import { waitFor, workspaceFolder } from './support.ts';

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

  it('are offered above a job file', async () => {
    const uri = vscode.Uri.joinPath(workspaceFolder(), 'offered.job.json');
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode('{"endpoint":"x","input":{}}'));
    const lens = (await lensesOf(uri)).find(({ command }) => command === LOAD);
    assert.equal(lens?.title, 'Load Test…');
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
    assert.match(report, /\| Completed \| 20, /);
    assert.match(report, /## Settings at the start/);
    const pages = inputs();
    try {
      using _ = answering('5');
      const uri = (await vscode.workspace.findFiles('load-*.job.json'))[0];
      const { showQuickPick } = vscode.window;
      window.showQuickPick = ((items: readonly vscode.QuickPickItem[]) => Promise.resolve(items[0])) as never;
      await executeCommand(LOAD, uri);
      Object.assign(window, { showQuickPick });
    } finally {
      pages.done();
    }
    assert.match(await reportWith(/## Compared with/), /\| p99 \|/);
  });
});
