import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { systemClock } from '../../src/client/clock.ts';
import type { Client } from '../../src/client/client.ts';
import { chooseForManifest, type HardwareServices } from '../../src/features/manifest/hardware/chooseHardware.ts';
import { ManifestCodeActions } from '../../src/features/manifest/language/manifestCodeActions.ts';
import { ManifestModels } from '../../src/features/manifest/language/manifestModels.ts';
import type { CheckOptions } from '../../src/features/manifest/model/manifestFile.ts';
import { UserError } from '../../src/kit/userError.ts';
import { foreign } from '../../src/text/shownText.ts';
import { json, startScriptedServer, type Script } from '../client/scriptedServer.ts';
import { inputs, type Page } from './inputs.ts';
import { JobWorld } from './jobWorld.ts';
import { workspaceFolder } from './support.ts';

const CHOOSE = 'cloudCompute.manifest.chooseHardware';
const { executeCommand } = vscode.commands;
const stamp = Date.now();
const name = `hardware-${stamp}`;
const manifest = `# A worker of the shop.
name: ${name}
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 4 } # seconds
gpu: { pools: [AMPERE_24] } # the cheapest one
workers: { max: 0 }
image: example/shop:1
`;

const files: vscode.Uri[] = [];
let opens = 0;

/** Opens a new file. The editor can keep the content of an earlier file with the same name. */
async function opened(text: string): Promise<vscode.TextDocument> {
  const uri = vscode.Uri.joinPath(workspaceFolder(), `${name}-${++opens}.endpoint.yaml`);
  files.push(uri);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  return document;
}

async function closed(): Promise<void> {
  await executeCommand('workbench.action.revertAndCloseActiveEditor');
  await executeCommand('workbench.action.closeAllEditors');
  for (const uri of files.splice(0)) await vscode.workspace.fs.delete(uri);
}

/** Runs a command that shows the list of hardware. */
async function choosing(title: string, command: () => unknown, act: (list: Page) => Promise<void>): Promise<void> {
  const { page, done } = inputs();
  try {
    const running = command();
    const list = await page(title);
    await list.loaded();
    try {
      await act(list);
    } catch (error) {
      await list.leave();
      throw error;
    }
    await running;
  } finally {
    done();
  }
}

describe('Choose Hardware', function () {
  const world = new JobWorld();

  before(() => world.start());
  after(() => world.stop());
  afterEach(async () => {
    await closed();
    await world.reset();
  });

  const TITLE = `Choose Hardware for “${name}”`;

  it('writes the chosen pools into the manifest in the order of preference, as an edit that can be undone', async () => {
    const document = await opened(manifest);
    await choosing(
      TITLE,
      () => executeCommand(CHOOSE, document.uri, 0),
      async (list) => {
        assert.deepEqual(list.checked(), ['AMPERE_24']);
        assert.deepEqual(list.labels().slice(0, 2), ['AMPERE_16', 'AMPERE_24']);
        assert.equal(list.descriptions()[1], '24 GB · $0.684/h · high stock');
        assert.match(list.details()[1] ?? '', /^L4, RTX A5000, RTX 3090 · AP-JP-1, .* more$/);
        await list.check('AMPERE_24', 'ADA_24');
      },
    );
    assert.equal(document.getText(), manifest.replace('[AMPERE_24]', '[AMPERE_24, ADA_24]'));
    assert.equal(document.isDirty, true);
    await executeCommand('undo');
    assert.equal(document.getText(), manifest);
  });

  it('changes nothing if the user leaves, or chooses what the manifest has', async () => {
    const document = await opened(manifest);
    const run = () => executeCommand(CHOOSE, document.uri, 0);
    await choosing(TITLE, run, (list) => list.leave());
    await choosing(TITLE, run, (list) => list.accept());
    assert.deepEqual([document.getText(), document.isDirty], [manifest, false]);
  });

  it('hides the hardware that does not satisfy the manifest, and tells why', async () => {
    const excluded = 'gpu: { pools: [AMPERE_24], excludedTypes: ["NVIDIA GeForce RTX 4090"] }';
    const document = await opened(manifest.replace(/gpu: .*/, excluded));
    await choosing(
      TITLE,
      () => executeCommand(CHOOSE, document.uri, 0),
      async (list) => {
        assert.ok(!list.labels().includes('ADA_24'));
        assert.equal(list.labels().at(-1), '$(eye) Show 1 Unsuitable Option');
        assert.equal(list.details().at(-1), 'excluded types: 1');
        await list.check('AMPERE_48');
      },
    );
    assert.equal(document.getText(), manifest.replace(/gpu: .*/, 'gpu: { pools: [AMPERE_48] }'));
  });

  it('names the error of a manifest that the choice does not correct', async () => {
    const document = await opened(manifest.replace('QUEUE\n', 'QEUE\n'));
    await executeCommand(CHOOSE, document.uri, 0);
    assert.match(world.messages.join(), /^Could not choose the hardware: .*line 3: type/);
  });

  it('is offered at the hardware of a manifest', async () => {
    const document = await opened(manifest);
    const actionsAt = async (text: string) => {
      const at = document.positionAt(document.getText().indexOf(text));
      const range = new vscode.Range(at, at);
      const found = await executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', document.uri, range);
      return found.map(({ title }) => title);
    };
    assert.ok((await actionsAt('AMPERE_24')).includes('Choose Hardware…'));
    assert.ok(!(await actionsAt('image')).includes('Choose Hardware…'));
  });

  it('opens an endpoint without a manifest for editing', async () => {
    const { id: endpointId } = await world.client.createEndpoint({
      body: {
        ...{ name, type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 }, workers: { min: 0, max: 0 } },
        ...{ image: `process:${world.directory}`, cmd: ['node', 'handler.mjs'], gpu: { pools: ['AMPERE_24'] } },
      },
    });
    await executeCommand('cloudCompute.endpoints.refresh');
    await choosing(
      TITLE,
      () => executeCommand(CHOOSE, { kind: 'endpoint', endpointId }),
      (list) => list.check('ADA_24'),
    );
    const edited = vscode.window.activeTextEditor?.document;
    assert.equal(edited?.uri.scheme, 'cloud-compute-endpoint');
    assert.match(edited.getText(), /pools:\n\s+- ADA_24\n/);
    assert.deepEqual(world.messages, [`Save the document to give “${name}” the chosen hardware.`]);
  });

  it('writes the choice for the row of an endpoint into its manifest, and offers the update', async () => {
    const own = manifest
      .replace('example/shop:1', `process:${world.directory}\ncmd: [node, handler.mjs]`)
      .replace('{ max: 0 }', '{ min: 0, max: 0 }');
    const { id: endpointId } = await world.client.createEndpoint({
      body: {
        ...{ name, type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 4 }, workers: { min: 0, max: 0 } },
        ...{ image: `process:${world.directory}`, cmd: ['node', 'handler.mjs'], gpu: { pools: ['AMPERE_24'] } },
      },
    });
    await executeCommand('cloudCompute.endpoints.refresh');
    const document = await opened(own);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await choosing(
      TITLE,
      () => executeCommand(CHOOSE, { kind: 'endpoint', endpointId }),
      (list) => list.check('ADA_24'),
    );
    const edited = vscode.window.activeTextEditor?.document;
    assert.equal(edited?.uri.toString(), document.uri.toString());
    assert.equal(edited.getText(), own.replace('[AMPERE_24]', '[ADA_24]'));
    await world.told(/has the chosen hardware\. Update the endpoint to apply it\.$/);
  });

  it('shows the hardware in the data center of a volume, and copies the IDs', async () => {
    const { id } = await world.client.createNetworkVolume({
      body: { name: 'models', size: 10, dataCenter: 'EU-RO-1' },
    });
    const row = { kind: 'resource', group: 'networkVolumes', id };
    await choosing(
      'Hardware in EU-RO-1, for Workers with “models”',
      () => executeCommand(CHOOSE, row),
      async (list) => {
        assert.match(list.details()[0] ?? '', / · EU-RO-1$/);
        await list.check('ADA_24');
      },
    );
    assert.equal(await vscode.env.clipboard.readText(), 'ADA_24');
    // A manifest of the workspace that mounts the volume receives the choice.
    const mounts = `mounts: { network: [{ volumeId: ${id}, path: /data }] }\n`;
    const document = await opened(manifest + mounts);
    await choosing(
      TITLE,
      () => executeCommand(CHOOSE, row),
      (list) => list.check('ADA_24'),
    );
    assert.equal(document.getText(), manifest.replace('AMPERE_24', 'ADA_24') + mounts);
  });
});

describe('Choose Hardware on a hosted platform', function () {
  afterEach(closed);

  const gpu = (pool: string, serverless: number, centers: Readonly<Record<string, string>>) => ({
    ...{ id: `NVIDIA ${pool}`, name: pool, pool, manufacturer: 'NVIDIA', memory: 24, secure: true, community: false },
    ...{ price: { secure: 1, community: 0, serverless }, maxCount: { secure: 8, community: 0 } },
    dataCenters: Object.entries(centers).map(([id, availability]) => ({ id, name: id, availability })),
  });
  const gpus = [gpu('A', 0.57, { 'EU-RO-1': 'NONE', 'US-KS-2': 'HIGH' }), gpu('L4', 0.69, { 'EU-RO-1': 'LOW' })];
  const volume = { id: 'v1', name: 'models', size: 10, dataCenter: 'EU-RO-1', type: 'STANDARD' };
  const answers: Readonly<Record<string, object>> = {
    '/v2/catalog/gpus': { gpus },
    '/v2/catalog/cpus': { cpus: [] },
    '/v2/network-volumes': { networkVolumes: [volume] },
  };
  const catalog: Script = ({ path }, response) => {
    const answer = answers[path.split('?')[0] ?? ''];
    json(response, answer ? 200 : 404, answer ?? { status: 404, title: 'Not found' });
  };
  const pinned = `${manifest.replace('AMPERE_24', 'A')}mounts: { network: [{ volumeId: v1, path: /data }] }\n`;

  function servicesOf(client: Client, options: CheckOptions = { target: 'hosted' }) {
    const models = new ManifestModels({
      clock: systemClock,
      log: { error: (message: string, error: unknown) => assert.fail(`${message}: ${String(error)}`) } as never,
      options: () => options,
      onDidChangeOptions: new vscode.EventEmitter<void>().event,
    });
    const services = {
      services: {
        connections: { client, profile: { id: 'p', kind: 'hosted', name: 'Acme' } },
        clock: systemClock,
        endpoints: { find: () => undefined },
      },
      models,
      deployment: { matchOf: () => undefined },
      ownJobs: () => Promise.resolve([]),
    } as unknown as HardwareServices;
    return { services, models };
  }

  async function choose(client: Client, document: vscode.TextDocument): Promise<void> {
    const { services, models } = servicesOf(client);
    try {
      const file = await models.read(document);
      const [part = assert.fail()] = file.parts;
      await chooseForManifest(services, { document, file, part });
    } finally {
      models.dispose();
    }
  }

  it('keeps the present choice visible with the reason why it does not satisfy the manifest', async () => {
    await using server = await startScriptedServer(catalog);
    const document = await opened(pinned);
    await choosing(
      `Choose Hardware for “${name}”`,
      () => choose(server.client, document),
      async (list) => {
        assert.deepEqual(list.labels(), ['A', 'L4']);
        assert.deepEqual(list.details(), ['$(circle-slash) no stock in EU-RO-1, but in US-KS-2 · A', 'L4 · EU-RO-1']);
        await list.check('L4');
      },
    );
    assert.equal(document.getText(), pinned.replace('[A]', '[L4]'));
  });

  it('says which condition excludes the most if no hardware satisfies the manifest', async () => {
    await using server = await startScriptedServer(catalog);
    const document = await opened(pinned.replace('pools: [A]', 'pools: [A], count: 16'));
    await choosing(
      `Choose Hardware for “${name}”`,
      () => choose(server.client, document),
      async (list) => {
        await list.placeholder(
          'No hardware satisfies the endpoint. The condition that excludes the most is “GPUs per worker” (2 of 2).',
        );
        await list.leave();
      },
    );
  });

  it('fails with the reason and a button if the catalog cannot be read', async () => {
    await using server = await startScriptedServer((_, response) =>
      json(response, 503, { status: 503, title: 'Down' }),
    );
    const document = await opened(manifest);
    await assert.rejects(choose(server.client, document), (error) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, /^the hardware of Acme cannot be read: the platform failed/);
      assert.deepEqual([error.remedy?.label, error.remedy?.command], ['Try Again', CHOOSE]);
      return true;
    });
  });

  it('is the quick fix for a volume in a data center without stock', async () => {
    const stock = {
      gpus: [{ id: 'NVIDIA A', pool: 'A', dataCenters: ['US-KS-2'] }],
      cpus: [],
      volumes: [{ id: 'v1', dataCenter: 'EU-RO-1' }],
    };
    const options: CheckOptions = { target: 'hosted', stock };
    const { models } = servicesOf({} as Client, options);
    const document = await opened(pinned);
    const provider = new ManifestCodeActions(models, () => options);
    const at = document.positionAt(pinned.indexOf('[A]'));
    const range = new vscode.Range(at, at);
    const context = {
      diagnostics: [],
      only: vscode.CodeActionKind.QuickFix,
      triggerKind: vscode.CodeActionTriggerKind.Invoke,
    };
    const { token } = new vscode.CancellationTokenSource();
    const [fix] = await provider.provideCodeActions(document, range, context, token);
    models.dispose();
    assert.equal(foreign(fix?.title ?? '').text, 'Choose Hardware…');
    assert.deepEqual(fix?.command?.arguments, [document.uri, 0]);
    assert.equal(fix.isPreferred, true);
  });
});
