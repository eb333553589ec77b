import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { createClient, type Client } from '../../src/client/client.ts';
import { systemClock } from '../../src/client/clock.ts';
import type { CreateEndpointBody } from '../../src/contract/endpoint.ts';
import type { Profile } from '../../src/account/connections/connectionStore.ts';
import { JobTests } from '../../src/features/jobs/tests/jobTests.ts';
import { launchPlatform } from '../../src/machine/platformLaunch.ts';
import type { Log } from '../../src/kit/log.ts';
import { Emitter } from '../../src/kit/emitter.ts';
import { activated, extension, workspaceFolder } from './support.ts';

const silent = (): void => undefined;
const log: Log = {
  ...{ trace: silent, debug: silent, info: silent, warn: silent, error: silent },
  ...{ show: silent, dispose: silent },
};

function textOf(message: vscode.TestMessage | undefined): string {
  return typeof message?.message === 'string' ? message.message : '';
}

interface Recorded {
  readonly results: Map<string, string>;
  readonly messages: Map<string, readonly vscode.TestMessage[]>;
  readonly ended: Promise<void>;
  output: string;
}

/** Runs the tests of job files with a platform of its own. The sample worker needs 2 s to load. */
describe('Tests of job files', () => {
  let client: Client;
  let stop: () => Promise<unknown>;
  let endpointId: string;

  before(async () => {
    await activated();
    const script = path.join(extension().extensionPath, 'dist', 'platform.js');
    const { child, announced, ended } = launchPlatform({
      script,
      flags: ['--in-memory', '--port', '0'],
      onLogLine: silent,
    });
    stop = () => {
      child.stdin.end();
      return ended;
    };
    const announcement = await announced;
    if (announcement instanceof Error) throw announcement;
    client = createClient({ connection: announcement, fetch });
    const body = {
      name: 'hello',
      type: 'QUEUE',
      scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
      workers: { min: 1, max: 1 },
      image: `process:${path.join(workspaceFolder().fsPath, 'hello')}`,
      cmd: ['node', 'handler.mjs'],
      cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
      disk: 5,
    } satisfies CreateEndpointBody;
    ({ id: endpointId } = await client.createEndpoint({ body }));
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    await stop();
  });

  const jobTests: JobTests[] = [];
  afterEach(async () => {
    for (const one of jobTests.splice(0)) one.dispose();
    await vscode.workspace.fs.delete(folder(), { recursive: true }).then(undefined, silent);
  });

  const folder = () => vscode.Uri.joinPath(workspaceFolder(), 'expected');

  async function write(name: string, content: unknown): Promise<vscode.Uri> {
    const uri = vscode.Uri.joinPath(folder(), name);
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    return uri;
  }

  const local = (name = 'Test'): Profile => ({ ...client.context.connection, id: 'test', kind: 'local', name });

  /** Creates a controller beside the one of the extension, and records its runs. */
  function create(changes: { connected?: boolean; mayRun?: () => Promise<boolean>; profile?: Profile } = {}) {
    const { connected = true, mayRun = () => Promise.resolve(true), profile = local() } = changes;
    const changed = new Emitter<void>();
    const connections = {
      profile: profile as Profile | undefined,
      client: connected ? client : undefined,
      onDidChange: changed.event as unknown as vscode.Event<void>,
    };
    const id = `cloudComputeTest${jobTests.length}-${Date.now()}`;
    const tests = new JobTests({ id, connections, clock: systemClock, log, mayRun });
    jobTests.push(tests);
    const runs: Recorded[] = [];
    const { controller } = tests;
    const original = controller.createTestRun.bind(controller);
    let onRun: (run: Recorded) => void = silent;
    controller.createTestRun = (request, ...rest) => {
      const run = original(request, ...rest);
      const { promise, resolve } = Promise.withResolvers<void>();
      const recorded: Recorded = { results: new Map(), messages: new Map(), ended: promise, output: '' };
      runs.push(recorded);
      const note = (result: string) => (item: vscode.TestItem, message?: unknown) => {
        recorded.results.set(item.label, result);
        if (typeof message === 'object' && message !== null)
          recorded.messages.set(item.label, [message].flat() as vscode.TestMessage[]);
      };
      Object.assign(run, {
        passed: note('passed'),
        failed: note('failed'),
        errored: note('errored'),
        skipped: note('skipped'),
        appendOutput: (text: string) => (recorded.output += text),
        end: () => resolve(),
      });
      onRun(recorded);
      return run;
    };
    const nextRun = () => new Promise<Recorded>((resolve) => (onRun = resolve));
    return { tests, runs, nextRun, connections, changed };
  }

  const source = new vscode.CancellationTokenSource();

  async function run(created: ReturnType<typeof create>, uris: readonly vscode.Uri[], token = source.token) {
    const { tests, runs } = created;
    await (await tests.tree.get()).discover();
    const items = uris.map((uri) => {
      const item = tests.tree.value?.find(uri);
      assert.ok(item, `${uri.path} is a test`);
      return item;
    });
    await tests.run(new vscode.TestRunRequest(items, undefined, tests.profile), token);
    const last = runs.at(-1);
    assert.ok(last);
    return last;
  }

  const labels = ({ tests }: ReturnType<typeof create>) =>
    [...tests.controller.items].map(([, group]) => [
      group.label,
      [...group.children].map(([, item]) => item.label).sort(),
    ]);

  it('are listed by folder, without files that expect nothing', async () => {
    await write('b.job.json', { input: {}, expect: {} });
    await write('none.job.json', { input: {} });
    const created = create();
    await (await created.tests.tree.get()).discover();
    assert.deepEqual(
      labels(created)
        .filter(([label]) => label === 'expected' || label === 'tests')
        .sort(),
      [
        ['expected', ['b.job.json']],
        ['tests', ['failure.job.json', 'greeting.job.json']],
      ],
    );
    const item = created.tests.tree.value?.find(vscode.Uri.joinPath(folder(), 'b.job.json'));
    assert.equal(item?.range?.start.line, 2);
  });

  it('follow the text of an open document', async () => {
    const uri = await write('b.job.json', { input: {}, expect: {} });
    const created = create();
    await (await created.tests.tree.get()).discover();
    const document = await vscode.workspace.openTextDocument(uri);
    const edit = async (text: string) => {
      const change = new vscode.WorkspaceEdit();
      change.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), text);
      await vscode.workspace.applyEdit(change);
    };
    await edit('{ "input": {}, "expect": { "status": 1 } }');
    assert.match(JSON.stringify(created.tests.tree.value?.find(uri)?.error), /Line 1, column 38/);
    await edit('{ "input": {}, "expect": {}, "endpoint": "hello" }');
    const item = created.tests.tree.value?.find(uri);
    assert.ok(item);
    assert.equal(item.error, undefined);
    // A screen reader would read it instead of the label.
    assert.equal(item.description, undefined);
    await edit('{ "input": {} }');
    assert.equal(created.tests.tree.value?.find(uri), undefined);
    await document.save();
  });

  it('pass, or fail with a difference at the violated member', async () => {
    const good = await write('good.job.json', {
      input: { name: 'x', seconds: 0 },
      expect: { output: { greeting: 'Hello, x!' } },
    });
    const bad = await write('bad.job.json', {
      input: { name: 'x', seconds: 0 },
      expect: { output: { greeting: 'no' } },
    });
    const { results, messages, output } = await run(create(), [good, bad]);
    assert.deepEqual(Object.fromEntries(results), { 'good.job.json': 'passed', 'bad.job.json': 'failed' });
    const [message] = messages.get('bad.job.json') ?? [];
    assert.equal(message?.location?.range.start.line, 7);
    assert.deepEqual(JSON.parse(message.expectedOutput ?? ''), { greeting: 'no' });
    assert.deepEqual(JSON.parse(message.actualOutput ?? ''), { greeting: 'Hello, x!' });
    assert.match(output, /bad\.job\.json: completed in .*worker \w+, endpoint hello\)\r\n/);
    assert.match(output, /\| greeting x for 0 s\r\n/);
  });

  it('read a schema beside the file', async () => {
    await write('greeting.schema.json', { properties: { greeting: { type: 'number' } } });
    const uri = await write('a.job.json', { input: { seconds: 0 }, expect: { schema: 'greeting.schema.json' } });
    const { results, messages } = await run(create(), [uri]);
    assert.equal(results.get('a.job.json'), 'failed');
    assert.match(textOf(messages.get('a.job.json')?.[0]), /\$\.output\.greeting/);
  });

  it('have an error with the remedy if their endpoint does not exist', async () => {
    await write('other.endpoint.yaml', 'name: other\ntype: QUEUE\n');
    const named = await write('other.job.json', { input: {}, expect: {} });
    const wrong = await write('wrong.job.json', { input: {}, expect: {}, endpoint: 'nothing' });
    const { results, messages } = await run(create(), [named, wrong]);
    assert.deepEqual([...results.values()], ['errored', 'errored']);
    const text = (label: string) => textOf(messages.get(label)?.[0]);
    assert.equal(
      text('other.job.json'),
      'The endpoint “other” does not exist on “Test”. Create it from other.endpoint.yaml.',
    );
    assert.match(text('wrong.job.json'), /“nothing” does not exist on “Test”. Correct the property "endpoint"/);
  });

  it('have an error with the reason if no platform is connected', async () => {
    const uri = await write('a.job.json', { input: {}, expect: {} });
    const { results, messages, output } = await run(create({ connected: false }), [uri]);
    assert.equal(results.get('a.job.json'), 'errored');
    assert.match(textOf(messages.get('a.job.json')?.[0]), /the local platform is not running/);
    assert.match(output, /not running/);
  });

  it('are skipped if the user does not agree to run them', async () => {
    const uri = await write('a.job.json', { input: {}, expect: {} });
    const { results } = await run(create({ mayRun: () => Promise.resolve(false) }), [uri]);
    assert.equal(results.get('a.job.json'), 'skipped');
  });

  it('cancel their jobs when the run is canceled', async () => {
    const uri = await write('a.job.json', { input: { seconds: 600 }, expect: {} });
    const created = create();
    const { tests, nextRun } = created;
    await (await tests.tree.get()).discover();
    const canceling = new vscode.CancellationTokenSource();
    const started = nextRun();
    // The run of a controller has its own token, which the editor cancels together with that of the request.
    const original = tests.controller.createTestRun.bind(tests.controller);
    tests.controller.createTestRun = (...args) => {
      const created = original(...args);
      Object.defineProperty(created, 'token', { value: canceling.token });
      return created;
    };
    const running = run(created, [uri], canceling.token);
    await started;
    const busy = async () => (await client.getEndpointHealth({ endpointId })).jobs.inProgress > 0;
    while (!(await busy())) await new Promise((resolve) => setTimeout(resolve, 50));
    canceling.cancel();
    assert.equal((await running).results.get('a.job.json'), 'skipped');
    assert.equal(await busy(), false);
  });

  it('name the connection in the label of their run profile', () => {
    const { tests, connections, changed } = create();
    assert.equal(tests.profile.label, 'Run on Test');
    connections.profile = local('Other');
    changed.fire();
    assert.equal(tests.profile.label, 'Run on Other');
    connections.profile = undefined;
    changed.fire();
    assert.equal(tests.profile.label, 'Run');
  });

  it('run again when their file or a file of their worker is saved, with the new worker', async () => {
    const uri = await write('a.job.json', { input: { seconds: 0 }, expect: { output: { greeting: 'Hi, world!' } } });
    await write('b.job.json', { input: { seconds: 0 }, expect: {}, endpoint: 'hello' });
    const created = create();
    const { tests, nextRun } = created;
    await (await tests.tree.get()).discover();
    const item = tests.tree.value?.find(uri);
    assert.ok(item);
    const canceling = new vscode.CancellationTokenSource();
    await tests.run(new vscode.TestRunRequest([item], undefined, tests.profile, true), canceling.token);
    const save = async (file: vscode.Uri, from: string, to: string) => {
      const document = await vscode.workspace.openTextDocument(file);
      const text = document.getText();
      const start = text.indexOf(from);
      assert.ok(start >= 0);
      const range = new vscode.Range(document.positionAt(start), document.positionAt(start + from.length));
      const change = new vscode.WorkspaceEdit();
      change.replace(file, range, to);
      await vscode.workspace.applyEdit(change);
      const next = nextRun();
      await document.save();
      const recorded = await next;
      await recorded.ended;
      return Object.fromEntries(recorded.results);
    };
    const handler = vscode.Uri.joinPath(workspaceFolder(), 'hello', 'handler.mjs');
    try {
      assert.deepEqual(await save(uri, '"seconds": 0', '"seconds": 0.0'), { 'a.job.json': 'failed' });
      assert.deepEqual(await save(handler, "?? 'Hello'", "?? 'Hi'"), { 'a.job.json': 'passed' });
      const { workers } = await client.getEndpoint({ id: endpointId });
      assert.deepEqual([workers.min, workers.max], [1, 1]);
    } finally {
      canceling.cancel();
      const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(handler));
      await vscode.workspace.fs.writeFile(handler, new TextEncoder().encode(text.replace("?? 'Hi'", "?? 'Hello'")));
    }
  });
});
