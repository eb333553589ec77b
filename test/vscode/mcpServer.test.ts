import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import type { Profile } from '../../src/features/connections/connectionStore.ts';
import { ServerProvider } from '../../src/features/agents/mcpServer.ts';
import { activated, extension, workspaceFolder } from './support.ts';

const SETTING = 'cloudCompute.agents.mcpServer';
const KEY = 'key-of-the-hosted-platform';
const hosted: Profile = {
  kind: 'hosted',
  id: 'h',
  name: 'Hosted',
  baseUrl: 'https://api.example.com',
  restUrl: 'https://rest.example.com',
  queueUrl: 'https://queue.example.com/v2',
  endpointHost: 'https://{endpoint_id}.example.com',
  apiKey: KEY,
  teamId: 'team',
};

interface Configuration {
  readonly mcpServers: Readonly<
    Record<string, { readonly command: string; readonly args: string[]; readonly env: Record<string, string> }>
  >;
}

describe('MCP server of the editor', function () {
  this.timeout(60_000);

  const set = (value: boolean | undefined) =>
    vscode.workspace.getConfiguration().update(SETTING, value, vscode.ConfigurationTarget.Global);

  afterEach(() => set(undefined));

  function provider(profile: Profile | undefined) {
    const changed = new vscode.EventEmitter<void>();
    const connections = { profile, onDidChange: changed.event, whenLoaded: () => Promise.resolve() };
    const { extensionPath, extensionUri } = extension();
    const context = {
      extension: extension(),
      asAbsolutePath: (file: string) => `${extensionPath}/${file}`,
      globalStorageUri: vscode.Uri.joinPath(extensionUri, 'storage'),
    };
    const change = (next: Profile | undefined) => {
      connections.profile = next;
      changed.fire();
    };
    return { provider: new ServerProvider({ context, connections }), change };
  }

  it('is off by default', () => {
    const { provider: servers } = provider(hosted);
    assert.deepEqual(servers.provideMcpServerDefinitions(), []);
    servers.dispose();
  });

  it('gets the addresses and the key only when it starts', async () => {
    await set(true);
    const { provider: servers } = provider(hosted);
    const [server] = servers.provideMcpServerDefinitions();
    assert.ok(server);
    assert.deepEqual(server.env, { ELECTRON_RUN_AS_NODE: '1' });
    assert.deepEqual(server.args.slice(-2), ['--workspace', workspaceFolder().fsPath]);
    assert.doesNotMatch(JSON.stringify(server), new RegExp(`${KEY}|example\\.com`));
    const { env } = (await servers.resolveMcpServerDefinition(server)) ?? assert.fail('not resolved');
    assert.deepEqual(env, {
      ELECTRON_RUN_AS_NODE: '1',
      CLOUD_COMPUTE_BASE_URL: hosted.baseUrl,
      CLOUD_COMPUTE_REST_URL: hosted.restUrl,
      CLOUD_COMPUTE_QUEUE_URL: hosted.queueUrl,
      CLOUD_COMPUTE_ENDPOINT_HOST: hosted.endpointHost,
      CLOUD_COMPUTE_API_KEY: KEY,
      CLOUD_COMPUTE_TEAM_ID: 'team',
    });
    servers.dispose();
  });

  it('has another version after a change of the connection, and no variables for the local platform', async () => {
    await set(true);
    const { provider: servers, change } = provider(hosted);
    let changes = 0;
    servers.onDidChangeMcpServerDefinitions(() => (changes += 1));
    const [before] = servers.provideMcpServerDefinitions();
    change(hosted);
    assert.equal(changes, 0, 'the same connection is no change');
    change({ ...hosted, kind: 'local' });
    assert.equal(changes, 1);
    const [after] = servers.provideMcpServerDefinitions();
    assert.ok(before && after);
    assert.notEqual(before.version, after.version);
    const { env } = (await servers.resolveMcpServerDefinition(after)) ?? assert.fail('not resolved');
    assert.deepEqual([env['CLOUD_COMPUTE_BASE_URL'], env['CLOUD_COMPUTE_API_KEY']], [null, null]);
    servers.dispose();
  });

  it('starts with the copied configuration, and answers', async () => {
    await activated();
    await vscode.commands.executeCommand('cloudCompute.agents.copyMcpConfiguration');
    const { mcpServers } = JSON.parse(await vscode.env.clipboard.readText()) as Configuration;
    const { command, args, env } = mcpServers['cloud-compute'] ?? assert.fail('no server');
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const request = async (id: number, method: string, params: object) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      const line = (await lines.next()) as { readonly value: string };
      return (JSON.parse(line.value) as { readonly result: Record<string, unknown> }).result;
    };
    const clientInfo = { name: 'test', version: '1' };
    const { serverInfo } = await request(1, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo,
    });
    const { version } = extension().packageJSON as { readonly version: string };
    assert.deepEqual(serverInfo, { name: 'cloud-compute', title: 'Cloud Compute', version });
    const { tools } = await request(2, 'tools/list', {});
    assert.ok((tools as readonly unknown[]).length > 20);
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    assert.equal(await closed, 0);
  });
});
