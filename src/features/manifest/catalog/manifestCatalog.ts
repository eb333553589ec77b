import * as vscode from 'vscode';
import type { Subscription } from '../../../kit/emitter.ts';
import { followVisibility } from '../../../kit/visibility.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { isManifest } from '../manifestFiles.ts';
import { referencesIn } from '../model/references.ts';
import { type LiveValueStore, LiveValuePoller } from '../../../account/liveValues/liveValueStore.ts';
import { ReferenceLookup } from './referenceLookup.ts';
import { ENDPOINT_SCHEME, endpointAddresses } from '../../../account/endpoints/endpointAddress.ts';
import type { ActiveEnvironment } from '../environments/activeEnvironment.ts';
import { namedOf } from '../model/patched/connectionMatch.ts';
import { createTarget } from '../create/createTarget.ts';
import { catalogOf } from '../../../account/liveValues/liveValues.ts';
import type { CheckOptions } from '../model/manifestFile.ts';
import { stockFactsOf } from '../model/hardware/pinnedHardware.ts';
import { knownNames } from '../model/environment/envProblems.ts';

/** Values of the current connection, and the checks that use them. */
export interface ManifestCatalog extends Subscription {
  readonly values: LiveValueStore;
  readonly options: ManifestCheckOptions;
  /** Starts to read values while a manifest is visible, and to look up the references of open manifests. */
  follow(models: ManifestModels): vscode.Disposable;
}

export function createCatalog(
  {
    connections,
    secrets,
    clock,
    log,
    liveValues: values,
  }: Pick<AccountServices, 'log' | 'clock' | 'connections' | 'secrets' | 'liveValues'>,
  environment: CheckSources['environment'],
): ManifestCatalog {
  const sources = { connections, clock, log };
  const lookup = new ReferenceLookup({ ...sources, values });
  const options = new ManifestCheckOptions({ connections, secrets, values, lookup, environment });
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
          const references = isCurrent ? file.parts.flatMap(({ root, patched }) => referencesIn(patched ?? root)) : [];
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

export interface CheckSources {
  readonly connections: AccountServices['connections'];
  readonly secrets: AccountServices['secrets'];
  readonly values: Pick<LiveValueStore, 'current' | 'onDidChange'>;
  readonly lookup: Pick<ReferenceLookup, 'current' | 'onDidChange'>;
  readonly environment: Pick<ActiveEnvironment, 'current' | 'onDidChange'>;
}

/** Derives the options of checks from the current connection, its values, and the names that references can have. */
export class ManifestCheckOptions implements vscode.Disposable {
  readonly #sources: CheckSources;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;
  #secretNames: ReadonlySet<string> | undefined;
  #names: CheckOptions['names'];
  #current: CheckOptions;
  #elsewhere: CheckOptions;
  #profileId: string | undefined;

  constructor(sources: CheckSources) {
    this.#sources = sources;
    this.#current = this.#derive();
    this.#elsewhere = elsewhere(this.#current);
    this.#profileId = sources.connections.profile?.id;
    const update = () => this.#update();
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      sources.connections.onDidChange(update),
      sources.secrets.onDidChange(update),
      sources.values.onDidChange(update),
      sources.lookup.onDidChange(update),
      sources.environment.onDidChange(update),
    );
  }

  /** The options for files of the current connection. */
  get current(): CheckOptions {
    return this.#current;
  }

  /** Returns the options for a document. The object changes only if an option changes. */
  of(document: Pick<vscode.TextDocument, 'uri'>): CheckOptions {
    return this.isOfCurrentConnection(document) ? this.#current : this.#elsewhere;
  }

  /** Returns false for a document that edits an endpoint of another connection, whose values are not known. */
  isOfCurrentConnection({ uri }: Pick<vscode.TextDocument, 'uri'>): boolean {
    if (uri.scheme !== ENDPOINT_SCHEME) return true;
    const { connectionId } = endpointAddresses.parse(uri) ?? {};
    return connectionId === undefined || connectionId === this.#sources.connections.profile?.id;
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #derive(): CheckOptions {
    const { connections, secrets, values, lookup, environment } = this.#sources;
    const { profile } = connections;
    if (this.#secretNames !== secrets.names) {
      this.#secretNames = secrets.names;
      this.#names = knownNames(secrets.names, process.env, process.platform);
    }
    return {
      target: createTarget(connections).kind,
      names: this.#names,
      catalog: catalogOf(values.current),
      stock: stockFactsOf(values.current),
      references: lookup.current,
      connection: profile && namedOf(profile),
      environment: environment.current?.name,
    };
  }

  #update(): void {
    const next = this.#derive();
    const profileId = this.#sources.connections.profile?.id;
    const { names } = this.#current;
    // The names are sets, which are replaced when they change.
    const isEqual = next.names === names && JSON.stringify(next) === JSON.stringify(this.#current);
    if (isEqual && profileId === this.#profileId) return;
    this.#profileId = profileId;
    if (!isEqual) this.#current = next;
    if (next.target !== this.#elsewhere.target || next.names !== this.#elsewhere.names)
      this.#elsewhere = elsewhere(next);
    this.#changed.fire();
  }
}

/** Returns the options for another connection, whose values are not known. */
function elsewhere({ target, names }: CheckOptions): CheckOptions {
  return { target, names };
}
