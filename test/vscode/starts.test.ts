import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import { inputs } from './inputs.ts';
import { activated, waitFor, workspaceFolder } from './support.ts';

/** Names itself, and loads until the test answers. */
const WORKER = `
const { GATE: gate, RUNPOD_ENDPOINT_ID: endpointId, RUNPOD_POD_ID: workerId } = process.env;
await fetch(gate + '?' + new URLSearchParams({ endpointId, workerId }));
await import('./handler.mjs');
`;

describe('The start of a worker that is loading', () => {
  const run = (command: string, ...args: unknown[]) =>
    vscode.commands.executeCommand(`cloudCompute.${command}`, ...args);
  const file = (...segments: string[]) => vscode.Uri.joinPath(workspaceFolder(), ...segments);
  const write = (uri: vscode.Uri, text: string) => vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  const manifest = file('gated.endpoint.yaml');
  const worker = file('hello', 'gated.mjs');
  const gate = createServer();
  const asked = Promise.withResolvers<{ readonly node: object; readonly response: ServerResponse }>();
  let created: Thenable<unknown>;

  before(async () => {
    gate.on('request', ({ url = '' }, response) => {
      const { searchParams } = new URL(url, 'http://gate');
      asked.resolve({ node: { kind: 'worker', ...Object.fromEntries(searchParams) }, response });
    });
    gate.listen(0, '127.0.0.1');
    await once(gate, 'listening');
    const address = `http://127.0.0.1:${(gate.address() as AddressInfo).port}/`;
    await activated();
    await run('localPlatform.start');
    await write(worker, WORKER);
    const sample = new TextDecoder().decode(await vscode.workspace.fs.readFile(file('hello.endpoint.yaml')));
    const gated = sample
      .replace(/^name: .*/m, 'name: gated')
      .replace(/LOAD_SECONDS: .*/, `LOAD_SECONDS: '0'\n  GATE: ${address}`)
      .replace('handler.mjs', 'gated.mjs');
    await write(manifest, gated);
    // The command waits for the worker.
    created = run('manifest.createEndpoint', manifest);
  });

  after(async () => {
    gate.closeAllConnections();
    gate.close();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const { node } = await asked.promise;
    await created;
    const confirmed = inputs({ confirm: 'Delete' });
    await run('endpoints.delete', { ...node, kind: 'endpoint' });
    confirmed.done();
    await Promise.all([manifest, worker].map((uri) => vscode.workspace.fs.delete(uri)));
    await vscode.commands.executeCommand('notifications.clearAll');
    await run('localPlatform.stop');
  });

  it('is followed while it is visible, until the worker is ready', async () => {
    const { node, response } = await asked.promise;
    await run('endpoints.showStart', node);
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.uri.scheme, 'cloud-compute-start');
    assert.doesNotMatch(document.getText(), /^Ready after /m);
    assert.match(document.getText(), /░/);
    response.end();
    const changed = vscode.workspace.onDidChangeTextDocument as unknown as vscode.Event<never>;
    await waitFor([changed], () => /^Ready after /m.test(document.getText()));
    assert.doesNotMatch(document.getText(), /░/);
  });
});
