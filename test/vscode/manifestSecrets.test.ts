import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, watch } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import * as vscode from 'vscode';
import { createClient, type Client } from '../../src/client/client.ts';
import { operations } from '../../src/contract/operations.ts';
import { platformProcess, type StartedPlatform } from '../../src/account/localPlatform/platformProcess.ts';
import { forgetAllConnections, inputs } from './inputs.ts';
import { activated, extension, nonEmpty, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;
const wroteDiagnostics = vscode.languages.onDidChangeDiagnostics as vscode.Event<never>;

/** Assembled, so that scanners of repositories do not report this file. */
const KEY = ['tok', 'a8Kd3ZqP0vR7mX2tLw9YbC5nHs4GfJ6e'].join('_');

const withEnv = (env: string): string => `name: secretive
type: QUEUE
image: example/secretive:1
scaling: { type: QUEUE_DELAY, queueDelay: 4 }
cpu: [{ id: cpu3c, vcpuCount: 2 }]
workers: { min: 0, max: 0 }
x-local: { directory: ., command: node worker.mjs }
env:
${env}
`;

describe('Secrets of manifests', function () {
  let document: vscode.TextDocument;

  before(async () => {
    await activated();
    const uri = vscode.Uri.joinPath(workspaceFolder(), 'secrets.endpoint.yaml');
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(withEnv('  MODE: fast')));
    document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
  });

  after(async () => {
    await vscode.window.showTextDocument(document);
    await executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.workspace.fs.delete(document.uri);
  });

  async function write(env: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), withEnv(env));
    await vscode.workspace.applyEdit(edit);
  }

  const diagnostics = (): readonly vscode.Diagnostic[] => vscode.languages.getDiagnostics(document.uri);
  /** Returns the diagnostic with this code, once there is one. */
  const diagnosed = (code: string) =>
    waitFor([wroteDiagnostics], () => diagnostics().find((diagnostic) => diagnostic.code === code));
  const hasNone = () => waitFor([wroteDiagnostics], () => diagnostics().length === 0);

  async function fixes({ range }: vscode.Diagnostic): Promise<ReadonlyMap<string, vscode.CodeAction>> {
    const found = await executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', document.uri, range);
    return new Map(found.map((action) => [action.title, action]));
  }

  function run(action: vscode.CodeAction | undefined): Thenable<unknown> {
    assert.ok(action?.command);
    return executeCommand(action.command.command, ...(action.command.arguments as unknown[]));
  }

  it('marks the reference of an unknown secret, and its quick fix adds the secret', async () => {
    await write('  AUTH: "Bearer ${secret:API_TOKEN}"');
    const unresolved = await diagnosed('unresolvedSecret');
    assert.equal(document.getText(unresolved.range), '${secret:API_TOKEN}');
    const actions = await fixes(unresolved);
    assert.deepEqual([...actions.keys()], ['Add Secret “API_TOKEN”…']);
    const { page, done } = inputs();
    const command = run(actions.get('Add Secret “API_TOKEN”…'));
    const value = await page('Add Secret');
    assert.equal(value.isPassword(), true);
    await value.type(KEY);
    await command;
    done();
    await hasNone();
    assert.ok(!document.getText().includes(KEY));
  });

  it('moves a literal key to a secret', async () => {
    await write(`  OTHER_TOKEN: ${KEY} # from the console`);
    const literal = await diagnosed('literalKey');
    assert.equal(literal.severity, vscode.DiagnosticSeverity.Warning);
    assert.ok(!literal.message.includes(KEY));
    const { page, done } = inputs();
    const command = run((await fixes(literal)).get('Move to a Secret…'));
    const name = await page('Move to a Secret');
    assert.equal(name.value(), 'OTHER_TOKEN');
    await name.type('API_TOKEN');
    assert.match(await name.refusal(), /already exists/);
    await name.type('OTHER_TOKEN');
    await command;
    done();
    assert.equal(document.getText(), withEnv('  OTHER_TOKEN: "${secret:OTHER_TOKEN}" # from the console'));
    await hasNone();
  });

  it('replaces a literal key by an environment variable', async () => {
    await write(`  PATH: ghp_${KEY.slice(4).repeat(2).slice(0, 36)}`);
    const action = (await fixes(await diagnosed('literalKey'))).get('Use an Environment Variable');
    assert.ok(action?.edit);
    await vscode.workspace.applyEdit(action.edit);
    assert.equal(document.getText(), withEnv('  PATH: "${env:PATH}"'));
    await hasNone();
  });

  it('adds a secret at the cursor in a value', async () => {
    await write('  DB_PASSWORD: ""');
    const editor = await vscode.window.showTextDocument(document);
    const cursor = document.positionAt(document.getText().indexOf('""') + 1);
    editor.selection = new vscode.Selection(cursor, cursor);
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.secrets.add');
    const name = await page('Add Secret', 1);
    assert.equal(name.value(), 'DB_PASSWORD');
    await name.accept();
    await (await page('Add Secret', 2)).type('hunter22-hunter22');
    await command;
    done();
    assert.equal(document.getText(), withEnv('  DB_PASSWORD: "${secret:DB_PASSWORD}"'));
    await hasNone();
  });

  it('lists the secrets, and copies and deletes one after a confirmation that names its open manifests', async () => {
    const choose = async (secret: string, action: string, options = {}) => {
      const { page, asked, done } = inputs(options);
      const command = executeCommand('cloudCompute.secrets.manage');
      const list = await page('Manage Secrets');
      const labels = list.labels();
      await list.choose(`$(key) ${secret}`);
      await (await page(`Secret “${secret}”`)).choose(action);
      await command;
      done();
      return { labels, asked: asked.join() };
    };
    const { labels } = await choose('DB_PASSWORD', '$(copy) Copy Reference');
    assert.deepEqual(labels, ['$(key) API_TOKEN', '$(key) DB_PASSWORD', '$(key) OTHER_TOKEN', '$(add) Add Secret…']);
    assert.equal(await vscode.env.clipboard.readText(), '${secret:DB_PASSWORD}');
    assert.match((await choose('DB_PASSWORD', '$(trash) Delete…')).asked, /Used by secrets\.endpoint\.yaml/);
    assert.deepEqual(diagnostics(), [], 'a dismissed question deletes nothing');
    await choose('DB_PASSWORD', '$(trash) Delete…', { confirm: 'Delete Secret' });
    assert.equal((await diagnosed('unresolvedSecret')).severity, vscode.DiagnosticSeverity.Error);
    assert.match(
      (await choose('OTHER_TOKEN', '$(trash) Delete…', { confirm: 'Delete Secret' })).asked,
      /No open manifest/,
    );
  });

  describe('on a platform that repeats the request in its errors', () => {
    let platform: StartedPlatform;
    let server: Server;
    let dataDir: string;
    let client: Client;
    let refusing = true;
    const received: string[] = [];
    const shown: string[] = [];
    const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };
    const { showErrorMessage, showInformationMessage, setStatusBarMessage } = vscode.window;

    /** Forwards requests to a platform, but refuses to create endpoints. */
    async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const { method = 'GET', url = '/', headers } = request;
      const body = await textOf(request);
      if (refusing && method === 'POST' && url.endsWith(operations.createEndpoint.path)) {
        received.push(body);
        const problem = { title: body, status: 400, detail: body, errors: [`$.env.AUTH: not ${body}`, body] };
        response.writeHead(400, { 'Content-Type': 'application/problem+json' }).end(JSON.stringify(problem));
        return;
      }
      const answer = await fetch(new URL(url, platform.announcement.baseUrl), {
        method,
        headers: {
          ...(headers.authorization && { Authorization: headers.authorization }),
          'Content-Type': 'application/json',
        },
        ...(body === '' ? {} : { body }),
      });
      response.writeHead(answer.status, { 'Content-Type': answer.headers.get('Content-Type') ?? 'application/json' });
      response.end(await answer.text());
    }

    before(async () => {
      dataDir = await mkdtemp(path.join(tmpdir(), 'cloud-compute-secrets-'));
      const script = path.join(extension().extensionPath, 'dist', 'platform.js');
      const log = vscode.window.createOutputChannel('Test of secrets', { log: true });
      platform = await platformProcess({ script, dataDir: () => dataDir, port: () => 0, log })();
      client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
      server = createServer((request, response) => void forward(request, response));
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      const address = new URL(platform.announcement.baseUrl);
      address.port = String((server.address() as AddressInfo).port);
      const { page, done } = inputs();
      const command = executeCommand('cloudCompute.connect');
      await (await page('Connect to a Platform', 1)).type(address.href);
      await (await page('Connect to a Platform', 2)).accept();
      await (await page('Connect to a Platform', 3)).type(platform.announcement.apiKey);
      await command;
      done();
      const record = (message: unknown) => {
        shown.push(String(message));
        return Promise.resolve(undefined);
      };
      window.showErrorMessage = record;
      window.showInformationMessage = record;
      window.setStatusBarMessage = ((message: string, ...rest: [number]) => {
        shown.push(message);
        return setStatusBarMessage(message, ...rest);
      }) as typeof setStatusBarMessage;
    });

    after(async () => {
      Object.assign(window, { showErrorMessage, showInformationMessage, setStatusBarMessage });
      await forgetAllConnections();
      await executeCommand('notifications.clearAll');
      server.closeAllConnections();
      server.close();
      await platform.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    });

    /** Creates the endpoint and returns the texts of the modal dialogs. */
    async function create(...confirm: string[]): Promise<string> {
      const { asked, done } = inputs(confirm.length === 0 ? {} : { confirm });
      await executeCommand('cloudCompute.manifest.createEndpoint', document.uri);
      done();
      return asked.join();
    }

    /** Returns the log of the extension, once it contains a text. */
    async function logWith(text: string): Promise<string> {
      const files = await readdir(tmpdir(), { recursive: true });
      const file = files.find((name) => path.basename(name) === 'Cloud Compute.log');
      assert.ok(file, 'the extension has a log file');
      const place = path.join(tmpdir(), file);
      const read = () => readFile(place, 'utf8');
      const found = new AbortController();
      const signal = AbortSignal.any([found.signal, AbortSignal.timeout(45_000)]);
      const changes = watch(place, { signal })[Symbol.asyncIterator]();
      let change = changes.next();
      while (!(await read()).includes(text)) {
        await change;
        change = changes.next();
      }
      // `changes.return` would wait for the next change.
      change.catch(() => undefined);
      found.abort();
      return read();
    }

    it('asks once before it sends values, and shows and logs none of them', async () => {
      await write('  AUTH: "Bearer ${secret:API_TOKEN}"\n  SEARCH: ${env:PATH}');
      await hasNone();
      const question = await create();
      assert.match(
        question,
        /^Send secrets and environment variables to “.+”\? Secrets: API_TOKEN\nEnvironment variables: PATH\n/,
      );
      assert.deepEqual(received, [], 'a dismissed question sends nothing');
      const again = await create('Send Values', 'Create Endpoint');
      assert.match(received.join(), new RegExp(KEY), 'the platform received the value');
      assert.doesNotMatch(await create('Create Endpoint'), /Send secrets/, 'consent is remembered');
      const reported = await diagnosed('serviceMessage');
      assert.match(document.getText(reported.range), /AUTH|\$\{secret:API_TOKEN\}/);
      const log = await logWith('Could not create the endpoint');
      const all = [
        question,
        again,
        ...shown,
        ...diagnostics().map(({ message }) => message),
        log,
        document.getText(),
      ].join('\n');
      assert.match(all, /Could not create the endpoint/);
      for (let at = 0; at + 8 <= KEY.length; at++)
        assert.ok(!all.includes(KEY.slice(at, at + 8)), 'no part of the value is shown');
    });

    it('sends the values, and shows references in the documents of the endpoint', async () => {
      refusing = false;
      await create('Create Endpoint');
      const [endpoint] = nonEmpty((await client.listEndpoints({})).endpoints) ?? [];
      assert.ok(endpoint);
      const { env } = await client.getEndpoint({ id: endpoint.id });
      assert.deepEqual(env, { AUTH: `Bearer ${KEY}`, SEARCH: process.env['PATH'] });
      for (const command of ['cloudCompute.endpoints.open', 'cloudCompute.endpoints.edit']) {
        await executeCommand(command, { kind: 'endpoint', endpointId: endpoint.id });
        const text = vscode.window.activeTextEditor?.document.getText() ?? '';
        assert.match(text, /AUTH: Bearer \$\{secret:API_TOKEN\}/);
        assert.match(text, /SEARCH: \$\{env:PATH\}/);
        assert.ok(!text.includes(KEY));
        await executeCommand('workbench.action.closeActiveEditor');
      }
    });
  });
});
