import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { jobDocument, JobWorld } from './jobWorld.ts';
import { stubbed } from './support.ts';

const { executeCommand } = vscode.commands;
const linkOf = (rows: readonly vscode.QuickPickItem[]) =>
  Promise.resolve(rows.find(({ label }) => label === '$(link) Link'));

describe('Links', () => {
  const world = new JobWorld();

  before(() => world.start());
  after(() => world.stop());
  beforeEach(() => world.reset());

  /** Opens a link as the editor does for a link of the operating system. */
  async function open(text: string): Promise<void> {
    await executeCommand('vscode.open', vscode.Uri.parse(text, true));
  }

  async function copied(node: object): Promise<string> {
    await stubbed({ showQuickPick: linkOf as never }, () => executeCommand('cloudCompute.copyAs', node, [node]));
    return vscode.env.clipboard.readText();
  }

  it('to an endpoint are copied, and select it in its view', async () => {
    const endpointId = await world.endpoint('linked');
    await executeCommand('cloudCompute.endpoints.refresh');
    const node = { kind: 'endpoint', endpointId };
    const link = await copied(node);
    const start = `${vscode.env.uriScheme}://cloud-compute.cloud-compute`;
    assert.equal(link, `${start}/endpoint/${endpointId}?platform=local`);
    await open(link);
    // Jobs that earlier tests canceled may be announced now.
    assert.deepEqual(
      world.messages.filter((text) => !/ jobs? ended: /.test(text)),
      [],
    );
  });

  it('to a job are copied, and open its document', async () => {
    const endpointId = await world.endpoint('linked-job');
    const { id: jobId } = await world.client.runJob({
      endpointId,
      body: { input: { do: 'echo', value: { linked: true } } },
    });
    await open(`${vscode.env.uriScheme}://cloud-compute.cloud-compute/job/${endpointId}/${jobId}?platform=local`);
    const document = await jobDocument('.json', /"linked": true/);
    assert.equal((JSON.parse(document.getText()) as { id: string }).id, jobId);
    const connectionId = document.uri.query.split('/')[0];
    const link = await copied({ kind: 'job', connectionId, jobId });
    assert.ok(link.endsWith(`/job/${endpointId}/${jobId}?platform=local`), link);
  });

  for (const [what, path, message] of [
    ['endpoint', '/endpoint/unknown1?platform=local', '“Local Platform” has no endpoint with the ID unknown1'],
    ['platform', '/endpoint/a?platform=https://api.example.com', 'no connection leads to the platform of the link'],
    ['target', '/run/a', 'it names neither an endpoint nor a job'],
  ] as const)
    it(`to an unknown ${what} show one message`, async () => {
      await open(`${vscode.env.uriScheme}://cloud-compute.cloud-compute${path}`);
      const shown = await world.told(/Could not open the link/);
      assert.ok(shown.includes(message), shown);
      assert.equal(world.messages.length, 1);
    });

  it('to a job that the platform no longer has show one message', async () => {
    const endpointId = await world.endpoint('linked-gone');
    await open(`${vscode.env.uriScheme}://cloud-compute.cloud-compute/job/${endpointId}/gone-1?platform=local`);
    assert.match(await world.told(/Could not open the link/), /does not have job gone-1 of “linked-gone”/);
  });
});
