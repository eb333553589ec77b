import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { activated, nonEmpty, stubbed, waitFor, workspaceFolder } from './support.ts';

const MANIFEST = `# mine
name: built
type: QUEUE
scaling:
  type: QUEUE_DELAY
  queueDelay: 4
cpu:
  - id: cpu3c
    vcpuCount: 2
x-build: # an image of one file
  context: image
`;

const wroteDiagnostics = vscode.languages.onDidChangeDiagnostics as vscode.Event<never>;
const engineSetting = 'localPlatform.containerEngine';

describe('The build of a manifest', () => {
  let document: vscode.TextDocument;
  let files = 0;
  const at = (...path: string[]) => vscode.Uri.joinPath(workspaceFolder(), ...path);
  const dockerfile = () => at(`build-${files}`, 'image', 'Dockerfile');

  before(activated);

  beforeEach(async () => {
    const uri = at(`build-${++files}`, 'built.endpoint.yaml');
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(MANIFEST));
    document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.workspace.fs.delete(at(`build-${files}`), { recursive: true });
  });

  const codes = (uri = document.uri) =>
    vscode.languages
      .getDiagnostics(uri)
      .flatMap(({ code }) => (typeof code === 'string' ? [code] : []))
      .sort();
  const shows = (...expected: string[]) =>
    waitFor([wroteDiagnostics], () => JSON.stringify(codes()) === JSON.stringify([...expected].sort()));

  /** Creates or replaces a file in the context, as a user would. */
  async function write(name: string, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    const uri = at(`build-${files}`, 'image', name);
    edit.createFile(uri, { overwrite: true, contents: new TextEncoder().encode(text) });
    assert.ok(await vscode.workspace.applyEdit(edit));
  }

  it('needs a Dockerfile with a command, which the editor reports until it is there', async () => {
    await shows('imageNotBuilt', 'buildFolderMissing');
    await write('Dockerfile', 'FROM scratch\n');
    await shows('imageNotBuilt', 'imageWithoutCommand');
    const open = await vscode.workspace.openTextDocument(dockerfile());
    const edit = new vscode.WorkspaceEdit();
    edit.insert(open.uri, new vscode.Position(1, 0), 'CMD ["/worker"]\n');
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(await open.save());
    await shows('imageNotBuilt');
  });

  it('can have a verification, whose file the editor reports until it is there', async () => {
    await write('Dockerfile', 'FROM scratch\nCMD ["/worker"]\n');
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(document.lineCount, 0), 'x-verify: { job: image/a.job.json }\n');
    assert.ok(await vscode.workspace.applyEdit(edit));
    await shows('imageNotBuilt', 'jobFileMissing');
    await write('a.job.json', '{ "input": {} }');
    await shows('imageNotBuilt');
    const text = document.getText();
    const start = document.positionAt(text.indexOf('{ job: image/a.job.json }'));
    const replacement = new vscode.WorkspaceEdit();
    const written = new vscode.Range(start, start.translate(0, '{ job: image/a.job.json }'.length));
    replacement.replace(document.uri, written, '{ request: image/a.http }');
    assert.ok(await vscode.workspace.applyEdit(replacement));
    await shows('imageNotBuilt', 'requestFileMissing', 'verifyNeedsBalancer');
  });

  it('is offered as the correction of an image that is not built', async () => {
    const [notBuilt] = await waitFor([wroteDiagnostics], () =>
      nonEmpty(vscode.languages.getDiagnostics(document.uri).filter(({ code }) => code === 'imageNotBuilt')),
    );
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      ...[document.uri, notBuilt.range, vscode.CodeActionKind.QuickFix.value, 10],
    );
    const build = actions.find(({ command }) => command?.command === 'cloudCompute.manifest.build');
    assert.deepEqual([build?.title, build?.isPreferred], ['Build Image', true]);
  });

  describe('with an engine', () => {
    const settings = () => vscode.workspace.getConfiguration('cloudCompute');
    const use = (address: string | undefined) =>
      settings().update(engineSetting, address, vscode.ConfigurationTarget.Global);
    afterEach(() => use(undefined));

    /** Runs a command. Resolves with the messages that it shows. */
    async function messagesOf(command: string): Promise<string[]> {
      const messages: string[] = [];
      const show = (message: string) => {
        messages.push(message);
        return Promise.resolve(undefined);
      };
      const stubs = { showErrorMessage: show, showInformationMessage: show, showWarningMessage: show };
      await stubbed(stubs, () => vscode.commands.executeCommand(command, document.uri, 0));
      return messages;
    }

    it('names the engine if it cannot be reached', async () => {
      await write('Dockerfile', 'FROM scratch\nCMD ["/worker"]\n');
      await use('unix:///no-such-engine.sock');
      const [message, ...others] = await messagesOf('cloudCompute.manifest.build');
      assert.match(
        message ?? '',
        /^Could not build the image: the container engine at unix:\/\/\/no-such-engine\.sock/,
      );
      assert.deepEqual(others, []);
      assert.equal(document.getText(), MANIFEST);
    });

    it('replaces its terminal when it runs again', async () => {
      await write('Dockerfile', 'FROM scratch\nCMD ["/worker"]\n');
      await use('unix:///no-such-engine.sock');
      const terminals = () => vscode.window.terminals.filter(({ name }) => name === 'Build of built');
      await messagesOf('cloudCompute.manifest.build');
      const [first] = terminals();
      await messagesOf('cloudCompute.manifest.build');
      await waitFor([vscode.window.onDidCloseTerminal as vscode.Event<never>], () => terminals().length === 1);
      assert.ok(first && !terminals().includes(first));
    });

    it('asks for a repository before a push', async () => {
      const [message] = await messagesOf('cloudCompute.manifest.buildAndPush');
      assert.match(message ?? '', /^Could not push the image: x-build has no repository/);
    });

    it('writes the image, and reports what workers could not run', async function () {
      const address = process.env['DOCKER_HOST'];
      if (address === undefined || address === '') this.skip();
      await use(address);
      await write('worker', 'not a program');
      await write('Dockerfile', 'FROM scratch\nCOPY worker /worker\nCMD ["/worker"]\n');
      assert.deepEqual(await messagesOf('cloudCompute.manifest.build'), []);
      await shows('imageProgramNotExecutable', 'containerImageLocally');
      assert.match(document.getText(), /^image: localhost\/built:[0-9a-f]{12}$/m);
      assert.match(document.getText(), /^# mine\n.*^x-build: # an image of one file$/ms);
    });

    it('reports an error of the Dockerfile at its line, until the file changes', async function () {
      const address = process.env['DOCKER_HOST'];
      if (address === undefined || address === '') this.skip();
      await use(address);
      await write('Dockerfile', 'FROM scratch\nCMD ["/worker"]\n\nCOPY nothing /\n');
      const [message] = await messagesOf('cloudCompute.manifest.build');
      assert.match(message ?? '', /^Could not build the image: Dockerfile, line 4: /);
      const [error] = vscode.languages.getDiagnostics(dockerfile());
      assert.equal(error?.range.start.line, 3);
    });
  });
});
