import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileAt, filesIn, dataUrlText } from '../../src/features/jobs/insertFile.ts';
import { emptyPlatform } from './emptyPlatform.ts';
import { activated, nextEvent, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;
const wroteDiagnostics = vscode.languages.onDidChangeDiagnostics as vscode.Event<never>;

const manifest = (name: string, schema: string) =>
  `name: ${name}\ntype: QUEUE\nscaling: { type: QUEUE_DELAY, queueDelay: 4 }\nimage: python\nx-local: { directory: w, command: c, inputSchema: ${schema} }\n`;

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  required: ['prompt'],
  additionalProperties: false,
  properties: {
    prompt: { type: 'string', description: 'Words [about](command:x) the picture.', default: 'a cat' },
    size: { $ref: 'size.json' },
    mode: { enum: ['fast', 'good'] },
  },
};

/** One transparent pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

describe('The language service of job files', function () {
  let folder: vscode.Uri;
  let count = 0;
  const at = (...names: string[]) => vscode.Uri.joinPath(folder, ...names);
  const write = (text: string | object, ...names: string[]) =>
    vscode.workspace.fs.writeFile(
      at(...names),
      new TextEncoder().encode(typeof text === 'string' ? text : JSON.stringify(text)),
    );

  /** Opens a file with this text. A bar marks the cursor. */
  async function open(marked: string, name = `job-${++count}.job.json`) {
    await write(marked.replace('|', ''), name);
    const document = await vscode.workspace.openTextDocument(at(name));
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    const position = document.positionAt(Math.max(0, marked.indexOf('|')));
    editor.selection = new vscode.Selection(position, position);
    return { document, editor, position, uri: document.uri };
  }

  async function complete(marked: string): Promise<vscode.CompletionItem[]> {
    const { uri, position } = await open(marked);
    const { items } = await executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      uri,
      position,
    );
    return items;
  }
  const labelOf = ({ label }: vscode.CompletionItem) => (typeof label === 'string' ? label : label.label);
  const problems = (uri: vscode.Uri) =>
    vscode.languages
      .getDiagnostics(uri)
      .map(({ code, message, severity, range }) => ({ code, message, severity, range }));
  const codes = (uri: vscode.Uri) => problems(uri).map(({ code }) => code as string);
  const untilCodes = async (uri: vscode.Uri, ...wanted: string[]) => {
    try {
      return await waitFor([wroteDiagnostics], () => codes(uri).join() === wanted.join() && problems(uri));
    } catch (error) {
      throw new Error(`expected ${wanted.join()}, found ${JSON.stringify(problems(uri))}`, { cause: error });
    }
  };

  before(async () => {
    await activated();
    await executeCommand('cloudCompute.localPlatform.start');
    await executeCommand(
      'cloudCompute.manifest.createEndpoint',
      vscode.Uri.joinPath(workspaceFolder(), 'hello.endpoint.yaml'),
    );
    folder = vscode.Uri.joinPath(workspaceFolder(), 'job language');
    await vscode.workspace.fs.createDirectory(folder);
    await write(manifest('draw', 'in.schema.json'), 'draw.endpoint.yaml');
    await write(schema, 'in.schema.json');
    await write({ type: 'integer', minimum: 8 }, 'size.json');
  });

  after(async () => {
    await executeCommand('workbench.action.closeAllEditors');
    await executeCommand('notifications.clearAll');
    await vscode.workspace.fs.delete(folder, { recursive: true });
    await emptyPlatform();
  });

  it('toggles comments', async () => {
    const { document } = await open('{\n|  "input": { "a": 1 }\n}');
    await executeCommand('editor.action.commentLine');
    assert.equal(document.languageId, 'cloud-compute-job');
    assert.equal(document.lineAt(1).text, '  // "input": { "a": 1 }');
  });

  it('completes members with their documentation', async () => {
    const items = await complete('{ | }');
    const labels = items.map(labelOf);
    for (const member of ['endpoint', 'input', 'webhook', 'policy', 's3Config', 'expect'])
      assert.ok(labels.includes(member));
    assert.ok(!labels.includes('$schema'));
    const input = items.find((item) => labelOf(item) === 'input');
    assert.match((input?.documentation as vscode.MarkdownString).value, /Input of the handler/);
  });

  it('completes the endpoint with those of the connection and of the manifests', async () => {
    const labels = (await complete('{ "endpoint": | }')).map(labelOf);
    assert.ok(labels.includes('"hello"') && labels.includes('"draw"'), labels.join());
  });

  it('completes the input with the schema of the manifest', async () => {
    const items = await complete('{ "endpoint": "draw", "input": { | } }');
    assert.deepEqual(items.map(labelOf).sort(), ['mode', 'prompt', 'size']);
    assert.deepEqual((await complete('{ "endpoint": "draw", "input": { "mode": | } }')).map(labelOf).sort(), [
      '"fast"',
      '"good"',
    ]);
  });

  it('describes the member under the cursor, without links of the schema', async () => {
    const { uri, position } = await open('{ "input": { "pro|mpt": "x" } }');
    const [hover] = await executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', uri, position);
    const { value } = hover?.contents[0] as vscode.MarkdownString;
    assert.match(value, /Words/);
    assert.doesNotMatch(value, /(?<!\\)\]\(/);
    assert.match(value, /Default: `"a cat"`/);
  });

  it('reports errors of the file, and corrects them', async () => {
    const { uri, document } = await open(
      '{ "inptu": { "prompt": "x" }, "input": { "prompt": "x" }, "webhok": "https://a.example" }',
    );
    const found = await untilCodes(uri, 'unknownField', 'unknownField');
    assert.ok(found[1]);
    assert.equal(found[1].severity, vscode.DiagnosticSeverity.Error);
    const { range } = found[1];
    assert.equal(document.getText(range), '"webhok"');
    const actions = await executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', uri, range);
    assert.deepEqual(
      actions.map(({ title }) => title),
      ["Change to 'webhook'", "Remove 'webhok'"],
    );
    assert.ok(actions[0]?.edit && actions[0].isPreferred);
    await vscode.workspace.applyEdit(actions[0].edit);
    await untilCodes(uri, 'unknownField');
  });

  it('reports syntax errors and an empty input', async () => {
    const { uri } = await open('{ "input": ', 'broken.job.json');
    const [found] = await untilCodes(uri, 'syntax');
    assert.equal(found?.severity, vscode.DiagnosticSeverity.Error);
    const empty = await open('{ "input": {} }', 'empty.job.json');
    assert.ok(
      (await waitFor([wroteDiagnostics], () => codes(empty.uri).includes('emptyInput') && problems(empty.uri))).every(
        ({ severity }) => severity === vscode.DiagnosticSeverity.Warning,
      ),
    );
  });

  it('warns about an input that breaks its schema, and follows changes of the schema and the manifest', async () => {
    const { uri, document } = await open('{ "input": { "prompt": "x", "size": 4, "mode": "slow" } }');
    const found = await untilCodes(uri, 'inputSchema', 'inputSchema');
    assert.deepEqual(
      found.map(({ range, severity }) => [document.getText(range), severity]),
      [
        ['4', vscode.DiagnosticSeverity.Warning],
        ['"slow"', vscode.DiagnosticSeverity.Warning],
      ],
    );
    await write({ type: 'integer', minimum: 1 }, 'size.json');
    await untilCodes(uri, 'inputSchema');
    await write('{ "type": ', 'in.schema.json');
    const [broken] = await untilCodes(uri, 'schemaFile');
    assert.equal(broken?.severity, vscode.DiagnosticSeverity.Warning);
    assert.equal(document.getText(broken.range), '"input"');
    await write({ $ref: 'https://example.com/remote.json' }, 'in.schema.json');
    await untilCodes(uri, 'reference');
    await vscode.workspace.fs.delete(at('in.schema.json'));
    await untilCodes(uri, 'schemaFile');
    await write(manifest('draw', 'other.schema.json'), 'draw.endpoint.yaml');
    await write({ required: ['other'] }, 'other.schema.json');
    const [other] = await untilCodes(uri, 'inputSchema');
    assert.match(other?.message ?? '', /other/);
    await write(manifest('draw', 'in.schema.json'), 'draw.endpoint.yaml');
    await write(schema, 'in.schema.json');
    await untilCodes(uri, 'inputSchema');
  });

  it('stops the check with a schema that takes too long, and stays responsive', async () => {
    await write({ properties: { prompt: { pattern: '^(a+)+$' } } }, 'in.schema.json');
    try {
      const { uri, document, position } = await open(`{ "input": { "pro|mpt": "${'a'.repeat(46)}!" } }`);
      const [stopped] = await untilCodes(uri, 'stopped');
      assert.equal(stopped?.severity, vscode.DiagnosticSeverity.Warning);
      assert.equal(document.getText(stopped.range), '"input"');
      assert.match(stopped.message, /stopped after 1000 ms/);
      await executeCommand('vscode.executeHoverProvider', uri, position);
      await executeCommand('vscode.executeCompletionItemProvider', uri, position);
      await write({ required: ['prompt'] }, 'in.schema.json');
      await untilCodes(uri);
    } finally {
      await write(schema, 'in.schema.json');
    }
  });

  it('warns about a request over the limit of Run, and does not check it against the schema', async () => {
    const { uri } = await open(`{ "input": { "prompt": "${'x'.repeat(11 * 1_048_576)}" } }`, 'large.job.json');
    const found = await untilCodes(uri, 'tooLarge', 'notChecked');
    assert.deepEqual(
      found.map(({ severity }) => severity),
      [vscode.DiagnosticSeverity.Warning, vscode.DiagnosticSeverity.Information],
    );
  });

  it('provides an outline, folding, selection ranges, and formatting', async () => {
    const { uri, document, position } = await open('{"input":{\n// c\n"prompt":"|x"}}');
    const symbols = await executeCommand<vscode.DocumentSymbol[]>('vscode.executeDocumentSymbolProvider', uri);
    assert.deepEqual(
      symbols.map(({ name, children }) => [name, children.map((child) => child.name)]),
      [['input', ['prompt']]],
    );
    const folds = await executeCommand<vscode.FoldingRange[]>('vscode.executeFoldingRangeProvider', uri);
    assert.ok(folds.length > 0);
    const [selection] = await executeCommand<vscode.SelectionRange[]>('vscode.executeSelectionRangeProvider', uri, [
      position,
    ]);
    assert.ok(selection?.parent);
    const edits = await executeCommand<vscode.TextEdit[]>('vscode.executeFormatDocumentProvider', uri, {
      tabSize: 2,
      insertSpaces: true,
    });
    const edit = new vscode.WorkspaceEdit();
    edit.set(uri, edits);
    await vscode.workspace.applyEdit(edit);
    assert.equal(document.getText(), '{\n  "input": {\n    // c\n    "prompt": "x"\n  }\n}');
  });

  it('shows actions that name the connection, with the file as their argument', async () => {
    const { uri } = await open('{ "input": { "prompt": "x" } }');
    const lenses = await executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri);
    const shown = lenses.flatMap(({ command }) => command ?? []);
    assert.deepEqual(
      shown.map(({ command }) => command),
      [
        'cloudCompute.jobs.run',
        'cloudCompute.jobs.runAndWait',
        'cloudCompute.jobs.openForm',
        'cloudCompute.load.run',
        'cloudCompute.copyAs',
      ],
    );
    assert.match(shown[0]?.title ?? '', /Run on Local/);
    assert.equal(String(shown[0]?.arguments?.[0]), uri.toString());
  });

  /** Answers the next quick pick with the item that has this label. */
  async function picking(label: string, act: () => Thenable<unknown>): Promise<void> {
    const window = vscode.window as { showQuickPick: unknown };
    const { showQuickPick } = window;
    window.showQuickPick = (rows: readonly vscode.QuickPickItem[]) =>
      Promise.resolve(rows.find((row) => row.label === label) ?? assert.fail(rows.map((row) => row.label).join()));
    try {
      await act();
    } finally {
      window.showQuickPick = showQuickPick;
    }
  }

  it('copies the request as code, without the key', async () => {
    const { uri } = await open('{ "endpoint": "hello", "input": { "name": "it\'s" } } // c', 'copy.job.json');
    for (const [label, expected] of [
      ['cURL: Run', /^curl 'http:\/\/127\.0\.0\.1:\d+\/queue\/v2\/[^/]+\/run'/],
      ['Python: Run and Wait', /runsync\?wait=60000'/],
      ['JavaScript: Run', /await fetch\('http/],
    ] as const) {
      await picking(label, () => executeCommand('cloudCompute.copyAs', uri));
      const text = await vscode.env.clipboard.readText();
      assert.match(text, expected);
      assert.match(text, /CLOUD_COMPUTE_API_KEY/);
      assert.doesNotMatch(text, /"endpoint"/);
    }
  });

  it('names an endpoint that the connection does not have', async () => {
    const { uri } = await open('{ "endpoint": "no-such", "input": { "name": "x" } }', 'nowhere.job.json');
    await vscode.env.clipboard.writeText('before');
    const window = vscode.window as { showErrorMessage: unknown };
    const { showErrorMessage } = window;
    const shown = Promise.withResolvers<string>();
    window.showErrorMessage = (message: string) => {
      shown.resolve(message);
      return Promise.resolve(undefined);
    };
    try {
      await executeCommand('cloudCompute.copyAs', uri);
      assert.match(await shown.promise, /there is no endpoint “no-such”/);
    } finally {
      window.showErrorMessage = showErrorMessage;
    }
    assert.equal(await vscode.env.clipboard.readText(), 'before');
  });

  describe('inserts files as data URLs', () => {
    before(async () => {
      await vscode.workspace.fs.writeFile(at('dot.png'), Buffer.from(PIXEL, 'base64'));
    });

    it('from dropped addresses, and from content', async () => {
      const { document, position } = await open('{ "input": { "image": | } }');
      const place = new vscode.Range(position, position);
      const transfer = new vscode.DataTransfer();
      transfer.set(
        'text/uri-list',
        new vscode.DataTransferItem(`${at('dot.png').toString()}\r\nhttps://a.example/x.png`),
      );
      const files = await filesIn(transfer);
      assert.deepEqual(
        files.map(({ name, mimeType }) => [name, mimeType]),
        [['dot.png', 'image/png']],
      );
      const inserted = await dataUrlText(document, place, files);
      assert.deepEqual(inserted, {
        text: `"data:image/png;base64,${PIXEL}"`,
        label: 'Insert as Data URL (114 B of 10 MB)',
      });
    });

    it('unless they exceed the limit, which the message names', async () => {
      const { document, position } = await open('{ "input": { "image": "|" } }');
      const huge = {
        ...fileAt(at('huge.png')),
        size: () => Promise.resolve(16 * 1_048_576),
        content: () => assert.fail(),
      };
      const found = await dataUrlText(document, new vscode.Range(position, position), [huge]);
      assert.ok(found.problem !== undefined && found.code === 'tooLarge');
      assert.match(String(found.problem), /21\.4 MB.*20 MB/);
      const missing = await dataUrlText(document, new vscode.Range(position, position), [fileAt(at('none.png'))]);
      assert.ok(missing.problem !== undefined && missing.code === 'unreadable');
    });

    it('by a command, with an undo step', async () => {
      const { document } = await open('{ "input": { "image": "|" } }');
      const window = vscode.window as { showOpenDialog: unknown };
      const { showOpenDialog } = window;
      window.showOpenDialog = () => Promise.resolve([at('dot.png')]);
      try {
        await executeCommand('cloudCompute.jobs.insertFile');
      } finally {
        window.showOpenDialog = showOpenDialog;
      }
      assert.equal(document.getText(), `{ "input": { "image": "data:image/png;base64,${PIXEL}" } }`);
      await executeCommand('undo');
      assert.equal(document.getText(), '{ "input": { "image": "" } }');
    });
  });

  it('creates a job file with an input for the schema', async () => {
    const shown = nextEvent(
      vscode.window.onDidChangeActiveTextEditor,
      (editor) => editor?.document.isUntitled === true,
    );
    await picking('draw', () => executeCommand('cloudCompute.jobs.newFile'));
    await shown;
    const { document } = vscode.window.activeTextEditor ?? assert.fail();
    assert.deepEqual(JSON.parse(document.getText()), { endpoint: 'draw', input: { prompt: 'a cat' } });
    assert.match(document.uri.path, /job language\/draw(-\d+)?\.job\.json$/);
    assert.equal(document.languageId, 'cloud-compute-job');
    await executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('offers to start the platform while it is stopped', async () => {
    const { uri } = await open('{ "input": { "prompt": "x" } }');
    await executeCommand('cloudCompute.localPlatform.stop');
    const lenses = await executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri);
    assert.deepEqual(
      lenses.map(({ command }) => command?.command),
      ['cloudCompute.localPlatform.start', 'cloudCompute.jobs.openForm'],
    );
  });
});
