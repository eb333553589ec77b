import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import { AGENT_TOOLS } from '../../src/agents/actions/tools/index.ts';
import { activated, extension } from './support.ts';

interface Configuration {
  readonly mcpServers: Readonly<
    Record<string, { readonly command: string; readonly args: string[]; readonly env: Record<string, string> }>
  >;
}

describe('MCP server', () => {
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
    assert.equal((tools as readonly unknown[]).length, AGENT_TOOLS.length);
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    assert.equal(await closed, 0);
  });
});
