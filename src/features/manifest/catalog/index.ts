import * as vscode from 'vscode';
import type { Subscription } from '../../../vscode/emitter.ts';
import { Poller } from '../../../vscode/poller.ts';
import type { Services } from '../../services.ts';
import { ManifestCheckOptions } from '../checkOptions.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { isManifest } from '../manifestFiles.ts';
import { referencesIn } from '../model/references.ts';
import type { LiveValueStore } from './liveValueStore.ts';
import { ReferenceLookup } from './referenceLookup.ts';

/** Interval in ms at which outdated lists are requested while a manifest is visible. */
const INTERVAL_MS = 10_000;

/** Values of the current connection, and the checks that use them. */
export interface ManifestCatalog extends Subscription {
  readonly values: LiveValueStore;
  readonly options: ManifestCheckOptions;
  /** Starts to read values while a manifest is visible, and to look up the references of open manifests. */
  follow(models: ManifestModels): vscode.Disposable;
}

export function createCatalog({ connections, secrets, clock, log, liveValues: values }: Services): ManifestCatalog {
  const sources = { connections, clock, log };
  const lookup = new ReferenceLookup({ ...sources, values });
  const options = new ManifestCheckOptions({ connections, secrets, values, lookup });
  const disposables = vscode.Disposable.from(options, lookup);
  return {
    values,
    options,
    dispose: () => void disposables.dispose(),
    follow: (models) =>
      vscode.Disposable.from(
        requestWhileVisible(values, { connections, clock }),
        models.onDidRead(({ document, file }) => {
          const isCurrent = options.isOfCurrentConnection(document);
          const references = isCurrent ? file.parts.flatMap(({ root }) => referencesIn(root)) : [];
          lookup.watch(document.uri.toString(), references);
        }),
        models.onDidClose(({ uri }) => lookup.unwatch(uri.toString())),
      ),
  };
}

/** Requests the values now and at intervals while the window has the focus and shows a manifest. */
function requestWhileVisible(
  values: Pick<LiveValueStore, 'request'>,
  { connections, clock }: Pick<Services, 'connections' | 'clock'>,
): vscode.Disposable {
  const poll = () => {
    values.request();
    return Promise.resolve();
  };
  const poller = new Poller({ clock, poll, interval: () => INTERVAL_MS });
  const update = () => {
    const isVisible = vscode.window.visibleTextEditors.some(({ document }) => isManifest(document));
    poller.setOn(isVisible && vscode.window.state.focused);
  };
  update();
  return vscode.Disposable.from(
    vscode.window.onDidChangeVisibleTextEditors(update),
    vscode.window.onDidChangeWindowState(update),
    connections.onDidChange(() => poller.wake()),
    { dispose: () => poller.setOn(false) },
  );
}
