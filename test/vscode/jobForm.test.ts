import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { EndpointNode } from '../../src/account/endpoints/endpointNode.ts';
import { readReopenState } from '../../src/features/jobs/form/formValueStore.ts';
import type { JobFormToHost, JobFormToWebview, JobFormView } from '../../src/webviews/jobForm/messages.ts';
import { JobWorld } from './jobWorld.ts';
import { reported, stubbed, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;
const file = (name: string) => vscode.Uri.joinPath(workspaceFolder(), 'painter', name);
const write = (name: string, text: string) => vscode.workspace.fs.writeFile(file(name), new TextEncoder().encode(text));

const MANIFEST = `name: painter
type: QUEUE
image: registry.example.com/painter:1
scaling: { type: QUEUE_DELAY, queueDelay: 1 }
cpu: [{ id: cpu3c, vcpuCount: 2 }]
x-local: { directory: worker, command: python3 handler.py }
`;
const HANDLER = `
from schemas import INPUT_SCHEMA
def handler(job):
    checked = validate(job["input"], INPUT_SCHEMA)
`;
const SCHEMAS = `
INPUT_SCHEMA = {
    "do": {"type": str, "required": True, "constraints": lambda do: do in ["echo", "wait"]},
    "value": {"type": str, "required": False, "default": "hi"},
    "image": {"type": str, "required": False, "default": None},
}
`;

describe('The form for the input of a job', () => {
  const world = new JobWorld();
  let endpointId: string;

  before(async () => {
    await world.start();
    await reported('**/painter', () => vscode.workspace.fs.createDirectory(file('')));
    await write('worker/handler.py', HANDLER);
    await write('worker/schemas.py', SCHEMAS);
    // The editor reports new files later. Until then, the extension does not know the manifest.
    await reported('**/painter.endpoint.yaml', () => write('painter.endpoint.yaml', MANIFEST));
    endpointId = await world.endpoint('painter');
    await executeCommand('cloudCompute.endpoints.refresh');
  });

  after(async () => {
    await world.stop();
    await vscode.workspace.fs.delete(file(''), { recursive: true });
  });

  afterEach(() => executeCommand('workbench.action.closeAllEditors'));

  /** Opens a form with a command, and takes the place of its page. */
  async function opened(command: string, argument: unknown) {
    const incoming = new vscode.EventEmitter<unknown>();
    const shown = new vscode.EventEmitter<void>();
    let view: JobFormView | undefined;
    const pictures: string[] = [];
    let revision = 0;
    const { createWebviewPanel } = vscode.window;
    const create = (...args: Parameters<typeof createWebviewPanel>) => {
      const real = createWebviewPanel(...args);
      const postMessage = (message: JobFormToWebview) => {
        if (message.type === 'view') ({ view } = message);
        else pictures.push(message.picture.mediaType);
        shown.fire();
        return real.webview.postMessage(message);
      };
      return overlaid(real, {
        webview: overlaid(real.webview, { onDidReceiveMessage: incoming.event, postMessage }),
      });
    };
    await stubbed({ createWebviewPanel: create }, () => executeCommand(command, argument));
    const act = (message: JobFormToHost) => incoming.fire(message);
    act({ type: 'ready' });
    return {
      act,
      pictures,
      change: (name: string, value: unknown) => act({ type: 'change', path: [name], value, revision: ++revision }),
      drop: (name: string, uri: vscode.Uri) =>
        act({ type: 'fileUri', path: [name], uri: uri.toString(), revision: ++revision }),
      viewWith: (condition: (one: JobFormView) => boolean) =>
        waitFor([shown.event] as vscode.Event<never>[], () => view && condition(view) && view, 30_000),
    };
  }

  const openOnEndpoint = () => {
    const node: EndpointNode = { kind: 'endpoint', endpointId };
    return opened('cloudCompute.jobs.run', node);
  };
  const valueIn = ({ values }: JobFormView, name: string) => values.find(({ path }) => path[0] === name)?.value;
  const documents = () => vscode.workspace.textDocuments.filter(({ isClosed }) => !isClosed);

  it('has the fields that the source of the worker declares, and runs a job with their values, which it remembers', async () => {
    const form = await openOnEndpoint();
    const first = await form.viewWith(({ fields }) => fields.length > 0);
    assert.deepEqual(
      first.fields.map(({ name, isRequired, control }) => [name, isRequired, control.kind]),
      [
        ['do', true, 'choice'],
        ['value', false, 'text'],
        ['image', false, 'text'],
      ],
    );
    assert.match(first.source, /painter\/worker\/handler\.py$/);
    assert.equal(valueIn(first, 'value'), 'hi');

    form.act({ type: 'run', kind: 'run', force: false });
    const { problems } = await form.viewWith(({ refusals }) => refusals === 1);
    assert.deepEqual(
      problems.map(({ path, isMissing }) => [path, isMissing]),
      [[['do'], true]],
    );
    form.change('do', 'echo');
    form.change('value', 'from the form');
    // The editor closes the documents of other tests late.
    const earlier = new Set(documents());
    form.act({ type: 'run', kind: 'run', force: false });
    const result = await waitFor([vscode.workspace.onDidOpenTextDocument] as vscode.Event<never>[], () =>
      documents().find((document) => document.uri.scheme === 'cloud-compute-job' && !earlier.has(document)),
    );
    assert.match(result.getText(), /from the form/);

    await executeCommand('workbench.action.closeAllEditors');
    const again = await openOnEndpoint();
    const remembered = await again.viewWith(({ fields }) => fields.length > 0);
    assert.equal(valueIn(remembered, 'value'), 'from the form');
  });

  it('stays in step with its JSON, and takes files', async () => {
    const form = await openOnEndpoint();
    form.change('value', 'before');
    await form.viewWith((view) => valueIn(view, 'value') === 'before');
    const earlier = new Set(documents());
    form.act({ type: 'editAsJson' });
    await form.viewWith((view) => view.file !== undefined);
    const document = documents().find(
      (one) => one.uri.scheme === 'untitled' && one.uri.path.endsWith('.job.json') && !earlier.has(one),
    );
    assert.ok(document);
    assert.match(document.getText(), /"value": "before"/);
    const edit = new vscode.WorkspaceEdit();
    const offset = document.getText().indexOf('before');
    edit.replace(
      document.uri,
      new vscode.Range(document.positionAt(offset), document.positionAt(offset + 6)),
      'from the JSON',
    );
    edit.insert(document.uri, new vscode.Position(0, 1), ' // a comment');
    await vscode.workspace.applyEdit(edit);
    await form.viewWith((view) => valueIn(view, 'value') === 'from the JSON');
    await write('cat.png', 'picture');
    form.drop('image', file('cat.png'));
    await form.viewWith((view) => valueIn(view, 'image') !== undefined);
    assert.match(document.getText(), /^\{ \/\/ a comment[^]*"image": "data:image\/png;base64,cGljdHVyZQ=="/);
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await vscode.workspace.fs.writeFile(file('dot.png'), Buffer.from(pixel, 'base64'));
    form.drop('image', file('dot.png'));
    await form.viewWith((view) => view.values.some(({ picture }) => picture !== undefined));
    // The other file only has the name of a picture.
    assert.deepEqual(form.pictures, ['image/png']);
    form.drop('image', file('missing.png'));
    const { fileFailure } = await form.viewWith((view) => view.fileFailure !== undefined);
    assert.deepEqual(fileFailure?.path, ['image']);
    await executeCommand('workbench.action.files.revert');
  });

  it('opens again after a reload of the window, with the values that may be stored', async () => {
    const form = await openOnEndpoint();
    form.change('value', 'typed before the reload');
    form.change('image', `data:image/png;base64,${'A'.repeat(20_000)}`);
    const { reopen } = await form.viewWith((one) => valueIn(one, 'value') === 'typed before the reload');
    assert.ok(!JSON.stringify(reopen).includes('AAAA'));
    await executeCommand('workbench.action.closeAllEditors');
    const { name, on, input } = readReopenState({ typed: [], reopen }) ?? assert.fail();
    assert.deepEqual([name, on?.endpointId, input?.['value']], ['painter', endpointId, 'typed before the reload']);
  });

  it('opens beside a job file, and tells why a schema cannot be used', async () => {
    await write('one.job.json', '{ "endpoint": "painter", "input": { "do": "echo" } }');
    const form = await opened('cloudCompute.jobs.openForm', file('one.job.json'));
    const view = await form.viewWith(({ fields }) => fields.length > 0);
    assert.deepEqual([view.file, valueIn(view, 'do')], ['one.job.json', 'echo']);
    await write('huge.json', `{"description": "${'x'.repeat(10 * 1_048_576)}"}`);
    const source = MANIFEST.replace('handler.py }', 'handler.py, inputSchema: huge.json }');
    await write('painter.endpoint.yaml', source);
    const { blocked } = await form.viewWith((one) => one.blocked !== undefined);
    assert.match(blocked ?? '', /the schema is larger than 1 MB/);
    await write('painter.endpoint.yaml', MANIFEST);
    await form.viewWith((one) => one.blocked === undefined);
  });
});

/** Returns an object with other values for some of its properties. */
function overlaid<Target extends object>(target: Target, changes: Partial<Record<keyof Target, unknown>>): Target {
  return new Proxy(target, {
    get: (of, name) => {
      const value: unknown = Reflect.get(name in changes ? changes : of, name);
      if (name in changes) return value;
      return typeof value === 'function' ? ((value as () => unknown).bind(of) as unknown) : value;
    },
    set: (of, name, value) => Reflect.set(of, name, value),
  });
}
