import * as vscode from 'vscode';
import { stateKey, type StateStorage } from '../../../kit/keyedState.ts';
import {
  afterMove,
  linkOf,
  withLink,
  withoutLink,
  type EndpointLink,
  type PartAddress,
} from '../model/deployment/matchEndpoint.ts';
import { storedEnvironment } from '../environments/activeEnvironment.ts';

const LINKS = 'manifest.links';

/**
 * Stores which endpoint of a connection each manifest belongs to. The links are part of the workspace state. They follow renamed files, and
 * links of deleted files are removed.
 */
export class EndpointLinks implements vscode.Disposable {
  readonly #storage: StateStorage;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;

  constructor(storage: StateStorage) {
    this.#storage = storage;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) void this.#move(oldUri.toString(), newUri.toString());
      }),
      vscode.workspace.onDidDeleteFiles(({ files }) => {
        for (const uri of files) void this.#move(uri.toString(), undefined);
      }),
    );
  }

  /** Returns the ID of the linked endpoint. It can be the ID of an endpoint that no longer exists. */
  find(connectionId: string, address: PartAddress): string | undefined {
    return linkOf(this.#read(stateKey(connectionId, LINKS)), address)?.endpointId;
  }

  /** Returns all links of a connection. */
  of(connectionId: string): readonly EndpointLink[] {
    return this.#read(stateKey(connectionId, LINKS));
  }

  async link(connectionId: string, address: PartAddress, endpointId: string): Promise<void> {
    const key = stateKey(connectionId, LINKS);
    await this.#write(key, withLink(this.#read(key), address, endpointId));
  }

  async unlink(connectionId: string, address: PartAddress): Promise<void> {
    const key = stateKey(connectionId, LINKS);
    await this.#write(key, withoutLink(this.#read(key), address));
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #move(from: string, to: string | undefined): Promise<void> {
    for (const key of this.#storage.keys().filter((one) => one.endsWith(`/${LINKS}`))) {
      const links = this.#read(key);
      const moved = afterMove(links, from, to);
      if (moved !== links) await this.#write(key, moved);
    }
  }

  async #write(key: string, links: readonly EndpointLink[]): Promise<void> {
    await this.#storage.update(key, links.length > 0 ? links : undefined);
    this.#changed.fire();
  }

  #read(key: string): readonly EndpointLink[] {
    return linksIn(this.#storage.get(key));
  }
}

/** Returns the links in a stored value, without entries that this release cannot read. */
function linksIn(stored: unknown): readonly EndpointLink[] {
  return Array.isArray(stored) ? stored.filter(isLink) : [];
}

function isLink(value: unknown): value is EndpointLink {
  const { file, part, name, environment, endpointId } = (value ?? {}) as Record<string, unknown>;
  const isNamed = [name, environment].every((one) => one === undefined || typeof one === 'string');
  return typeof file === 'string' && typeof part === 'number' && isNamed && typeof endpointId === 'string';
}

/** The choices of the user that relate the manifests of this workspace to the endpoints of a connection. */
export interface ManifestContext {
  /** Name of the chosen environment. */
  readonly environment: string | undefined;
  /** Returns the ID of the endpoint that a manifest is linked to. The endpoint may no longer exist. */
  readonly linkedId: (address: PartAddress) => string | undefined;
}

/** Reads the choices of a workspace. */
export function readManifestContext(storage: StateStorage, connectionId: string): ManifestContext {
  const links = linksIn(storage.get(stateKey(connectionId, LINKS)));
  return {
    environment: storedEnvironment(storage)?.name,
    linkedId: (address) => linkOf(links, address)?.endpointId,
  };
}
