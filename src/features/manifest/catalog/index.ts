import * as vscode from 'vscode';
import type { Subscription } from '../../../kit/emitter.ts';
import { followVisibility } from '../../../kit/visibility.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { ManifestCheckOptions } from '../checkOptions.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { isManifest } from '../manifestFiles.ts';
import { referencesIn } from '../model/references.ts';
import { LiveValuePoller } from '../../../account/liveValues/liveValuePoller.ts';
import type { LiveValueStore } from '../../../account/liveValues/liveValueStore.ts';
import { ReferenceLookup } from './referenceLookup.ts';

/** Values of the current connection, and the checks that use them. */
export interface ManifestCatalog extends Subscription {
  readonly values: LiveValueStore;
  readonly options: ManifestCheckOptions;
  /** Starts to read values while a manifest is visible, and to look up the references of open manifests. */
  follow(models: ManifestModels): vscode.Disposable;
}

export function createCatalog({
  connections,
  secrets,
  clock,
  log,
  liveValues: values,
}: AccountServices): ManifestCatalog {
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

/** Keeps the values up to date while the window has the focus and shows a manifest. */
function requestWhileVisible(
  values: Pick<LiveValueStore, 'request'>,
  sources: Pick<AccountServices, 'connections' | 'clock'>,
): vscode.Disposable {
  const { window } = vscode;
  const manifests = {
    get visible() {
      return window.visibleTextEditors.some(({ document }) => isManifest(document));
    },
  };
  const poller = new LiveValuePoller({ ...sources, values });
  return vscode.Disposable.from(poller, followVisibility(poller, manifests, window.onDidChangeVisibleTextEditors));
}
