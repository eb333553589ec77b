import * as vscode from 'vscode';
import { codeLens } from '../../../kit/marks.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { HttpModels, HttpRead } from './httpModels.ts';
import { connectLens, requestLenses } from './lenses.ts';

/** The REST Client shows lenses of its own above every request. */
const REST_CLIENT = 'humao.rest-client';

/** Provides the actions above the requests of an HTTP file. */
export class HttpCodeLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #models: HttpModels;
  readonly #connections: AccountServices['connections'];
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;

  constructor(models: HttpModels, connections: AccountServices['connections']) {
    this.#models = models;
    this.#connections = connections;
    const fire = () => this.#changed.fire();
    // With the REST Client, lenses depend on the endpoints, and a new version of a file is read before its lenses are.
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      connections.onDidChange(fire),
      vscode.extensions.onDidChange(fire),
    );
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const read = await this.#models.read(document);
    const shared = vscode.extensions.getExtension(REST_CLIENT) !== undefined;
    const { namesEndpoint } = await import('../model/resolveRequest.ts');
    const found = read.file.blocks.flatMap((block, index) =>
      shared && !namesEndpoint(read.file, block, read.context)
        ? []
        : [{ index, method: block.method, line: lineOf(read, block.requestLine.start) }],
    );
    const connect = connectLens(this.#connections);
    if (connect) return found.slice(0, 1).map(({ line }) => codeLens(line, connect));
    return found.flatMap(({ index, method, line }) =>
      requestLenses(this.#connections, document.uri, index, method).map((lens) => codeLens(line, lens)),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

function lineOf({ document }: HttpRead, offset: number): number {
  return document.positionAt(offset).line;
}
