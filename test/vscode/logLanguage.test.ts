import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../src/client/clock.ts';
import { LineColors } from '../../src/features/logs/colors/lineColors.ts';
import { registerLineColors } from '../../src/features/logs/colors/lineColorsProvider.ts';
import { registerLogLinks } from '../../src/features/logs/links/logLinks.ts';
import { LOG_LANGUAGE } from '../../src/features/logs/logLanguage.ts';
import { LineText } from '../../src/features/logs/model/lineText.ts';
import { readLogLine } from '../../src/features/logs/model/readLogLine.ts';
import { troubleText } from '../../src/features/logs/model/trouble.ts';
import { LocalFiles } from '../../src/account/sourceLinks/localFiles.ts';
import { activated, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;
const TAG = { text: '9f3c', color: 'tag2' } as const;

describe('The language of logs', () => {
  const colors = new LineColors();
  const logs = new Set<string>();
  let registered: vscode.Disposable;
  before(async () => {
    await activated();
    registered = vscode.Disposable.from(
      registerLineColors(colors),
      registerLogLinks({
        localFiles: new LocalFiles(systemClock),
        subjectOf: ({ uri }) =>
          logs.has(String(uri)) ? { endpointId: 'e (1)', directory: workspaceFolder().fsPath } : undefined,
      }),
    );
  });
  after(() => {
    registered.dispose();
  });

  /** Opens a document with lines of a worker. Each text is a line. */
  async function logOf(lines: readonly string[], { isLog = true } = {}): Promise<vscode.TextDocument> {
    const text = new LineText({ timestamps: 'utc', prefix: TAG });
    const shown = lines.map((line) => text.line(readLogLine({ line, source: 'container', ts: '' }), 0));
    const trouble = text.note(troubleText({ sentence: 'The disk is full.' }), 0, 'trouble');
    for (const line of [...shown, trouble]) colors.remember(line.text, line.spans);
    const content = [...shown, trouble].map((line) => line.text).join('');
    const document = await vscode.workspace.openTextDocument({ language: LOG_LANGUAGE, content });
    if (isLog) logs.add(String(document.uri));
    return document;
  }

  it('colors the text that programs colored, and the tags of workers', async () => {
    const document = await logOf(['plain', 'a \u001b[31mred\u001b[0m word']);
    const range = new vscode.Range(0, 0, document.lineCount - 1, 0);
    const [tokens, legend] = await Promise.all([
      executeCommand<vscode.SemanticTokens>('vscode.provideDocumentRangeSemanticTokens', document.uri, range),
      executeCommand<vscode.SemanticTokensLegend>(
        'vscode.provideDocumentRangeSemanticTokensLegend',
        document.uri,
        range,
      ),
    ]);
    assert.deepEqual(colored(document, tokens, legend), [
      ...[[1, '9f3c', 'workerTag2']],
      ...[
        [2, '9f3c', 'workerTag2'],
        [2, 'red', 'ansiRed'],
      ],
      ...[[3, '9f3c', 'workerTag2']],
    ]);
  });

  const linksIn = async (document: vscode.TextDocument) =>
    (await executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', document.uri, 100)).map(
      ({ range, target }) => ({ text: document.getText(range), target }),
    );

  it('links the files of the worker, and the explanation of the endpoint', async () => {
    const file = path.join(workspaceFolder().fsPath, 'hello', 'handler.mjs');
    const links = await linksIn(
      await logOf([`    at handler (${file}:3:1)`, 'at /app/handler.mjs:2', 'at missing.mjs:1']),
    );
    const places = links.filter(({ target }) => target?.scheme === 'file');
    assert.deepEqual(
      places.map(({ text, target }) => [text, target?.fsPath, target?.fragment]).toSorted(),
      [
        ['/app/handler.mjs:2', file, 'L2'],
        [`${file}:3:1`, file, 'L3,1'],
      ].toSorted(),
    );
    const commands = links.filter(({ target }) => target?.scheme === 'command');
    assert.equal(commands.length, 1);
    const [{ text, target } = { text: '', target: undefined }] = commands;
    assert.equal(text, 'Explain This Endpoint');
    assert.equal(target?.path, 'cloudCompute.endpoints.explain');
    assert.deepEqual(JSON.parse(target.query), [{ kind: 'endpoint', endpointId: 'e (1)' }]);
  });

  it('links nothing in other documents of the language', async () => {
    assert.deepEqual(await linksIn(await logOf(['at handler.mjs:2'], { isLog: false })), []);
  });
});

/** Returns the line, the text, and the type of each token. */
function colored(
  document: vscode.TextDocument,
  { data }: vscode.SemanticTokens,
  { tokenTypes }: vscode.SemanticTokensLegend,
): (readonly [number, string, string | undefined])[] {
  const found: (readonly [number, string, string | undefined])[] = [];
  let line = 0;
  let start = 0;
  for (let index = 0; index < data.length; index += 5) {
    const [lines = 0, characters = 0, length = 0, type = 0] = data.subarray(index, index + 4);
    start = lines === 0 ? start + characters : characters;
    line += lines;
    found.push([line, document.getText(new vscode.Range(line, start, line, start + length)), tokenTypes[type]]);
  }
  return found;
}
