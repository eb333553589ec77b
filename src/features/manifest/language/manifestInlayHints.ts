import * as vscode from 'vscode';
import { inlayHint } from '../../../kit/marks.ts';
import { foreign } from '../../../text/shownText.ts';
import type { ManifestCatalog } from '../catalog/index.ts';
import type { ManifestModels } from './manifestModels.ts';

/** Maximum length of a hint, in UTF-16 code units. Names of resources can be long. */
const LONGEST = 60;

/** Shows prices, durations, and names after the values of a manifest. */
export class ManifestInlayHints implements vscode.InlayHintsProvider, vscode.Disposable {
  readonly #models: ManifestModels;
  readonly #catalog: ManifestCatalog;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeInlayHints = this.#changed.event;
  readonly #subscription: { dispose(): void };

  constructor(models: ManifestModels, catalog: ManifestCatalog) {
    this.#models = models;
    this.#catalog = catalog;
    this.#subscription = catalog.values.onDidChange(() => this.#changed.fire());
  }

  async provideInlayHints(document: vscode.TextDocument, range: vscode.Range): Promise<vscode.InlayHint[]> {
    const { values, options } = this.#catalog;
    values.request();
    const [{ parts }, { inlayHints }] = await Promise.all([
      this.#models.read(document),
      import('../model/reading/inlayHints.ts'),
    ]);
    const span = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
    const known = options.isOfCurrentConnection(document) ? values.current : {};
    return inlayHints(parts, known, span).map(({ offset, text, tooltip }) =>
      inlayHint(document.positionAt(offset), foreign(text, LONGEST), tooltip),
    );
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}
