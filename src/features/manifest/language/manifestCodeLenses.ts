import * as vscode from 'vscode';
import type { CommandId } from '../../../vscode/commandIds.ts';
import { codeLens } from '../../../vscode/marks.ts';
import type { Services } from '../../services.ts';
import { createTarget, lensTitle } from '../create/createTarget.ts';

const CREATE: CommandId = 'cloudCompute.manifest.createEndpoint';

/** Provides the action above a manifest that creates an endpoint. Its title names the platform. */
export class ManifestCodeLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #connections: Services['connections'];
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #subscription: vscode.Disposable;

  constructor(connections: Services['connections']) {
    this.#connections = connections;
    this.#subscription = connections.onDidChange(() => this.#changed.fire());
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const title = lensTitle(createTarget(this.#connections));
    const tooltip = 'Creates a serverless endpoint from the content of this editor, including unsaved changes';
    return [codeLens(0, { title, tooltip, command: CREATE, arguments: [document.uri] })];
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}
