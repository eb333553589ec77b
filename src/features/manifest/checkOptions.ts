import * as vscode from 'vscode';
import type { HardwareCatalog } from '../../contract/hardwareRules.ts';
import { ENDPOINT_SCHEME, parseDocumentPath } from '../endpoints/editing/endpointAddress.ts';
import type { Services } from '../services.ts';
import type { LiveValueStore } from './catalog/liveValueStore.ts';
import type { ReferenceLookup } from './catalog/referenceLookup.ts';
import { createTarget } from './create/createTarget.ts';
import type { LiveValues } from './model/liveValues.ts';
import type { CheckOptions } from './model/manifestFile.ts';

export interface CheckSources {
  readonly connections: Services['connections'];
  readonly values: Pick<LiveValueStore, 'current' | 'onDidChange'>;
  readonly lookup: Pick<ReferenceLookup, 'current' | 'onDidChange'>;
}

/** Derives the options of checks from the current connection and its values. */
export class ManifestCheckOptions implements vscode.Disposable {
  readonly #sources: CheckSources;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;
  #current: CheckOptions;
  #elsewhere: CheckOptions;
  #profileId: string | undefined;

  constructor(sources: CheckSources) {
    this.#sources = sources;
    this.#current = this.#derive();
    this.#elsewhere = { target: this.#current.target };
    this.#profileId = sources.connections.profile?.id;
    const update = () => this.#update();
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      sources.connections.onDidChange(update),
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
    const { connectionId } = parseDocumentPath(uri.path) ?? {};
    return connectionId === undefined || connectionId === this.#sources.connections.profile?.id;
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #derive(): CheckOptions {
    const { connections, values, lookup } = this.#sources;
    return {
      target: createTarget(connections).kind,
      catalog: catalogOf(values.current),
      references: lookup.current,
    };
  }

  #update(): void {
    const next = this.#derive();
    const profileId = this.#sources.connections.profile?.id;
    const isEqual = JSON.stringify(next) === JSON.stringify(this.#current);
    if (isEqual && profileId === this.#profileId) return;
    this.#profileId = profileId;
    if (!isEqual) this.#current = next;
    if (next.target !== this.#elsewhere.target) this.#elsewhere = { target: next.target };
    this.#changed.fire();
  }
}

/** Returns the parts of the catalog that the rules use, without availability, which changes often. */
function catalogOf({ gpus, cpus, dataCenters }: LiveValues): HardwareCatalog | undefined {
  if (!gpus || !cpus || !dataCenters) return undefined;
  return {
    gpus: gpus.map(({ id, pool, maxCount }) => ({ id, pool, maxCount })),
    cpus: cpus.map(({ id, vcpu }) => ({ id, vcpu })),
    dataCenters: dataCenters.map(({ id }) => ({ id })),
  };
}
