import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { createClient } from '../../src/client/client.ts';
import { systemClock } from '../../src/client/clock.ts';
import { debugWorker, openWorkerTerminal } from '../../src/features/local/develop/developCommands.ts';
import { offerAccess, type WantedAccess } from '../../src/features/local/develop/workerAccess.ts';
import { json, startScriptedServer } from '../client/scriptedServer.ts';
import { stubbed } from './support.ts';

const HOSTED = 'https://api.example.com';
const PAGE = 'https://console.example.com/endpoints/e1';
const wanted: WantedAccess = { endpoint: 'e1', workerId: 'w1', wanted: 'terminal' };
const node = { kind: 'worker', endpointId: 'e1', workerId: 'w1' };

type Services = Parameters<typeof openWorkerTerminal>[0];
type Rows = readonly vscode.QuickPickItem[];

/** The content of a quick pick. */
interface Shown {
  readonly title: string | undefined;
  readonly placeholder: string | undefined;
  readonly rows: readonly (readonly [label: string, more: string | undefined])[];
}

describe('The ways to a worker of a hosted platform', () => {
  let home: string;

  beforeEach(async () => (home = await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-ssh-'))));

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await setConsole(undefined);
    await rm(home, { recursive: true });
  });

  const configFile = () => path.join(home, '.ssh', 'config');

  const setConsole = (template: string | undefined) =>
    vscode.workspace
      .getConfiguration('cloudCompute')
      .update(
        'consoleAddresses',
        template === undefined ? undefined : { 'api.example.com': template },
        vscode.ConfigurationTarget.Global,
      );

  function servicesOf(baseUrl: string, kind: 'local' | 'hosted' = 'hosted', client?: unknown): Services {
    // A directory of another machine, if the platform runs processes.
    const endpoint = { id: 'e1', name: 'hello', image: 'process:/app', env: {} };
    return {
      clock: systemClock,
      connections: { client, profile: { id: 'h1', kind, name: 'Acme', baseUrl } },
      endpoints: { endpoints: [{ endpoint }], find: (id: string) => (id === 'e1' ? { endpoint } : undefined) },
      secrets: { values: () => assert.fail('a hosted worker gets no variables of this machine') },
    } as unknown as Services;
  }

  /** Runs an action, and chooses the row with this label, or dismisses the quick pick. */
  async function choosing(label: string | undefined, action: () => Promise<unknown>): Promise<Shown | undefined> {
    let seen: Shown | undefined;
    const showQuickPick = (rows: Rows, { title, placeHolder }: vscode.QuickPickOptions) => {
      const all = rows.map((row) => [row.label, row.detail ?? row.description] as const);
      seen = { title, placeholder: placeHolder, rows: all };
      return Promise.resolve(rows.find((row) => row.label === label));
    };
    await stubbed({ showQuickPick }, action);
    return seen;
  }

  const offer = (label: string | undefined, given: Partial<WantedAccess> = {}) =>
    choosing(label, () => offerAccess(servicesOf(HOSTED), { ...wanted, ...given }, home));

  it('begin with its page in the console, which opens in the browser', async () => {
    await setConsole('https://console.example.com/endpoints/{endpoint_id}');
    const opened: string[] = [];
    const env = vscode.env as { openExternal: typeof vscode.env.openExternal };
    const { openExternal } = env;
    env.openExternal = (uri) => Promise.resolve(opened.push(uri.toString()) > 0);
    let seen: Shown | undefined;
    try {
      seen = await offer('Open Console');
    } finally {
      env.openExternal = openExternal;
    }
    assert.deepEqual(opened, [PAGE]);
    assert.deepEqual(seen, {
      title: 'hello (worker w1)',
      placeholder: 'This platform offers no terminals. Choose another way to the worker.',
      rows: [
        ['Open Console', PAGE],
        ['Prepare SSH Host', 'Adds it to ~/.ssh/config, for the values in the console. The image needs an SSH server.'],
      ],
    });
    await assert.rejects(readFile(configFile()), { code: 'ENOENT' });
  });

  it('say that no console is known, and offer to set one', async () => {
    const seen = await offer(undefined);
    assert.deepEqual(seen?.rows[0], ['Set Console Address…', 'No console address is set for api.example.com.']);
  });

  it('prepare a host of OpenSSH with a tab stop for each value, which only the user saves', async () => {
    await setConsole('https://console.example.com/endpoints/{endpoint_id}');
    await offer('Prepare SSH Host');
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.fsPath, configFile());
    assert.equal(editor.document.getText(editor.selection), 'address-in-the-console');
    await vscode.commands.executeCommand('type', { text: '10.0.0.7' });
    await vscode.commands.executeCommand('jumpToNextSnippetPlaceholder');
    assert.equal(editor.document.getText(editor.selection), 'root');
    assert.equal(
      editor.document.getText(),
      `# hello (worker w1). ${PAGE}
Host hello-w1
    HostName 10.0.0.7
    User root
    Port 22
    IdentityFile ~/.ssh/id_ed25519
`,
    );
    assert.equal(await readFile(configFile(), 'utf8'), '');
  });

  it('connect with a prepared host, and edit it', async () => {
    await offer('Prepare SSH Host');
    await vscode.window.activeTextEditor?.document.save();
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    const sent: string[] = [];
    const createTerminal = () => ({ show: () => undefined, sendText: (text: string) => sent.push(text) });
    let seen: Shown | undefined;
    await stubbed({ createTerminal }, async () => (seen = await offer('Connect with SSH')));
    assert.deepEqual(sent, ['ssh hello-w1']);
    assert.deepEqual(
      seen?.rows.map(([label]) => label),
      ['Connect with SSH', 'Set Console Address…', 'Edit SSH Host'],
    );
    const before = await readFile(configFile(), 'utf8');
    await writeFile(configFile(), `Host other\n\n${before}`);
    await offer('Edit SSH Host');
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.lineAt(editor.selection.active.line).text, 'Host hello-w1');
    assert.equal(editor.document.isDirty, false);
  });

  it('begin with the local platform for a debugger', async () => {
    const seen = await offer(undefined, { wanted: 'debugger' });
    assert.equal(seen?.placeholder, 'This platform offers no debugger. Choose another way to the worker.');
    assert.equal(seen.rows[0]?.[0], 'Switch to the Local Platform…');
  });

  it('are what *Open Terminal in Worker* offers where the platform has no terminals', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 404, { message: 'no such path' }));
    const services = servicesOf(server.origin, 'hosted', createClient({ connection: server.connection, fetch }));
    const createTerminal = () => assert.fail('no terminal that only refuses');
    let seen: Shown | undefined;
    await stubbed({ createTerminal }, async () => {
      seen = await choosing(undefined, () => openWorkerTerminal(services, [node]));
    });
    assert.equal(seen?.title, 'hello (worker w1)');
  });

  it('are what *Debug Worker* and a launch configuration offer', async () => {
    const seen = await choosing(undefined, () => debugWorker(servicesOf(HOSTED), [node]));
    assert.equal(seen?.title, 'hello (worker w1)');
    const ofName = await offer(undefined, { endpoint: 'hello', workerId: undefined, wanted: 'debugger' });
    assert.equal(ofName?.title, 'hello');
  });

  it('are not offered for the local platform, or an unknown endpoint', async () => {
    await choosing(undefined, async () => {
      assert.equal(await offerAccess(servicesOf(HOSTED, 'local'), wanted, home), false);
      assert.equal(await offerAccess(servicesOf(HOSTED), { ...wanted, endpoint: 'missing' }, home), false);
    });
  });
});
