import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { createClient, type Client } from '../../src/client/client.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { parseHttpFile } from '../../src/features/requests/model/parseHttpFile.ts';
import type { RouteServices } from '../../src/features/requests/routeServices.ts';
import { RequestTestTree } from '../../src/features/requests/tests/requestTestTree.ts';
import { runRequestTests } from '../../src/features/requests/tests/runRequestTests.ts';
import type { Log } from '../../src/kit/log.ts';
import { launchPlatform } from '../../src/machine/platformLaunch.ts';
import { activated, extension, nextEvent, waitFor, workspaceFolder } from './support.ts';

const silent = (): void => undefined;
const log: Log = {
  ...{ trace: silent, debug: silent, info: silent, warn: silent, error: silent },
  ...{ show: silent, dispose: silent },
};

describe('Tests of requests', () => {
  let client: Client;
  let endpoint: Endpoint;
  let stop: () => Promise<unknown>;
  let controller: vscode.TestController;
  let tree: RequestTestTree;
  /**
   * Each test has its own file, because the editor closes documents later than their editors. It is not in a new folder, because the editor
   * can miss a file that appears right after its folder.
   */
  let files = 0;
  const uri = () => vscode.Uri.joinPath(workspaceFolder(), `requested-${files}.http`);

  before(async () => {
    await activated();
    const { extensionPath } = extension();
    const script = path.join(extensionPath, 'dist', 'platform.js');
    const flags = ['--in-memory', '--port', '0'];
    const { child, announced, ended } = launchPlatform({ script, flags, onLogLine: silent });
    stop = () => {
      child.stdin.end();
      return ended;
    };
    const announcement = await announced;
    if (announcement instanceof Error) throw announcement;
    client = createClient({ connection: announcement, fetch });
    endpoint = await client.createEndpoint({
      body: {
        ...{ name: 'api', type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 4 } },
        ...{ image: `process:${path.join(extensionPath, 'media', 'workers')}`, cmd: ['node', 'server.mjs'] },
        ...{ cpu: [{ id: 'cpu3c', vcpuCount: 2 }], disk: 5, ports: ['8000/http'], env: { PORT: '8000' } },
      },
    });
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await stop();
  });

  beforeEach(() => {
    files++;
    controller = vscode.tests.createTestController(`requests${files}`, 'Requests');
    tree = new RequestTestTree(controller, log);
  });

  afterEach(async () => {
    tree.dispose();
    controller.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(uri().fsPath, { force: true });
  });

  const write = (text: string) => vscode.workspace.fs.writeFile(uri(), new TextEncoder().encode(text));
  const group = () => controller.items.get(uri().toString());
  const labels = () => [...(group()?.children ?? [])].map(([, { label }]) => label);

  /** Runs all tests of the file. @returns the results by label, with the first message */
  async function run(): Promise<ReadonlyMap<string, string>> {
    const base = client.context.addresses.routes(endpoint.id);
    const endpoints = [{ id: endpoint.id, name: 'api', type: 'LOAD_BALANCER' as const, base }];
    const context = { endpoints, now: 0, random: () => 0 };
    const services = {
      connections: { client, profile: { ...client.context.connection, id: 'test', kind: 'local', name: 'Test' } },
      endpoints: { refresh: () => Promise.resolve(), state: { kind: 'ready' }, find: () => ({ endpoint }) },
      files: {
        read: (document: vscode.TextDocument) =>
          Promise.resolve({ document, file: parseHttpFile(document.getText()), context }),
      },
      liveValues: { current: {} },
      context: { workspaceState: {} },
    } as unknown as RouteServices;
    const request = new vscode.TestRunRequest();
    const testRun = controller.createTestRun(request);
    const results = new Map<string, string>();
    const note =
      (result: string) =>
      ({ label }: vscode.TestItem, messages?: unknown) => {
        const [first] = [messages].flat() as (vscode.TestMessage | number | undefined)[];
        const text = typeof first === 'object' && typeof first.message === 'string' ? `: ${first.message}` : '';
        results.set(label, result + text);
      };
    Object.assign(testRun, {
      ...{ passed: note('passed'), failed: note('failed'), errored: note('errored'), skipped: note('skipped') },
    });
    const items = tree.testsOf(request).filter((item) => item.uri?.toString() === uri().toString());
    await runRequestTests(services, testRun, items);
    testRun.end();
    return results;
  }

  it('are the requests with expectations, and follow the text in the editor', async () => {
    await write('### Ping\n# @expect status 200\nGET {{endpoint:api}}/ping\n\n### Other\nGET {{endpoint:api}}/\n');
    await tree.discover();
    assert.deepEqual(labels(), ['Ping']);
    assert.equal([...(group()?.children ?? [])][0]?.[1].range?.start.line, 2);
    const editor = await vscode.window.showTextDocument(uri());
    await editor.edit((edit) => edit.insert(new vscode.Position(5, 0), '# @expect status 404\n'));
    assert.deepEqual(labels(), ['Ping', 'Other']);
    await editor.edit((edit) => edit.insert(new vscode.Position(1, 0), '# @expect nothing\n'));
    const { error } = group() ?? {};
    assert.ok(typeof error === 'string' && error.includes('@expect status 200'));
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('disappear with their file', async () => {
    const watcher = vscode.workspace.createFileSystemWatcher('**/*.http');
    // The editor reports no file that is deleted right after its creation.
    const created = nextEvent(watcher.onDidCreate, (created) => created.toString() === uri().toString());
    await write('# @expect status 200\nGET {{endpoint:api}}/ping\n');
    await created;
    await tree.discover();
    assert.deepEqual(labels(), ['GET {{endpoint:api}}/ping']);
    await vscode.workspace.fs.delete(uri());
    await waitFor([watcher.onDidDelete as vscode.Event<never>], () => (group() ? undefined : true));
    watcher.dispose();
  });

  it('pass, fail with the difference, and have an error if they cannot be sent', async () => {
    const tests = {
      Pass: '# @expect status 200\n# @expect body {"greeting": "Hello, Ada!"}\nPOST {{endpoint:api}}/greet\n\n{ "name": "Ada" }',
      'Wrong body': '# @expect body {"greeting": "Hi"}\nPOST {{endpoint:api}}/greet\n\n{}',
      'Wrong status': '# @expect status 200\nGET {{endpoint:api}}/nothing',
      Unknown: '# @expect status 200\nGET {{endpoint:none}}/',
    };
    await write(
      Object.entries(tests)
        .map(([name, text]) => `### ${name}\n${text}\n`)
        .join('\n'),
    );
    await tree.discover();
    const results = await run();
    assert.equal(results.get('Pass'), 'passed');
    assert.match(
      results.get('Wrong body') ?? '',
      /^failed: \$\.body\.greeting: expected "Hi", but it is "Hello, world!"$/,
    );
    assert.match(results.get('Wrong status') ?? '', /^failed: \$\.status: expected the status 200, but it is 404$/);
    assert.match(results.get('Unknown') ?? '', /^errored: .*no endpoint 'none'/);
  });
});
