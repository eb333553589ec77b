import assert from 'node:assert/strict';
import path from 'node:path';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as vscode from 'vscode';
import { ranked } from '../../src/account/endpoints/chosenEndpoints.ts';
import { provideSelection } from '../../src/kit/selectedRows.ts';
import { endpoint, snapshot, workers } from '../features/endpoints/sample.ts';

const found = ['delta', 'alpha', 'charlie', 'bravo'].map((name) =>
  snapshot(workers('IDLE'), { endpoint: { ...endpoint, id: `id-${name}`, name } }),
);
const names = (usedLast?: string) => ranked(found, usedLast).map((one) => one.endpoint.name);

describe('The list of endpoints to choose from', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-ranking-'));
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(folder, { recursive: true, force: true });
  });

  it('is sorted by name', () => {
    assert.deepEqual(names(), ['alpha', 'bravo', 'charlie', 'delta']);
  });

  it('begins with the endpoint of the last job', () => {
    assert.deepEqual(names('id-charlie'), ['charlie', 'alpha', 'bravo', 'delta']);
  });

  it('has the endpoint with the name of the active file before the one of the last job', async () => {
    const file = path.join(folder, 'bravo.job.json');
    await writeFile(file, '{}');
    await vscode.window.showTextDocument(vscode.Uri.file(file));
    assert.deepEqual(names('id-charlie'), ['bravo', 'charlie', 'alpha', 'delta']);
  });

  it('has the endpoint of the selected row before that of the active file', () => {
    const row = { kind: 'worker', endpointId: 'id-delta', workerId: 'w1' } as const;
    const selection = provideSelection('cloudCompute.endpoints', () => [row]);
    try {
      assert.deepEqual(names('id-charlie'), ['delta', 'bravo', 'charlie', 'alpha']);
    } finally {
      selection.dispose();
    }
  });
});
