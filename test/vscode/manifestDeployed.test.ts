import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../src/client/clock.ts';
import { createClient, type Client } from '../../src/client/client.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { EndpointStore } from '../../src/account/endpoints/endpointStore.ts';
import { createFromDocument } from '../../src/features/manifest/create/createFromDocument.ts';
import { DeployedDocuments } from '../../src/features/manifest/deployed/deployedDocuments.ts';
import { DeployedMarks } from '../../src/features/manifest/deployed/deployedMarks.ts';
import { DeployedStatus } from '../../src/features/manifest/deployed/deployedStatus.ts';
import { Deployment } from '../../src/features/manifest/deployed/deployment.ts';
import { SecretStore } from '../../src/account/secrets/secretStore.ts';
import { EndpointLinks } from '../../src/features/manifest/deployed/endpointLinks.ts';
import { updateFromDocument } from '../../src/features/manifest/deployed/updateFromDocument.ts';
import { ManifestModels } from '../../src/features/manifest/language/manifestModels.ts';
import type { AccountServices } from '../../src/account/accountServices.ts';
import { Emitter } from '../../src/kit/emitter.ts';
import { foreign as shownText } from '../../src/text/shownText.ts';
import { platformProcess, type StartedPlatform } from '../../src/account/localPlatform/platformProcess.ts';
import { ClaimedFailures } from '../../src/account/diagnosis/claimedFailures.ts';
import { tests } from '../features/manifest/actions/tests.ts';
import { inputs, type Page } from './inputs.ts';
import { activated, extension, nextEvent, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;
const PREFIX = 'cloudCompute.manifest.';

const yaml = `# A worker of the shop.
name: shop
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 4 } # seconds
cpu: [{ id: cpu3c, vcpuCount: 2 }]
workers: { max: 0 }
env: { TOKEN: from-the-file }
x-local: { directory: ., command: node shop.mjs }
`;
const json = `// Another worker.
{
  "name": "store",
  "type": "QUEUE",
  "scaling": { "type": "QUEUE_DELAY", "queueDelay": 4 }, // seconds
  "cpu": [{ "id": "cpu3c", "vcpuCount": 2 }],
  "workers": { "max": 0 },
  "x-local": { "directory": ".", "command": "node store.mjs" },
}
`;

const hosted = { kind: 'hosted', name: 'api.example.com', baseUrl: 'https://api.example.com' } as const;

/** State storage in memory. */
function memento(): vscode.Memento {
  const storage = new Map<string, unknown>();
  return {
    keys: () => [...storage.keys()],
    get: (key: string, usual?: unknown) => (storage.has(key) ? storage.get(key) : usual) as never,
    update: (key, value) => Promise.resolve(void storage.set(key, value)),
  };
}

/** Shares a platform with the extension, and changes its endpoints with a client of its own. */
describe('A manifest and its endpoint in the editor', function () {
  let dataDir: string;
  let platform: StartedPlatform;
  let client: Client;
  const keys = new Map<string, unknown>();
  const keyChanged = new vscode.EventEmitter<void>();
  const told: string[] = [];
  const asked: { readonly question: string; readonly detail: string; readonly diff: string | undefined }[] = [];
  const files: vscode.Uri[] = [];
  let opens = 0;
  let answer: string | undefined;
  let onQuestion: () => Promise<void> = () => Promise.resolve();
  const commands = vscode.commands as { executeCommand: typeof executeCommand };
  const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };
  const { showErrorMessage, showWarningMessage, showInformationMessage, showQuickPick } = vscode.window;
  const setting = () => vscode.workspace.getConfiguration('cloudCompute.localPlatform');
  const uriOf = (name: string) => vscode.Uri.joinPath(workspaceFolder(), name);

  before(async () => {
    await activated();
    commands.executeCommand = ((command: string, ...args: unknown[]) => {
      if (command === 'setContext') {
        keys.set(String(args[0]), args[1]);
        keyChanged.fire();
      }
      return executeCommand(command, ...args);
    }) as typeof executeCommand;
    const tell = (message: string) => {
      told.push(message);
      return Promise.resolve(undefined);
    };
    window.showErrorMessage = tell;
    window.showInformationMessage = tell;
    window.showWarningMessage = async (question: string, { detail = '' }: vscode.MessageOptions) => {
      asked.push({ question, detail, diff: diffText() });
      await onQuestion();
      return answer as never;
    };
    dataDir = await mkdtemp(path.join(tmpdir(), 'cloud-compute-deployed-'));
    await setting().update('dataDirectory', dataDir, vscode.ConfigurationTarget.Global);
    await start();
  });

  /** Starts a platform that the extension joins. */
  async function start(): Promise<void> {
    const script = path.join(extension().extensionPath, 'dist', 'platform.js');
    const log = vscode.window.createOutputChannel('Test of manifests', { log: true });
    platform = await platformProcess({ script, dataDir: () => dataDir, port: () => 0, log })();
    client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
    await executeCommand('cloudCompute.localPlatform.start');
  }

  after(async () => {
    await executeCommand('workbench.action.closeAllEditors');
    await executeCommand('cloudCompute.localPlatform.stop');
    await setting().update('dataDirectory', undefined, vscode.ConfigurationTarget.Global);
    await platform.stop();
    Object.assign(window, { showErrorMessage, showWarningMessage, showInformationMessage, showQuickPick });
    commands.executeCommand = executeCommand;
    await executeCommand('notifications.clearAll');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  });

  beforeEach(() => {
    told.length = 0;
    asked.length = 0;
    answer = undefined;
    onQuestion = () => Promise.resolve();
  });

  afterEach(async () => {
    for (const { id } of (await client.listEndpoints({})).endpoints) await client.deleteEndpoint({ id });
    await executeCommand('cloudCompute.endpoints.refresh');
    await executeCommand('workbench.action.revertAndCloseActiveEditor');
    await executeCommand('workbench.action.closeAllEditors');
    for (const uri of files.splice(0)) await vscode.workspace.fs.delete(uri);
  });

  /** Opens a new file. The editor can keep the content of an earlier file with the same name. */
  async function opened(text: string): Promise<vscode.TextDocument> {
    const uri = uriOf(`deployed-${++opens}.endpoint.${text.startsWith('//') ? 'json' : 'yaml'}`);
    files.push(uri);
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    return document;
  }

  async function replace(document: vscode.TextDocument, from: string, to: string): Promise<void> {
    const start = document.getText().indexOf(from);
    assert.ok(start >= 0, `${from} in ${document.getText()}`);
    const edit = new vscode.WorkspaceEdit();
    const range = new vscode.Range(document.positionAt(start), document.positionAt(start + from.length));
    edit.replace(document.uri, range, to);
    await vscode.workspace.applyEdit(edit);
  }

  async function lensesOf({ uri }: vscode.TextDocument): Promise<{ title: string; line: number; args: unknown[] }[]> {
    const lenses = await executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri);
    return lenses.map(({ command, range }) => ({
      title: command?.title.replace(/^\$\([\w-]+\)\u00a0/, '') ?? '',
      line: range.start.line,
      args: (command?.arguments ?? []) as unknown[],
    }));
  }

  const titlesOf = async (document: vscode.TextDocument) => (await lensesOf(document)).map(({ title }) => title);

  /** Resolves once the context key has the value. */
  async function hasKey(name: string, value: unknown): Promise<void> {
    await waitFor([keyChanged.event as vscode.Event<never>], () => keys.get(`cloudCompute.${name}`) === value);
  }

  /** Resolves once the left side of the diff editor contains the text. */
  async function diffShows(text: string): Promise<void> {
    const { onDidChangeTabs } = vscode.window.tabGroups;
    const { onDidOpenTextDocument, onDidChangeTextDocument } = vscode.workspace;
    const events = [onDidChangeTabs, onDidOpenTextDocument, onDidChangeTextDocument] as vscode.Event<never>[];
    await waitFor(events, () => diffText()?.includes(text));
  }

  /** Resolves once the manifest in the active editor has the state. */
  async function hasStatus(kind: string): Promise<void> {
    await hasKey('manifestStatus', kind);
  }

  /** Returns the text on the left side of the diff editor in the foreground. */
  function diffText(): string | undefined {
    const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
    if (!(input instanceof vscode.TabInputTextDiff)) return undefined;
    return vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === input.original.toString())?.getText();
  }

  async function created(document: vscode.TextDocument): Promise<Endpoint> {
    await executeCommand(`${PREFIX}createEndpoint`, document.uri, 0);
    await hasStatus('inSync');
    const [endpoint] = (await client.listEndpoints({})).endpoints;
    assert.ok(endpoint, told.join());
    return endpoint;
  }

  /** Changes the endpoint with another client, and refreshes the endpoints of the extension. */
  async function drift(id: string, body: Parameters<Client['updateEndpoint']>[0]['body']): Promise<void> {
    await client.updateEndpoint({ id, body });
    await executeCommand('cloudCompute.endpoints.refresh');
  }

  for (const [name, text] of [
    ['YAML', yaml],
    ['JSON', json],
  ] as const)
    it(`${name}: offers the actions of its state, from creation to an update`, async () => {
      const document = await opened(text);
      await hasStatus('notDeployed');
      assert.deepEqual(await titlesOf(document), ['Create Endpoint on Local Platform']);

      await created(document);
      assert.deepEqual(await titlesOf(document), ['Compare with Deployed', 'Run Job…', 'Show Logs']);
      assert.equal(keys.get('cloudCompute.manifestLinked'), true);

      await replace(document, '4', '7');
      await hasStatus('drifted');
      assert.deepEqual(await titlesOf(document), ['Update…', 'Compare with Deployed', 'Pull', 'Run Job…', 'Show Logs']);

      answer = 'Update Endpoint';
      await executeCommand(`${PREFIX}update`, document.uri, 0);
      assert.match(asked[0]?.question ?? '', /^Update endpoint “\w+” on “Local Platform”\?$/);
      assert.match(asked[0]?.detail ?? '', /^scaling\.queueDelay: 4 → 7\n\nWorkers are not replaced\.$/);
      assert.match(asked[0]?.diff ?? '', /queueDelay"?: 4/);
      assert.equal(diffText(), undefined);
      assert.match(told.at(-1) ?? '', /updated: it is paused, so no worker starts\.$/);
      await hasStatus('inSync');
      const [endpoint] = (await client.listEndpoints({})).endpoints;
      assert.equal(endpoint?.scaling.queueDelay, 7);

      await replace(document, 'QUEUE_DELAY', 'HEAP');
      await hasStatus('invalid');
      assert.deepEqual(await titlesOf(document), ['Run Job…', 'Show Logs']);
    });

  it('tells at the creation that no worker can start here, and explains it', async () => {
    const document = await opened(yaml.replace('directory: .', 'directory: gone'));
    await executeCommand(`${PREFIX}createEndpoint`, document.uri, 0);
    assert.deepEqual(
      asked.map(({ question }) => question),
      ['Endpoint “shop” created. It will not start here: The directory of the worker does not exist.'],
    );
    const [endpoint] = (await client.listEndpoints({})).endpoints;
    await executeCommand('cloudCompute.endpoints.explain', { kind: 'endpoint', endpointId: endpoint?.id });
    const explained = vscode.workspace.textDocuments.find(({ uri }) => uri.path.endsWith('Explain shop.md'));
    assert.match(explained?.getText() ?? '', /Will not start here: The directory of the worker does not exist/);
  });

  it('is not updated unless the user confirms, and then again if another client has changed the same setting', async () => {
    const document = await opened(yaml);
    const { id } = await created(document);
    await replace(document, '4', '7');
    await executeCommand(`${PREFIX}update`, document.uri, 0);
    assert.equal((await client.getEndpoint({ id })).scaling.queueDelay, 4);

    answer = 'Update Endpoint';
    onQuestion = async () => {
      await client.updateEndpoint({ id, body: { scaling: { type: 'QUEUE_DELAY', queueDelay: 9 } } });
    };
    await executeCommand(`${PREFIX}update`, document.uri, 0);
    assert.match(asked.at(-1)?.detail ?? '', /^This overwrites a newer change of scaling\./);
    assert.equal((await client.getEndpoint({ id })).scaling.queueDelay, 9);
  });

  it('shows the drift of its endpoint, and takes it over with its comments', async () => {
    const document = await opened(yaml);
    const { id } = await created(document);
    await drift(id, { scaling: { type: 'QUEUE_DELAY', queueDelay: 9 }, env: { TOKEN: 'from-the-file', NEW: 'hush' } });
    await hasStatus('drifted');

    await executeCommand(`${PREFIX}compare`, document.uri, 0);
    await diffShows('queueDelay: 9');
    const shown = diffText() ?? '';
    assert.match(shown, /queueDelay: 9/);
    assert.match(shown, /TOKEN: from-the-file, NEW: \(another value\)/);
    assert.doesNotMatch(shown, /hush|createdAt|requestUrls/);
    await drift(id, { timeout: 600_000 });
    await diffShows('timeout: 600000');
    await executeCommand('workbench.action.closeActiveEditor');

    await executeCommand(`${PREFIX}pull`, document.uri, 0);
    const pulled = document.getText();
    assert.match(pulled, /^# A worker of the shop\.\nname: shop\n/);
    assert.match(pulled, /queueDelay: 9 } # seconds\n/);
    assert.match(pulled, /timeout: 600000/);
    assert.ok(document.isDirty);
    await hasStatus('inSync');
    assert.ok(told.every((message) => !message.includes('hush')));
  });

  it('belongs to the endpoint that the user chooses among namesakes, and follows its file', async () => {
    const document = await opened(yaml);
    const { id } = await created(document);
    await executeCommand(`${PREFIX}unlink`, document.uri, 0);
    const { image = '' } = await client.getEndpoint({ id });
    const twin = await client.createEndpoint({
      body: {
        name: 'shop',
        type: 'QUEUE',
        scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
        image,
        args: 'node twin.mjs',
        cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
        workers: { max: 0 },
      },
    });
    await executeCommand('cloudCompute.endpoints.refresh');
    await hasStatus('ambiguous');
    assert.deepEqual(await titlesOf(document), ['Choose One of 2 Endpoints…']);

    window.showQuickPick = ((items: vscode.QuickPickItem[]) =>
      Promise.resolve(items.find(({ description }) => description === twin.id))) as never;
    await executeCommand(`${PREFIX}link`, document.uri, 0);
    await hasStatus('drifted');
    assert.deepEqual((await lensesOf(document)).find(({ title }) => title === 'Run Job…')?.args, [
      { kind: 'endpoint', endpointId: twin.id },
    ]);

    const edit = new vscode.WorkspaceEdit();
    files.splice(0, 1, uriOf('moved.endpoint.yaml'));
    edit.renameFile(document.uri, uriOf('moved.endpoint.yaml'));
    await vscode.workspace.applyEdit(edit);
    const moved = await vscode.workspace.openTextDocument(uriOf('moved.endpoint.yaml'));
    await vscode.window.showTextDocument(moved);
    await hasKey('manifestLinked', true);
    await hasStatus('drifted');
    await executeCommand(`${PREFIX}unlink`, moved.uri, 0);
    await hasStatus('ambiguous');
    window.showQuickPick = showQuickPick;
  });

  it('has its own actions for each endpoint of the file', async () => {
    const second = yaml.replace('name: shop', 'name: second');
    const document = await opened(`${yaml}---\n${second}`);
    await hasStatus('notDeployed');
    await executeCommand(`${PREFIX}createEndpoint`, document.uri, 1);
    await hasKey('manifestLinked', true);
    const lines = document.getText().split('\n');
    const secondLine = lines.indexOf('name: second');
    assert.deepEqual(
      (await lensesOf(document)).map(({ title, line }) => [title, line]),
      [
        ['Create Endpoint on Local Platform', 0],
        ['Compare with Deployed', secondLine],
        ['Run Job…', secondLine],
        ['Show Logs', secondLine],
      ],
    );
    assert.deepEqual(
      (await client.listEndpoints({})).endpoints.map(({ name }) => name),
      ['second'],
    );
  });

  it('shows the errors of the platform at their fields, on creation and on update', async () => {
    const document = await opened(`${yaml}registry: unknown\n`);
    const rejected = async (command: string) => {
      await executeCommand(command, document.uri, 0);
      const found = vscode.languages
        .getDiagnostics(document.uri)
        .filter(({ severity }) => severity === vscode.DiagnosticSeverity.Error);
      return found.map(({ range }) => document.getText(range));
    };
    assert.deepEqual(await rejected(`${PREFIX}createEndpoint`), ['unknown']);
    await replace(document, 'registry: unknown\n', '');
    await created(document);
    const end = document.positionAt(document.getText().length);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, end, 'registry: missing\n');
    await vscode.workspace.applyEdit(edit);
    await hasStatus('drifted');
    answer = 'Update Endpoint';
    assert.deepEqual(await rejected(`${PREFIX}update`), ['missing']);
    await replace(document, 'registry: missing\n', '');
    await hasStatus('inSync');
    const changed = vscode.languages.onDidChangeDiagnostics as vscode.Event<never>;
    await waitFor([changed], () => vscode.languages.getDiagnostics(document.uri).length === 0);
  });

  it('reports that no endpoint belongs to it', async () => {
    const document = await opened(yaml);
    await hasStatus('notDeployed');
    for (const command of ['update', 'compare', 'pull']) await executeCommand(PREFIX + command, document.uri, 0);
    assert.equal(
      told.filter((message) => message.includes('no endpoint on Local Platform belongs to “shop”')).length,
      3,
    );
  });

  it('is unknown while no platform is connected', async () => {
    const document = await opened(yaml);
    await hasStatus('notDeployed');
    await executeCommand('cloudCompute.localPlatform.stop');
    await hasStatus('unknown');
    assert.deepEqual(await titlesOf(document), ['Start Local Platform and Create Endpoint']);
    await executeCommand(`${PREFIX}compare`, document.uri, 0);
    assert.match(told.at(-1) ?? '', /the local platform is not running/);
    await start();
    await hasStatus('notDeployed');
  });

  it('has a mark in the Explorer, open or not, and a state beside its language', async () => {
    const shown = new vscode.EventEmitter<void>();
    const items: vscode.LanguageStatusItem[] = [];
    const languages = vscode.languages as { createLanguageStatusItem: typeof createLanguageStatusItem };
    const { createLanguageStatusItem } = vscode.languages;
    languages.createLanguageStatusItem = (id, selector) => {
      const item = new Proxy(createLanguageStatusItem(`${id}.test`, selector), {
        set: (target, name, value) => {
          const isSet = Reflect.set(target, name, value);
          shown.fire();
          return isSet;
        },
      });
      items.push(item);
      return item;
    };
    // The editor reports neither marks nor language status items, so this test has its own instances.
    const profile = { id: 'local', kind: 'local', name: 'Local Platform' };
    const connections = { client, profile, onDidChange: new Emitter<void>().event };
    const endpoints = new EndpointStore(connections, systemClock);
    const log = vscode.window.createOutputChannel('Test of marks', { log: true });
    const secrets = emptySecrets();
    const sources = { connections, endpoints, secrets, log, clock: systemClock } as unknown as AccountServices;
    const target = { target: 'local' } as const;
    const models = new ManifestModels({ ...sources, options: () => target, onDidChangeOptions: shown.event });
    const links = new EndpointLinks(memento());
    const deployment = new Deployment(sources, links);
    const marks = new DeployedMarks({ ...sources, models, deployment, options: () => target });
    const status = new DeployedStatus({ ...sources, models, deployment });
    const all = vscode.Disposable.from(endpoints, models, links, deployment, marks, status, log);
    try {
      const document = await opened(yaml);
      const closed = uriOf('deployed-closed.endpoint.json');
      files.push(closed);
      await vscode.workspace.fs.writeFile(closed, new TextEncoder().encode(json.replace('4', '"four"')));
      const item = items[0];
      assert.ok(item);
      const reads = (text: RegExp) => waitFor([shown.event as vscode.Event<never>], () => text.test(item.text));

      await reads(/Not Deployed$/);
      assert.deepEqual(item.command?.arguments, [document.uri, 0]);
      assert.equal((await marks.markOf(document.uri))?.badge, '+');
      assert.deepEqual(await marks.markOf(closed), {
        badge: '!',
        color: 'list.errorForeground',
        tooltip: shownText('The manifest has errors.'),
      });
      assert.equal(marks.markOf(uriOf('hello.job.json')), undefined);
      assert.equal(await marks.markOf(uriOf('absent.endpoint.yaml')), undefined);

      const { id } = await created(document);
      await endpoints.refresh();
      await reads(/In Sync$/);
      assert.equal((await marks.markOf(document.uri))?.badge, '✓');
      await client.updateEndpoint({ id, body: { timeout: 1_000, name: 'shop' } });
      await endpoints.refresh();
      await reads(/Drifted \(1\)$/);
      assert.equal(item.severity, vscode.LanguageStatusSeverity.Warning);
      assert.match(item.detail ?? '', /^1 setting differs from the endpoint on Local Platform\.$/);
      assert.equal((await marks.markOf(document.uri))?.badge, '≠');
      await executeCommand('workbench.action.closeAllEditors');
      assert.equal((await marks.markOf(document.uri))?.badge, '≠');
      const changed = nextEvent(marks.onDidChange, (uri) => uri?.toString() === closed.toString());
      await vscode.workspace.fs.writeFile(closed, new TextEncoder().encode(json));
      await changed;
      assert.equal((await marks.markOf(closed))?.badge, '+');
    } finally {
      languages.createLanguageStatusItem = createLanguageStatusItem;
      all.dispose();
    }
  });

  it('names the connection and the price before it creates or updates an endpoint on a hosted platform', async () => {
    const onDidChange = new Emitter<void>().event;
    const connections = { client, profile: { ...hosted, id: 'h1' }, loaded: true, onDidChange };
    const endpoints = new EndpointStore(connections, systemClock);
    const log = vscode.window.createOutputChannel('Test of prices', { log: true });
    const context = { workspaceState: memento() };
    const services = {
      connections,
      endpoints,
      secrets: emptySecrets(),
      log,
      clock: systemClock,
      context,
      globalState: memento(),
      claimedFailures: new ClaimedFailures(),
    } as unknown as AccountServices;
    const target = { target: 'hosted' } as const;
    const never = new vscode.EventEmitter<void>();
    const models = new ManifestModels({ ...services, options: () => target, onDidChangeOptions: never.event });
    const links = new EndpointLinks(memento());
    const deployment = new Deployment(services, links);
    const documents = new DeployedDocuments({ services, models, deployment });
    const priceOf = () => 0.69;
    const all = vscode.Disposable.from(endpoints, models, links, deployment, log, never);
    try {
      const document = await opened(yaml.replace('x-local', 'image: example/shop:1\nx-local'));
      const creation = { models, tests, options: () => target, priceOf, created: () => Promise.resolve() };
      const create = async () => {
        const file = await models.read(document);
        const [part] = file.parts;
        assert.ok(part);
        await createFromDocument(services, creation, { document, file, part });
      };
      const ids = async () => (await client.listEndpoints({})).endpoints.map(({ id }) => id);
      await create();
      assert.deepEqual(
        asked.map(({ question, detail }) => [question, detail]),
        [['Create endpoint “shop” on “api.example.com”?', 'Each worker costs up to $0.69/h.']],
      );
      assert.deepEqual(await ids(), []);
      answer = 'Create Endpoint';
      await create();
      const [id] = await ids();
      assert.ok(id);
      const [endpoint] = (await client.listEndpoints({})).endpoints;
      assert.equal(endpoint?.image, 'example/shop:1');

      await replace(document, 'queueDelay: 4', 'queueDelay: 5');
      const file = await models.read(document);
      const part = file.parts[0];
      assert.ok(part);
      const deployed = { services, models, links, deployment, documents, priceOf, tests };
      answer = undefined;
      await updateFromDocument(deployed, { document, file, part });
      assert.equal(asked.at(-1)?.question, 'Update endpoint “shop” on “api.example.com”?');
      assert.match(asked.at(-1)?.detail ?? '', /Each worker costs up to \$0\.69\/h\.$/);
    } finally {
      all.dispose();
    }
  });

  it('returns to the release of a row, after a question that names what stays', async () => {
    const body = { name: 'shop', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 4 } } as const;
    const { id } = await client.createEndpoint({
      body: {
        ...body,
        ...{ image: 'registry.example.com/shop:1', disk: 5, cpu: [{ id: 'cpu3c', vcpuCount: 2 }] },
        ...{ workers: { min: 0, max: 0 }, env: { TOKEN: 'first' } },
      },
    });
    const changes = { scaling: { type: 'QUEUE_DELAY', queueDelay: 9 }, env: { TOKEN: 'second', ADDED: 'x' } } as const;
    await client.updateEndpoint({ id, body: changes });
    await executeCommand('cloudCompute.endpoints.refresh');
    const { releases } = await client.listEndpointReleases({ id });
    const releaseId = releases.find(({ version }) => version === 1)?.id;
    const rollBack = () =>
      executeCommand('cloudCompute.endpoints.rollBack', { kind: 'release', endpointId: id, releaseId });

    await rollBack();
    assert.deepEqual(
      asked.map(({ question, detail }) => [question, detail.split('\n')]),
      [
        [
          'Roll back endpoint “shop” on “Local Platform” to version 1?',
          [
            'scaling.queueDelay: 9 → 4',
            'env: remove ADDED',
            'env.TOKEN is not restored, because the platform hides its earlier value',
            '',
            'Workers are replaced once they are idle.',
          ],
        ],
      ],
    );
    assert.equal((await client.getEndpoint({ id })).scaling.queueDelay, 9, 'nothing is sent without an answer');

    answer = 'Roll Back';
    await rollBack();
    const { scaling, env } = await client.getEndpoint({ id });
    assert.deepEqual([scaling.queueDelay, env], [4, { TOKEN: 'second' }]);
    assert.deepEqual(told, ['“shop” has the settings of version 1: it is paused, so no worker starts.']);
  });

  it('returns to a release in production only after its name is typed', async () => {
    const text = yaml.replace('name: shop', 'name: shop-eu') + 'x-environments: { eu: { production: true } }\n';
    const file = vscode.Uri.joinPath(workspaceFolder(), 'shop-eu.endpoint.yaml');
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
    const { id } = await client.createEndpoint({
      body: {
        ...{ name: 'shop-eu', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 4 }, disk: 5 },
        ...{ image: 'registry.example.com/shop:1', cpu: [{ id: 'cpu3c', vcpuCount: 2 }], workers: { min: 0, max: 0 } },
      },
    });
    await client.updateEndpoint({ id, body: { timeout: 60_000 } });
    await executeCommand('cloudCompute.endpoints.refresh');
    const { releases } = await client.listEndpointReleases({ id });
    const releaseId = releases.find(({ version }) => version === 1)?.id;
    const { page, done } = inputs({ confirm: 'Roll Back' });
    const rollBack = async (act: (box: Page) => Promise<void>) => {
      const running = executeCommand('cloudCompute.endpoints.rollBack', { kind: 'release', endpointId: id, releaseId });
      await act(await page('Change PRODUCTION (eu)'));
      await running;
      return (await client.getEndpoint({ id })).timeout;
    };
    try {
      const timeout = await rollBack(async (box) => {
        await box.type('yes');
        assert.match(await box.refusal(), /^Type eu, or press Escape to change nothing/);
        await box.leave();
      });
      assert.equal(timeout, 60_000);
      assert.notEqual(await rollBack((box) => box.type('eu')), 60_000);
    } finally {
      done();
      await vscode.workspace.fs.delete(file);
    }
  });
});

/** Returns a store without secrets. */
function emptySecrets(): SecretStore {
  const secrets = {
    get: () => Promise.resolve(undefined),
    store: () => Promise.resolve(),
    delete: () => Promise.resolve(),
    onDidChange: new Emitter<{ key: string }>().event,
  };
  return new SecretStore(secrets, memento());
}
