import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import type { Log } from '../../../kit/log.ts';
import { OpenDocuments } from '../../../kit/openDocuments.ts';
import type { ResolveContext } from '../model/endpointLookup.ts';
import type { HttpFile } from '../model/httpFile.ts';
import type { HttpProblem } from '../model/problem.ts';
import type { Resolution } from '../model/resolveRequest.ts';
import type { EndpointList } from './endpointList.ts';
import { isHttpDocument } from './httpFiles.ts';
import type { NeighborManifests } from './neighborManifests.ts';

/** Delay between a change and its check, in ms. It combines the changes of one command. */
const DEBOUNCE_MS = 10;

interface Model {
  readonly version: number;
  readonly file: HttpFile;
  readonly endpoints: ResolveContext['endpoints'];
  readonly defaultEndpoint: string | undefined;
  readonly problems: readonly HttpProblem[];
}

/** An HTTP file in the editor, and the result of its latest check. */
export interface HttpRead {
  readonly document: vscode.TextDocument;
  readonly file: HttpFile;
  readonly context: ResolveContext;
  readonly problems: readonly HttpProblem[];
}

export interface HttpSources {
  readonly clock: Clock;
  readonly log: Log;
  readonly endpoints: EndpointList;
  readonly manifests: NeighborManifests;
}

/**
 * Parses each version of an open HTTP file once, and checks it again when the endpoints change. All services of the editor share the
 * result. The parser is loaded at the first use.
 */
export class HttpModels implements vscode.Disposable {
  readonly #sources: HttpSources;
  readonly #models = new WeakMap<vscode.TextDocument, Model>();
  readonly #open: OpenDocuments<HttpRead>;
  /** Fired after a new version of an open file was checked, and after a check with other endpoints. */
  readonly onDidRead: vscode.Event<HttpRead>;
  readonly onDidClose: vscode.Event<vscode.TextDocument>;
  readonly #subscriptions: vscode.Disposable;

  constructor(sources: HttpSources) {
    this.#sources = sources;
    const { clock, log, endpoints, manifests } = sources;
    const read = (document: vscode.TextDocument) => {
      endpoints.request();
      return this.read(document);
    };
    this.#open = new OpenDocuments({ clock, log, isOwn: isHttpDocument, debounceMs: DEBOUNCE_MS, read });
    this.onDidRead = this.#open.onDidRead;
    this.onDidClose = this.#open.onDidClose;
    this.#subscriptions = vscode.Disposable.from(
      this.#open,
      endpoints.onDidChange(() => this.#open.readAgain()),
      manifests.onDidChange(() => this.#open.readAgain()),
    );
    this.#open.readAgain();
  }

  /** Returns the current version of a file, checked against the endpoints of the current connection. */
  async read(document: vscode.TextDocument): Promise<HttpRead> {
    const [{ parseHttpFile }, { checkHttpFile }, defaultEndpoint] = await Promise.all([
      import('../model/parseHttpFile.ts'),
      import('../model/resolveRequest.ts'),
      this.#sources.manifests.endpointOf(document.uri),
    ]);
    const { current: endpoints } = this.#sources.endpoints;
    const context: ResolveContext = { endpoints, defaultEndpoint, now: this.#sources.clock.now(), random: Math.random };
    const { version } = document;
    const known = this.#models.get(document);
    const parsed = known?.version === version ? known : undefined;
    const file = parsed?.file ?? parseHttpFile(document.getText());
    const isChecked = parsed?.endpoints === endpoints && parsed?.defaultEndpoint === defaultEndpoint;
    const problems = parsed && isChecked ? parsed.problems : checkHttpFile(file, context);
    this.#models.set(document, { version, file, endpoints, defaultEndpoint, problems });
    return { document, file, context, problems };
  }

  /**
   * Resolves a request of a file for the current connection. Reads the endpoints first if they are not known.
   *
   * @param index index of the request in the file
   * @returns undefined if the file has no such request
   */
  async resolve(document: vscode.TextDocument, index: number): Promise<Resolution | undefined> {
    await this.#sources.endpoints.load();
    const [{ file, context }, { resolveRequest }] = await Promise.all([
      this.read(document),
      import('../model/resolveRequest.ts'),
    ]);
    const block = file.blocks[index];
    return block && resolveRequest(file, block, context);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}
