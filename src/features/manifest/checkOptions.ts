import * as vscode from 'vscode';
import { ENDPOINT_SCHEME, endpointAddresses } from '../../account/endpoints/endpointAddress.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { LiveValueStore } from '../../account/liveValues/liveValueStore.ts';
import type { ReferenceLookup } from './catalog/referenceLookup.ts';
import { createTarget } from './create/createTarget.ts';
import { catalogOf } from './model/hardwareCatalog.ts';
import type { CheckOptions } from './model/manifestFile.ts';
import { knownNames } from './model/environment/envProblems.ts';

export interface CheckSources {
  readonly connections: AccountServices['connections'];
  readonly secrets: AccountServices['secrets'];
  readonly values: Pick<LiveValueStore, 'current' | 'onDidChange'>;
  readonly lookup: Pick<ReferenceLookup, 'current' | 'onDidChange'>;
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
    const { connections, secrets, values, lookup } = this.#sources;
    if (this.#secretNames !== secrets.names) {
      this.#secretNames = secrets.names;
      this.#names = knownNames(secrets.names, process.env, process.platform);
    }
    return {
      target: createTarget(connections).kind,
      names: this.#names,
      catalog: catalogOf(values.current),
      references: lookup.current,
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
