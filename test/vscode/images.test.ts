import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PNG } from 'pngjs';
import * as vscode from 'vscode';
import { systemClock } from '../../src/client/clock.ts';
import { EditFiles } from '../../src/features/images/history/actions/editFiles.ts';
import { EditHistoryStore } from '../../src/features/images/history/editStorage.ts';
import { ImageEditPanel } from '../../src/features/images/imageEditPanel.ts';
import { EMPTY_FORM } from '../../src/features/images/model/form.ts';
import type { AccountServices } from '../../src/account/accountServices.ts';
import type { ImageEditToHost, ImageEditToWebview, ImageEditView } from '../../src/webviews/imageEdit/messages.ts';
import { JobWorld } from './jobWorld.ts';
import { extension, waitFor, workspaceFolder } from './support.ts';

const log = vscode.window.createOutputChannel('Test of images', { log: true });
const tabsChanged = [vscode.window.tabGroups.onDidChangeTabs] as vscode.Event<never>[];
const editorTabs = () =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(
      ({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('cloudCompute.imageEdit'),
    );

describe('The image editor', () => {
  const world = new JobWorld();
  let folder: string;
  let photo: vscode.Uri;
  let drawing: vscode.Uri;

  before(async () => {
    await world.start();
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-images-'));
    photo = vscode.Uri.joinPath(workspaceFolder(), 'photo.png');
    drawing = vscode.Uri.joinPath(workspaceFolder(), 'drawing.png');
    await vscode.workspace.fs.writeFile(photo, PNG.sync.write(new PNG({ width: 60, height: 40 })));
    await vscode.workspace.fs.writeFile(drawing, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
  });

  after(async () => {
    await world.stop();
    for (const file of [photo, drawing]) await vscode.workspace.fs.delete(file);
    await rm(folder, { recursive: true, force: true });
  });

  it('opens an image file', async () => {
    await vscode.commands.executeCommand('cloudCompute.images.edit', photo);
    await waitFor(tabsChanged, () =>
      editorTabs().some(({ label, isActive }) => isActive && label === 'Edit photo.png'),
    );
    await vscode.window.tabGroups.close(editorTabs());
  });

  it('edits an image, shows it next to its source, and keeps the edit', async () => {
    const { panel, editor, history } = observedEditor();
    await panel.show(photo);
    await editor.viewWith(({ source }) => source?.name === 'photo.png');
    editor.act({ type: 'run', form: { ...EMPTY_FORM, prompt: 'rotate it left', seedMode: 'fixed', seed: '7' } });
    const { result } = await editor.viewWith(
      (view) => view.result?.after !== undefined && !view.run && view.history.length > 0,
    );
    assert.deepEqual([result?.before?.width, result?.before?.height], [60, 40]);
    assert.deepEqual([result?.after?.width, result?.after?.height], [40, 60]);
    assert.equal(result?.seed, 7);
    assert.deepEqual(
      [result.before?.id, result.after?.id].filter((id) => !editor.pictures.has(id ?? '')),
      [],
      'the page has the bytes of both pictures',
    );
    assert.equal(history.items[0]?.prompt, 'rotate it left');

    editor.act({ type: 'removeSource' });
    await editor.viewWith(({ source }) => source === undefined);
    editor.act({ type: 'openEdit', id: history.items[0].id });
    const again = await editor.viewWith(({ source }) => source?.name === 'photo.png');
    assert.equal(again.result?.id, result.id);
    editor.close();
  });

  it('shows an edit that completed after its editor was closed, because it is billed', async () => {
    const first = observedEditor();
    await first.panel.show(photo);
    const kept = Promise.withResolvers<void>();
    first.history.onDidChange(() => first.history.items[0]?.prompt === 'flip it' && kept.resolve());
    first.editor.act({ type: 'run', form: { ...EMPTY_FORM, prompt: 'flip it' } });
    await first.editor.viewWith(({ result }) => result !== undefined);
    first.editor.close();
    await kept.promise;
    const { editor, history } = observedEditor();
    await history.refresh();
    const view = await editor.viewWith((next) => next.history[0]?.prompt === 'flip it');
    editor.act({ type: 'openEdit', id: view.history[0]?.id ?? '' });
    const { result } = await editor.viewWith((next) => next.result?.after !== undefined);
    assert.equal(result?.prompt, 'flip it');
    editor.close();
  });

  it('copies the address and the request ID, and opens the result in an editor', async () => {
    const { panel, editor, history } = observedEditor();
    await panel.show(photo);
    editor.act({ type: 'run', form: { ...EMPTY_FORM, prompt: 'blur it' } });
    const { result } = await editor.viewWith((view) => view.result?.after !== undefined && !view.run);
    editor.act({ type: 'openResult' });
    await waitFor(tabsChanged, () => {
      const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
      return input instanceof vscode.TabInputCustom && input.uri.fsPath === history.items[0]?.resultPath;
    });
    editor.act({ type: 'copy', what: 'requestId' });
    await editor.handled();
    assert.equal(await vscode.env.clipboard.readText(), result?.id);
    editor.close();
  });

  it('refuses a file that is no image, whatever its name is, and reports a failed edit', async () => {
    const { panel, editor } = observedEditor();
    await panel.show(drawing);
    const { sourceFailure } = await editor.viewWith((view) => view.sourceFailure !== undefined);
    assert.match(sourceFailure?.message ?? '', /is SVG/);
    await panel.show(photo);
    editor.act({ type: 'run', form: { ...EMPTY_FORM, prompt: 'do something' } });
    const { failure } = await editor.viewWith((view) => view.failure !== undefined);
    assert.match(failure?.message ?? '', /no known instruction/);
    editor.close();
  });

  it('restores the result after a reload of the window, with the source of a pasted image', async () => {
    const first = observedEditor();
    const bytes = await vscode.workspace.fs.readFile(photo);
    first.editor.act({ type: 'sourceBytes', name: 'pasted.png', bytes: new Uint8Array(bytes) });
    first.editor.act({ type: 'run', form: { ...EMPTY_FORM, prompt: 'rotate it left' } });
    const { result } = await first.editor.viewWith((view) => view.history.length > 0 && !view.run);
    first.editor.close();
    const { editor } = observedEditor({ form: EMPTY_FORM, layout: 'slider', result: result?.editId });
    const view = await editor.viewWith((next) => next.result?.after !== undefined);
    assert.deepEqual([view.source?.name, view.result?.after?.width], ['pasted.png', 40]);
    editor.close();
  });

  it('restores the source after a reload of the window', async () => {
    const form = { ...EMPTY_FORM, prompt: 'darken it' };
    const { editor } = observedEditor({ form, layout: 'slider', source: { kind: 'file', uri: photo.toString() } });
    await editor.viewWith(({ source }) => source?.name === 'photo.png');
    editor.close();
  });

  /** Opens an editor whose messages to its page are observed, and to which the test sends messages like a page. */
  function observedEditor(stored?: unknown) {
    const real = vscode.window.createWebviewPanel('cloudCompute.imageEdit', 'Edit Image', vscode.ViewColumn.Active);
    const incoming = new vscode.EventEmitter<unknown>();
    const shown = new vscode.EventEmitter<void>();
    const loaded = Promise.withResolvers<void>();
    real.webview.onDidReceiveMessage((message) => {
      incoming.fire(message);
      loaded.resolve();
    });
    /** Sends a message once the page has loaded, as a user can do. An earlier page could miss the state that a test waits for. */
    const act = (message: ImageEditToHost) => void loaded.promise.then(() => incoming.fire(message));
    let view: ImageEditView | undefined;
    const pictures = new Set<string>();
    const postMessage = (message: ImageEditToWebview) => {
      if (message.type === 'view') view = message.view;
      if (message.type === 'picture') pictures.add(message.id);
      shown.fire();
      return real.webview.postMessage(message);
    };
    const webview = overlaid(real.webview, { onDidReceiveMessage: incoming.event, postMessage });
    const history = new EditHistoryStore(new EditFiles(path.join(folder, 'edits')), {
      clock: systemClock,
      log,
    });
    const storage = { history, save: () => Promise.resolve(undefined) };
    const services = {
      clock: systemClock,
      log,
      connections: {
        client: world.client,
        profile: { id: 'local', kind: 'local', name: 'Local', ...world.client.context.connection },
        onDidChange: new vscode.EventEmitter<void>().event,
      },
      context: { extensionUri: extension().extensionUri, globalStorageUri: vscode.Uri.file(folder) },
    } as unknown as AccountServices;
    const panel = new ImageEditPanel(services, storage, overlaid(real, { webview }), stored);
    return {
      panel,
      history,
      editor: {
        pictures,
        act,
        /** Resolves with the first view that fulfills a condition. The page itself reports that it is ready. */
        viewWith: (condition: (view: ImageEditView) => boolean) =>
          waitFor([shown.event] as vscode.Event<never>[], () => view && condition(view) && view, 30_000),
        /** Resolves once earlier messages are handled. */
        handled: async () => {
          const next = waitFor([shown.event] as vscode.Event<never>[], () => view?.sourceFailure !== undefined);
          act({ type: 'sourceUrl', url: 'nonsense' });
          await next;
        },
        close: () => void real.dispose(),
      },
    };
  }
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
