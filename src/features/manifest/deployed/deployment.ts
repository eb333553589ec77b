import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { folderOf } from '../manifestFiles.ts';
import type { Comparison } from '../model/deployment/compare.ts';
import type { ManifestFile, ManifestPart } from '../model/manifestFile.ts';
import { isNamed, namedOf } from '../model/patched/connectionMatch.ts';
import { problemsOfChosen } from '../model/problem.ts';
import { matchEndpoint, nameOf, type Match, type PartAddress } from '../model/deployment/matchEndpoint.ts';
import { statusOf, type PartStatus } from '../model/deployment/partStatus.ts';
import { comparedValues } from '../../../account/secrets/valueSource.ts';
import type { EndpointLinks } from './endpointLinks.ts';

/** A manifest in relation to the platform of the current connection. */
export interface DeployedPart {
  readonly part: ManifestPart;
  readonly name: string | undefined;
  readonly status: PartStatus;
  /** Undefined while the endpoints of the connection are not known. */
  readonly match: Match | undefined;
  /** The endpoint that the manifest belongs to. */
  readonly endpoint: Endpoint | undefined;
  /** Undefined if the manifest has errors or no endpoint. */
  readonly comparison: Comparison | undefined;
}

type Sources = Pick<AccountServices, 'connections' | 'endpoints' | 'secrets' | 'log'>;

/**
 * Compares manifests with the known endpoints of the current connection. It does not poll: it uses the data of the endpoint store, and
 * requests one refresh per connection if the store has no data. Each template is read once per connection.
 */
export class Deployment implements vscode.Disposable {
  readonly #sources: Sources;
  readonly #links: EndpointLinks;
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fired when the result of `observe` can be another one for the same file. */
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;
  readonly #observed = new WeakMap<
    ManifestFile,
    { readonly revision: number; readonly parts: Promise<DeployedPart[]> }
  >();
  #revision = 0;
  #seen: readonly unknown[] = [];
  #asked: Client | undefined;
  /** The current client, which reads each template once. */
  #templates: { readonly of: Client; readonly client: Pick<Client, 'getTemplate'> } | undefined;

  constructor(sources: Sources, links: EndpointLinks) {
    this.#sources = sources;
    this.#links = links;
    const { connections, endpoints, secrets } = sources;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      endpoints.onDidChange(() => this.#onData()),
      connections.onDidChange(() => this.#onData()),
      links.onDidChange(() => this.#update()),
      secrets.onDidChange(() => this.#update()),
    );
  }

  /** Returns each endpoint of a file with its state. The result of the same file is shared until the state changes. */
  observe(uri: vscode.Uri, file: ManifestFile): Promise<readonly DeployedPart[]> {
    this.#askOnce();
    const known = this.#observed.get(file);
    if (known?.revision === this.#revision) return known.parts;
    const parts = Promise.all(file.parts.map((part) => this.#observePart(uri, file, part)));
    this.#observed.set(file, { revision: this.#revision, parts });
    return parts;
  }

  /** Forgets the templates, so that the next comparison reads them again. */
  forgetTemplates(): void {
    this.#templates = undefined;
    this.#update();
  }

  /** Returns whether the endpoints of the current connection are known. */
  get isKnown(): boolean {
    const { connections, endpoints } = this.#sources;
    if (!connections.client) return false;
    const { state } = endpoints;
    return state.kind === 'ready' || (state.kind === 'failed' && state.endpoints.length > 0);
  }

  /** Returns the endpoint of a part by its link or name. Undefined while the endpoints of its connection are not known. */
  matchOf(uri: vscode.Uri, file: ManifestFile, part: ManifestPart): Match | undefined {
    const { connections, endpoints } = this.#sources;
    const { profile } = connections;
    if (!profile || !this.isKnown) return undefined;
    const written = part.environment?.connection;
    if (written !== undefined && !isNamed(written, namedOf(profile))) return undefined;
    const candidates = endpoints.endpoints.filter(({ deleting }) => !deleting).map(({ endpoint }) => endpoint);
    const linkedId = this.#links.find(profile.id, addressOf(uri, file, part.index));
    return matchEndpoint({ name: nameOf(part), linkedId }, candidates);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #observePart(uri: vscode.Uri, file: ManifestFile, part: ManifestPart): Promise<DeployedPart> {
    const match = this.matchOf(uri, file, part);
    const endpoint = match?.kind === 'one' ? this.#sources.endpoints.find(match.endpointId)?.endpoint : undefined;
    const comparison = endpoint ? await this.#compare(uri, part, endpoint) : undefined;
    // A problem that the service reported is an error of the file, too.
    const valid = part.manifest !== undefined && !problemsOfChosen(part).some(({ severity }) => severity === 'error');
    const status = statusOf({ valid, match, changes: comparison?.changes.length });
    return { part, name: nameOf(part), status, match, endpoint, comparison };
  }

  async #compare(uri: vscode.Uri, { manifest }: ManifestPart, endpoint: Endpoint): Promise<Comparison | undefined> {
    const { client, profile } = this.#sources.connections;
    if (!manifest || !client || !profile) return undefined;
    const { compareWithDeployed, NoFolderError, withKnownTemplates } =
      await import('../actions/compareWithDeployed.ts');
    const { readEnvValues } = await import('../actions/resolveBody.ts');
    const { resolve } = await readEnvValues([manifest.env], comparedValues(this.#sources));
    if (this.#templates?.of !== client) this.#templates = { of: client, client: withKnownTemplates(client) };
    const source = { manifest, resolve, target: profile.kind, folder: folderOf(uri) };
    return compareWithDeployed(this.#templates.client, source, endpoint).catch((error: unknown) => {
      if (!(error instanceof NoFolderError))
        this.#sources.log.warn('Could not compare a manifest with its endpoint', error);
      return undefined;
    });
  }

  /** Requests the endpoints of a connection that has not been read. */
  #askOnce(): void {
    const { connections, endpoints } = this.#sources;
    const { client } = connections;
    const { kind } = endpoints.state;
    if (!client || client === this.#asked || kind === 'ready' || kind === 'failed') return;
    this.#asked = client;
    void endpoints.refresh();
  }

  /** Ignores changes of workers and jobs. */
  #onData(): void {
    const { connections, endpoints } = this.#sources;
    const { profile, client } = connections;
    const states = endpoints.endpoints.flatMap(({ endpoint, deleting }) => [endpoint, deleting]);
    const seen = [client, profile?.id, profile?.name, profile?.kind, this.isKnown, ...states];
    if (seen.length === this.#seen.length && seen.every((one, index) => one === this.#seen[index])) return;
    this.#seen = seen;
    this.#update();
  }

  #update(): void {
    this.#revision++;
    this.#changed.fire();
  }
}

/** Returns the position of a part, which its link is stored for. */
export function addressOf(uri: vscode.Uri, { parts }: ManifestFile, part: number): PartAddress {
  return { file: uri.toString(), part, names: parts.map(nameOf), environment: parts[part]?.environment?.name };
}
