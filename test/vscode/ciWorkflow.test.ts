import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { activated, stubbed, workspaceFolder } from './support.ts';

const MANIFEST = `name: hello
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 4 }
cpu: [{ id: cpu3c, vcpuCount: 2 }]
image: registry.example.com/hello:1
env: { TOKEN: '\${secret:HELLO_TOKEN}', REGION: '\${env:HELLO_REGION}' }
`;

describe('The command Add CI Workflow', () => {
  const folder = () => vscode.Uri.joinPath(workspaceFolder(), 'ci');
  const file = (...path: string[]) => vscode.Uri.joinPath(folder(), ...path);
  const write = (uri: vscode.Uri, text: string) => vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));

  before(activated);
  beforeEach(async () => {
    await write(file('hello.endpoint.yaml'), MANIFEST);
    // Makes the folder a repository.
    await write(file('.git', 'config'), '[remote "origin"]\n\turl = https://gitlab.com/team/hello.git\n');
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(folder(), { recursive: true });
  });

  /** Runs the command and chooses the item with the label. Returns the items and the messages. */
  async function add(label: string) {
    const items: string[] = [];
    const messages: string[] = [];
    const tell = (message: string) => {
      messages.push(message);
      return Promise.resolve(undefined);
    };
    const stubs = {
      ...{ showInformationMessage: tell, showWarningMessage: tell, showErrorMessage: tell },
      showQuickPick: async (offered: readonly vscode.QuickPickItem[] | Promise<readonly vscode.QuickPickItem[]>) => {
        const all = await offered;
        items.push(...all.map((item) => item.label));
        return all.find((item) => item.label === label);
      },
    };
    await stubbed(stubs, () => vscode.commands.executeCommand('cloudCompute.manifest.addCiWorkflow', folder()));
    return { items, messages };
  }

  it('writes and opens the workflow of the service of the repository, and names its settings', async () => {
    const { items, messages } = await add('GitLab');
    assert.deepEqual(items, ['GitLab', 'GitHub Actions']);
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.uri.fsPath, file('.gitlab-ci.yml').fsPath);
    assert.match(document.getText(), /cloud-compute-check:/);
    assert.equal(messages.length, 1);
    assert.match(
      messages[0] ?? '',
      /^Set the secrets .*HELLO_TOKEN.* and the variables .*HELLO_REGION.* in the settings/,
    );
  });

  it('does not replace a workflow, which it opens', async () => {
    const existing = file('.github', 'workflows', 'cloud-compute.yml');
    await write(existing, '# mine\n');
    const { messages } = await add('GitHub Actions');
    assert.deepEqual(messages, ['.github/workflows/cloud-compute.yml exists, and was not changed.']);
    assert.equal(vscode.window.activeTextEditor?.document.getText(), '# mine\n');
  });

  it('writes nothing without a choice', async () => {
    assert.deepEqual((await add('none')).messages, []);
    await assert.rejects(async () => vscode.workspace.fs.stat(file('.gitlab-ci.yml')));
  });
});
