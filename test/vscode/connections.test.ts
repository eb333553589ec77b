import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { createClient } from '../../src/client/client.ts';
import { systemClock } from '../../src/client/clock.ts';
import { ConnectionAccounts } from '../../src/account/connections/connectionAccounts.ts';
import { ConnectionStatusBar } from '../../src/account/connections/connectionStatusBar.ts';
import { ConnectionStore } from '../../src/account/connections/connectionStore.ts';
import { platformProcess, type StartedPlatform } from '../../src/account/localPlatform/platformProcess.ts';
import { json, startScriptedServer } from '../client/scriptedServer.ts';
import { hosted, SharedSecrets } from '../account/connections/support.ts';
import { inputs } from './inputs.ts';
import { activated, extension, nextEvent, stubbed, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;

const processManifest = `name: process
type: QUEUE
image: process:/no-such-directory
args: node worker.mjs
scaling: {type: QUEUE_DELAY, queueDelay: 4}
cpu: [{id: cpu3c, vcpuCount: 2}]
workers: {min: 0, max: 0}
`;

/** Uses a platform that the extension did not start in place of a hosted one, because both have the same API. */
describe('The commands of connections', () => {
  let platform: StartedPlatform;
  let dataDir: string;

  before(async () => {
    await activated();
    dataDir = await mkdtemp(path.join(tmpdir(), 'cloud-compute-connections-'));
    const script = path.join(extension().extensionPath, 'dist', 'platform.js');
    const log = vscode.window.createOutputChannel('Test of connections', { log: true });
    platform = await platformProcess({ script, dataDir: () => dataDir, port: () => 0, log })();
  });

  after(async () => {
    await executeCommand('cloudCompute.localPlatform.stop');
    await executeCommand('notifications.clearAll');
    await platform.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  });

  /** Completes the wizard with these keys, the last of which is valid. */
  async function connect(...keys: readonly string[]): Promise<void> {
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.connect');
    await (await page('Connect to a Platform', 1)).type(platform.announcement.baseUrl);
    await (await page('Connect to a Platform', 2)).accept();
    const last = await page('Connect to a Platform', 3);
    for (const key of keys) await last.type(key);
    await command;
    done();
  }

  const accountId = async (name: string) =>
    (await vscode.authentication.getAccounts('cloudCompute')).find(({ label }) => label === name)?.id;
  const accounts = async () => (await vscode.authentication.getAccounts('cloudCompute')).map(({ label }) => label);

  it('connect: derives the addresses, rejects an invalid key, and adds an account for a valid one', async () => {
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.connect');
    const address = await page('Connect to a Platform', 1);
    await address.type('http://api.example.com');
    assert.match(await address.refusal(), /unencrypted/);
    await address.type(`${platform.announcement.baseUrl}/queue/v2`);
    const review = await page('Connect to a Platform', 2);
    assert.deepEqual(review.descriptions().slice(0, 1), [platform.announcement.baseUrl]);
    assert.ok(review.descriptions().includes(platform.announcement.queueUrl));
    assert.ok(review.descriptions().includes(platform.announcement.endpointHost));
    await review.accept();
    const key = await page('Connect to a Platform', 3);
    assert.equal(key.isPassword(), true);
    await key.type('a-wrong-key');
    assert.match(await key.refusal(), /did not accept the API key/);
    assert.deepEqual(await accounts(), [], 'an invalid key is not stored');
    const signedIn = nextEvent(
      vscode.authentication.onDidChangeSessions,
      ({ provider }) => provider.id === 'cloudCompute',
    );
    await key.type(platform.announcement.apiKey);
    await command;
    await signedIn;
    done();
    assert.equal((await accounts()).length, 1);
  });

  it('connect: the back button shows the earlier answers', async () => {
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.connect');
    await (await page('Connect to a Platform', 1)).type(platform.announcement.baseUrl);
    await (await page('Connect to a Platform', 2)).accept();
    await (await page('Connect to a Platform', 3)).back();
    await (await page('Connect to a Platform', 2)).back();
    const address = await page('Connect to a Platform', 1);
    assert.equal(address.value(), platform.announcement.baseUrl);
    await address.leave();
    await command;
    done();
    assert.equal((await accounts()).length, 1);
  });

  it('manage: renames the account, and rejects the name of another connection', async () => {
    await connect(platform.announcement.apiKey);
    assert.equal((await accounts()).length, 2);
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.connections.manage');
    const list = await page('Manage Connection');
    const [connection = ''] = list.labels();
    await list.choose(connection);
    const actions = await page(`Manage Connection: ${connection.replace(/^\$\(\w+\) /, '')}`);
    assert.deepEqual(actions.labels(), [
      '$(edit) Rename…',
      '$(key) Replace API Key…',
      '$(organization) Change Team…',
      '$(sign-out) Sign Out',
      '$(trash) Forget…',
    ]);
    assert.ok(
      actions.details().every((detail) => detail.endsWith('.')),
      'each row says what it does',
    );
    await actions.choose('$(edit) Rename…');
    const name = await page('Rename Connection');
    const other = (await accounts()).find((one) => one !== name.value()) ?? '';
    await name.type(other);
    assert.match(await name.refusal(), /Another connection/);
    await name.type('Production');
    await command;
    done();
    assert.ok((await accounts()).includes('Production'));
  });

  it('switch: lists all connections and starts the local platform', async () => {
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.connections.switch');
    const list = await page('Switch Connection');
    assert.equal(list.labels()[0], '$(vm) Local Platform');
    assert.ok(list.labels().includes('$(cloud) Production'));
    assert.equal(list.labels().at(-1), '$(add) Connect to a Platform…');
    await list.choose('$(vm) Local Platform');
    await command;
    done();
    const again = inputs();
    const second = executeCommand('cloudCompute.connections.switch');
    const shown = await again.page('Switch Connection');
    assert.match(shown.descriptions()[0] ?? '', /^current · running at 127\.0\.0\.1:\d+$/);
    await shown.leave();
    await second;
    again.done();
  });

  it('replaceKey: accepts only a valid key', async () => {
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.connections.replaceKey');
    await (await page('Replace API Key')).choose('$(cloud) Production');
    const key = await page('Replace API Key: Production');
    await key.type('a-wrong-key');
    assert.match(await key.refusal(), /did not accept the API key/);
    await key.type(platform.announcement.apiKey);
    await command;
    done();
  });

  it('manage: rejects an invalid id and stores an id that the service accepts', async () => {
    const { asked, page, done } = inputs();
    const change = async (act: (team: Awaited<ReturnType<typeof page>>) => Promise<void>) => {
      const profile = await accountId('Production');
      const command = executeCommand('cloudCompute.connections.manage', profile);
      await (await page('Manage Connection: Production')).choose('$(organization) Change Team…');
      await act(await page('Change Team: Production'));
      await command;
    };
    await change(async (team) => {
      assert.equal(team.value(), '');
      await team.type('two words');
      assert.match(await team.refusal(), /without spaces/);
      await team.type('engines');
    });
    assert.match(
      asked.join(),
      /^The platform lists the same endpoints for team “engines” and for the account of the key\./,
    );
    await change(async (team) => {
      assert.equal(team.value(), 'engines');
      await team.type('');
    });
    await change(async (team) => {
      assert.equal(team.value(), '', 'an empty id selects the account of the key');
      await team.leave();
    });
    done();
  });

  it('createEndpoint: asks for consent once before it creates a process endpoint on another platform', async () => {
    const { page, done: chosen } = inputs();
    const switching = executeCommand('cloudCompute.connections.switch');
    await (await page('Switch Connection')).choose('$(cloud) Production');
    await switching;
    chosen();
    const uri = vscode.Uri.file(path.join(dataDir, 'process.endpoint.yaml'));
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(processManifest));
    const create = async (...confirm: string[]) => {
      const { asked, done } = inputs({ confirm });
      await executeCommand('cloudCompute.manifest.createEndpoint', uri);
      done();
      return asked.join();
    };
    const client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
    const count = async () => (await client.listEndpoints({})).endpoints.length;
    assert.match(await create(), /^Run a command on the machine of “Production”\? Command: node worker\.mjs/);
    assert.equal(await count(), 0, 'a dismissed question creates nothing');
    assert.match(
      await create('Run Command'),
      /Directory: .*no-such-directory.*Create endpoint “.*” on “Production”\?/s,
    );
    assert.equal(await count(), 0, 'consent alone creates nothing');
    await create('Create Endpoint');
    assert.equal(await count(), 1);
    const [first] = (await client.listEndpoints({})).endpoints;
    assert.ok(first);
    await client.deleteEndpoint({ id: first.id });
    assert.match(await create('Create Endpoint'), /^Create endpoint/, 'consent is remembered');
    assert.equal(await count(), 1);
  });

  it('createEndpoint: needs the gate that x-gate requires, or a reason, which is stored', async () => {
    const uri = vscode.Uri.file(path.join(dataDir, 'gated.endpoint.yaml'));
    const gated = processManifest
      .replace('name: process', 'name: gated')
      .replace(/image: .*/, 'image: example/gated:1');
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(`${gated}x-gate: {require: true}\n`));
    const client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
    const isCreated = async () => (await client.listEndpoints({})).endpoints.some(({ name }) => name === 'gated');
    const create = async (answer: (labels: readonly string[]) => string | undefined, reason?: string) => {
      const { done } = inputs({ confirm: ['Run Command', 'Create Endpoint'] });
      type Rows = readonly { readonly label: string }[];
      const showQuickPick = (rows: Rows) => {
        const wanted = answer(rows.map(({ label }) => label));
        return Promise.resolve(rows.find(({ label }) => label === wanted));
      };
      const showInputBox = () => Promise.resolve(reason);
      await stubbed({ showQuickPick, showInputBox }, () => executeCommand('cloudCompute.manifest.createEndpoint', uri));
      done();
    };
    const offered: string[] = [];
    await create((labels) => {
      offered.push(...labels);
      return undefined;
    });
    assert.deepEqual(offered, ['$(git-compare) Run Gate', '$(debug-step-over) Deploy Without Gate…']);
    assert.equal(await isCreated(), false, 'a dismissed question creates nothing');
    await create((labels) => labels[1], 'an urgent change');
    assert.equal(await isCreated(), true);
    const verdicts = await readFile(path.join(dataDir, 'gated.recordings', 'verdicts.json'), 'utf8');
    assert.match(verdicts, /"reason": "an urgent change"/);
  });

  it('manage: removes the account and keeps the connection, which needs only a key to sign in', async () => {
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.connections.manage');
    await (await page('Manage Connection')).choose('$(cloud) Production');
    await (await page('Manage Connection: Production')).choose('$(sign-out) Sign Out');
    await command;
    assert.ok(!(await accounts()).includes('Production'));
    const back = executeCommand('cloudCompute.connections.switch');
    const list = await page('Switch Connection');
    await list.choose('$(lock) Production');
    await (await page('Sign In: Production')).type(platform.announcement.apiKey);
    await back;
    done();
    assert.ok((await accounts()).includes('Production'));
  });

  it('manage: makes each command that needs the platform offer to sign in', async () => {
    const profile = await accountId('Production');
    const out = inputs();
    const leaving = executeCommand('cloudCompute.connections.manage', profile);
    await (await out.page('Manage Connection: Production')).choose('$(sign-out) Sign Out');
    await leaving;
    out.done();
    const manifest = vscode.Uri.joinPath(workspaceFolder(), 'hello.endpoint.yaml');
    const node = { kind: 'worker', endpointId: 'e', workerId: 'w' };
    for (const [command, argument] of [
      ['jobs.run', node],
      ['jobs.openRecent', undefined],
      ['endpoints.open', node],
      ['endpoints.scale', node],
      ['endpoints.delete', node],
      ['endpoints.addFavorite', node],
      ['registries.create', undefined],
      ['registries.delete', undefined],
      ['logs.open', node],
      ['billing.open', undefined],
      ['manifest.createEndpoint', manifest],
    ] as const) {
      assert.deepEqual(await errorOf(`cloudCompute.${command}`, argument), {
        reason: 'you are signed out of “Production”',
        buttons: ['Sign In'],
      });
    }
    const { page, done } = inputs();
    const back = executeCommand('cloudCompute.connections.replaceKey', profile);
    await (await page('Sign In: Production')).type(platform.announcement.apiKey);
    await back;
    done();
  });

  /** Returns the reason and the buttons of the error message that a command shows. */
  async function errorOf(command: string, argument: unknown): Promise<{ reason: string; buttons: string[] }> {
    const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };
    const { showErrorMessage } = window;
    const shown: { reason: string; buttons: string[] }[] = [];
    window.showErrorMessage = (message: string, ...buttons: unknown[]) => {
      shown.push({ reason: message.replace(/^[^:]*: /, ''), buttons: buttons as string[] });
      return Promise.resolve(undefined);
    };
    await executeCommand(command, argument);
    window.showErrorMessage = showErrorMessage;
    const [first, ...others] = shown;
    assert.ok(first && others.length === 0, `${command} shows one error message`);
    return first;
  }

  it('manage: removes the connection only after a confirmation', async () => {
    const { page, asked, done } = inputs();
    const left = executeCommand('cloudCompute.connections.manage');
    await (await page('Manage Connection')).choose('$(cloud) Production');
    await (await page('Manage Connection: Production')).choose('$(trash) Forget…');
    await left;
    done();
    assert.match(asked.join(), /^Forget the connection “Production”\? .*API key/);
    assert.equal((await accounts()).length, 2);

    const sure = inputs({ confirm: 'Forget' });
    const command = executeCommand('cloudCompute.connections.manage');
    await (await sure.page('Manage Connection')).choose('$(cloud) Production');
    await (await sure.page('Manage Connection: Production')).choose('$(trash) Forget…');
    await command;
    sure.done();
    assert.equal((await accounts()).length, 1);
    assert.ok(!(await accounts()).includes('Production'));
  });

  it('manage: names the connections, asks for confirmation, and removes all of them', async () => {
    const [name = ''] = await accounts();
    const { asked, page, done } = inputs({ confirm: 'Forget All' });
    const command = executeCommand('cloudCompute.connections.manage');
    await (await page('Manage Connection')).choose('$(trash) Forget All Connections…');
    await command;
    done();
    assert.ok(asked.join().includes(`“${name}”`));
    assert.deepEqual(await accounts(), []);
    await assertNothingToChoose();
  });

  /** Asserts that the list contains only the local platform and the command to connect. */
  async function assertNothingToChoose(): Promise<void> {
    const { page, done } = inputs();
    const command = executeCommand('cloudCompute.connections.switch');
    const list = await page('Switch Connection');
    assert.deepEqual(list.labels(), ['$(vm) Local Platform', '', '$(add) Connect to a Platform…']);
    await list.leave();
    await command;
    done();
  }
});

describe('ConnectionStore', () => {
  const open = async (secrets: SharedSecrets) => {
    const store = new ConnectionStore(secrets.window());
    await store.load();
    return store;
  };
  const clientOf = ({ client }: ConnectionStore) => client ?? assert.fail('there is no client');
  const use = (store: ConnectionStore, name: string) =>
    store.use({ ...hosted(name), kind: 'hosted', apiKey: `key-of-${name}` });

  it('applies the changes of one window to all windows', async () => {
    const secrets = new SharedSecrets();
    const [one, two] = [await open(secrets), await open(secrets)];
    const added = await use(one, 'work');
    await use(one, 'home');
    assert.ok(added);
    await two.select(added.id);
    await one.rename(added.id, 'renamed');
    await two.retry();
    assert.deepEqual([one.profile?.name, two.profile?.name], ['renamed', 'renamed']);
    await one.signOut(added.id);
    await two.retry();
    assert.equal(two.client, undefined);
    assert.equal(two.profile?.name, 'renamed');
    for (const store of [one, two]) store.dispose();
  });

  it('keeps the client of a connection until its addresses, key, or team change', async () => {
    const store = await open(new SharedSecrets());
    const work = await use(store, 'work');
    assert.ok(work);
    const client = clientOf(store);
    await store.rename(work.id, 'renamed');
    assert.equal(clientOf(store), client);
    await use(store, 'home');
    assert.notEqual(clientOf(store), client);
    await store.select(work.id);
    assert.equal(clientOf(store), client);
    await store.replaceKey(work.id, 'another');
    assert.equal(clientOf(store).context.connection.apiKey, 'another');
    await store.changeTeam(work.id, 'engines');
    assert.equal(clientOf(store).context.connection.teamId, 'engines');
    await store.changeTeam(work.id, undefined);
    assert.equal(clientOf(store).context.connection.teamId, undefined);
    store.dispose();
  });

  it('has a client for the local platform only while that runs, and does not store its key', async () => {
    const secrets = new SharedSecrets();
    const store = await open(secrets);
    const { id, name, ...local } = hosted('local');
    await store.use({ ...local, kind: 'local', name: 'Local', apiKey: 'key-of-the-process' });
    assert.ok(id && name && store.client);
    store.suspendLocal();
    assert.equal(store.client, undefined);
    assert.equal(store.profile?.kind, 'local');
    assert.ok([...secrets.texts.values()].every((text) => !text.includes('key-of-the-process')));
    const second = await open(secrets);
    assert.equal(second.profile?.kind, 'local');
    assert.equal(second.client, undefined);
    for (const one of [store, second]) one.dispose();
  });

  it('keeps connections in memory while the keyring is broken, and removes all of them on request', async () => {
    const secrets = new SharedSecrets();
    secrets.broken = new Error('no keyring');
    const store = await open(secrets);
    assert.equal(store.loaded, true);
    await use(store, 'work');
    assert.ok(store.client);
    assert.equal(store.problem?.message, 'no keyring');
    secrets.broken = undefined;
    await store.retry();
    assert.equal(store.problem, undefined);
    await store.forgetAll();
    assert.equal(secrets.texts.size, 0);
    assert.equal(store.profile, undefined);
    store.dispose();
  });
});

describe('The status bar item of the connection', () => {
  it('contains why the latest request failed, with the remedy, until a request succeeds', async () => {
    let status = 401;
    await using server = await startScriptedServer((_, response) => json(response, status, { endpoints: [] }));
    const store = new ConnectionStore(new SharedSecrets().window());
    await store.use({ ...server.connection, kind: 'hosted', name: 'work' });
    const { createStatusBarItem } = vscode.window;
    let item: vscode.StatusBarItem | undefined;
    const window = vscode.window as { createStatusBarItem: unknown };
    window.createStatusBarItem = (...args: Parameters<typeof createStatusBarItem>) =>
      (item = createStatusBarItem(...args));
    const statusBar = new ConnectionStatusBar(store, systemClock);
    window.createStatusBarItem = createStatusBarItem;
    const tooltip = () => (item?.tooltip as vscode.MarkdownString).value;
    assert.equal(item?.text, '$(cloud) work');
    await assert.rejects(Promise.resolve(store.client?.listEndpoints({}, { retries: 0 })));
    assert.equal(item.text, '$(warning) work');
    assert.match(tooltip(), /the API key was not accepted.*\[Replace API Key\]\(command:cloudCompute\.connections/);
    assert.match(item.accessibilityInformation?.label ?? '', /the API key was not accepted/);
    status = 200;
    await store.client?.listEndpoints({});
    assert.equal(item.text, '$(cloud) work');
    assert.doesNotMatch(tooltip(), /not accepted/);
    await server[Symbol.asyncDispose]();
    await assert.rejects(Promise.resolve(store.client?.listEndpoints({}, { retries: 0 })));
    assert.equal(item.text, '$(warning) work');
    assert.match(tooltip(), /cannot be reached.*\[Refresh\]\(command:cloudCompute\.endpoints\.refresh/);
    statusBar.dispose();
    store.dispose();
  });
});

describe('ConnectionAccounts', () => {
  it('reports added, changed, and removed connections', async () => {
    const store = new ConnectionStore(new SharedSecrets().window());
    await store.load();
    const accounts = new ConnectionAccounts(store, async () => {
      const { name, ...connection } = hosted('asked');
      return store.use({ ...connection, name, kind: 'hosted', apiKey: 'asked-key' });
    });
    const seen: string[] = [];
    const labels = (sessions: readonly vscode.AuthenticationSession[] = []) =>
      sessions.map(({ account }) => account.label).join();
    accounts.onDidChangeSessions(({ added, changed, removed }) =>
      seen.push(`+${labels(added)} ~${labels(changed)} -${labels(removed)}`),
    );
    const session = await accounts.createSession();
    assert.equal(session.accessToken, 'asked-key');
    await store.rename(session.id, 'renamed');
    assert.deepEqual(
      (await accounts.getSessions(undefined)).map(({ account }) => account.label),
      ['renamed'],
    );
    assert.deepEqual(await accounts.getSessions([], { account: { id: 'other', label: 'x' } }), []);
    await accounts.removeSession(session.id);
    assert.deepEqual(await accounts.getSessions([]), []);
    assert.deepEqual(seen, ['+asked ~ -', '+ ~renamed -', '+ ~ -renamed']);
    accounts.dispose();
    store.dispose();
  });

  it('creates no session when the user cancels the wizard', async () => {
    const store = new ConnectionStore(new SharedSecrets().window());
    const accounts = new ConnectionAccounts(store, () => Promise.resolve(undefined));
    await assert.rejects(accounts.createSession(), vscode.CancellationError);
    accounts.dispose();
    store.dispose();
  });
});
