import * as vscode from 'vscode';
import { hover } from '../../../kit/proposals.ts';
import { manifestSelector } from '../manifestFiles.ts';
import type { LiveSource } from './manifestCompletion.ts';
import type { ManifestModels } from './manifestModels.ts';

/** Registers the hover over fields and values of manifests. */
export function registerManifestHover(models: ManifestModels, live: LiveSource): vscode.Disposable {
  return vscode.languages.registerHoverProvider(manifestSelector, new ManifestHoverProvider(models, live));
}

class ManifestHoverProvider implements vscode.HoverProvider {
  readonly #models: ManifestModels;
  readonly #live: LiveSource;

  constructor(models: ManifestModels, live: LiveSource) {
    this.#models = models;
    this.#live = live;
  }

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
    token: vscode.CancellationToken,
  ): Promise<vscode.Hover | undefined> {
    this.#live.request();
    const { hoverAt } = await import('../model/reading/hover.ts');
    const file = await this.#models.read(document);
    const found = token.isCancellationRequested
      ? undefined
      : hoverAt(file, document.offsetAt(position), this.#live.current);
    if (!found) return undefined;
    const range = new vscode.Range(document.positionAt(found.start), document.positionAt(found.end));
    return hover(found.markdown, range);
  }
}
