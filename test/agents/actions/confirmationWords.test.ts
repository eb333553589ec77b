import assert from 'node:assert/strict';
import type { ToolConnection } from '../../../src/agents/actions/agentTool.ts';
import {
  platformLine,
  priceOf,
  processLines,
  referenceLines,
  requestCostLine,
  workerCostLine,
} from '../../../src/agents/actions/confirmationWords.ts';
import { ToolError } from '../../../src/agents/model/toolError.ts';
import { json, startScriptedServer } from '../../client/scriptedServer.ts';

describe('Lines of a confirmation', () => {
  const platform = (isLocal: boolean) => ({ name: 'Mine', host: 'api.example.com', isLocal }) as ToolConnection;
  const [local, hosted] = [platform(true), platform(false)];

  it('name the platform, and say if it is on this machine', () => {
    assert.equal(platformLine(local), 'Platform: Mine (api.example.com), on this machine');
    assert.equal(platformLine(hosted), 'Platform: Mine (api.example.com)');
  });

  it('say that the local platform is free, even where prices are known', () => {
    for (const line of [
      workerCostLine(local, 1.5),
      requestCostLine(local, 1.5, 60_000),
      workerCostLine(local, undefined),
    ])
      assert.equal(line, 'Cost: none. The local platform is free.');
  });

  it('say what workers and requests cost at most, or that the price is not known', () => {
    assert.equal(workerCostLine(hosted, 1.5), 'Cost: up to $1.50/h for each worker while it runs.');
    assert.match(workerCostLine(hosted, undefined), /bills each worker.*not known/);
    assert.match(workerCostLine(hosted, 0), /up to \$0\.00\/h/);
    // One minute at one dollar per minute.
    assert.match(requestCostLine(hosted, 60, 60_000), /up to \$60\.00\/h, at most \$1\.00 for an execution of 1 min\./);
    assert.equal(requestCostLine(hosted, undefined, 600_000), workerCostLine(hosted, undefined));
  });

  it('have no price if the catalog cannot be read', async () => {
    await using server = await startScriptedServer((_, response) =>
      json(response, 403, { title: 'Error', status: 403, detail: 'refused' }, 'application/problem+json'),
    );
    const connection = { ...hosted, client: server.client };
    const hardware = { cpu: [{ id: 'cpu3c', vcpuCount: 2 }] } as const;
    assert.equal(await priceOf(connection, hardware, new AbortController().signal), undefined);
    await assert.rejects(priceOf(connection, hardware, AbortSignal.abort(new Error('canceled'))), /canceled/);
  });

  it('show the whole command, its directory, and the names of its variables', () => {
    const command = { command: 'node worker.mjs', directory: '/work', environment: ['A', 'B'] };
    assert.deepEqual(processLines(local, command), [
      'Runs a command as a process on this machine: node worker.mjs',
      'Directory: /work',
      'Environment variables of the command: A, B',
    ]);
    assert.ok(
      processLines(local, { ...command, environment: ['A'] }).includes('Environment variables of the command: A'),
    );
    assert.deepEqual(processLines(hosted, { ...command, command: '', environment: [] }), [
      'Runs a command as a process on the machine of the platform: (none)',
      'Directory: /work',
    ]);
    assert.deepEqual(processLines(local, undefined), []);
  });

  it('refuse a command that a question cannot show completely', () => {
    const command = (length: number) => ({ command: 'x'.repeat(length), directory: '/', environment: [] });
    assert.match(processLines(local, command(900))[0] ?? '', /: x{900}$/);
    assert.throws(
      () => processLines(local, command(901)),
      (error) => error instanceof ToolError && error.code === 'notPossible',
    );
  });

  it('name the values that are sent, by their kinds', () => {
    assert.deepEqual(referenceLines([]), []);
    const references = [
      { kind: 'env', name: 'MODE' },
      { kind: 'secret', name: 'TOKEN' },
      { kind: 'secret', name: 'PASSWORD' },
    ] as const;
    assert.deepEqual(referenceLines(references), [
      'Sends secrets: TOKEN, PASSWORD',
      'Sends environment variables: MODE',
    ]);
  });
});
