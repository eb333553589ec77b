import * as vscode from 'vscode';
import { codeLens } from '../../../kit/marks.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { createTarget, type PriceOf } from '../create/createTarget.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import type { ManifestPart } from '../model/manifestFile.ts';
import type { Deployment } from './deployment.ts';
import { lensesOf } from './lenses.ts';

interface Sources {
  readonly connections: AccountServices['connections'];
  readonly models: ManifestModels;
  readonly deployment: Deployment;
  readonly priceOf: PriceOf;
}

/** Provides the actions above each endpoint of a manifest file. */
export class DeployedCodeLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #sources: Sources;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;

  constructor(sources: Sources) {
    this.#sources = sources;
    const { connections, deployment } = sources;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      connections.onDidChange(() => this.#changed.fire()),
      deployment.onDidChange(() => this.#changed.fire()),
    );
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const { connections, models, deployment, priceOf } = this.#sources;
    const file = await models.read(document);
    const parts = await deployment.observe(document.uri, file);
    const target = createTarget(connections);
    return parts.flatMap((deployed) => {
      const { manifest } = deployed.part;
      const price = target.kind === 'hosted' && manifest ? priceOf(manifest) : undefined;
      const line = lineOf(document, deployed.part);
      return lensesOf(deployed, { file: document.uri, target, price }).map((lens) => codeLens(line, lens));
    });
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

/** Returns the first line of a part. The first part begins with the file, and so do its comments. */
function lineOf(document: vscode.TextDocument, { index, start }: ManifestPart): number {
  return index === 0 ? 0 : document.positionAt(start).line;
}
