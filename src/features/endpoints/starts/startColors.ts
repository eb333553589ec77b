import * as vscode from 'vscode';
import type { WaterfallTone } from '../../../text/waterfall.ts';
import type { StartText } from '../model/coldStartText.ts';
import { textColor } from '../../../kit/marks.ts';
import { START_SCHEME } from './startScheme.ts';

/** Colors of themes, as in the timelines of jobs. */
const COLORS: Readonly<Record<WaterfallTone, string>> = {
  waiting: 'charts.yellow',
  starting: 'charts.purple',
  working: 'charts.blue',
  failing: 'charts.red',
};

/** The documents with starts. */
interface ColoredDocuments {
  readonly onDidRead: vscode.Event<void>;
  contentOf(uri: vscode.Uri): StartText | undefined;
}

/** Colors the bars of visible starts. */
export class StartColors implements vscode.Disposable {
  readonly #documents: ColoredDocuments;
  readonly #types = (Object.keys(COLORS) as WaterfallTone[]).map((tone) => ({
    tone,
    type: textColor(COLORS[tone]),
  }));
  readonly #subscriptions: vscode.Disposable;

  constructor(documents: ColoredDocuments) {
    this.#documents = documents;
    this.#subscriptions = vscode.Disposable.from(
      ...this.#types.map(({ type }) => type),
      documents.onDidRead(() => this.#update()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#update()),
      // The editor shows a new text some time after it was read.
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === START_SCHEME) this.#update();
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #update(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      const content = document.uri.scheme === START_SCHEME ? this.#documents.contentOf(document.uri) : undefined;
      if (!content || document.getText() !== content.text) continue;
      for (const { tone, type } of this.#types) {
        const lines = content.lines.filter((line) => line.tone === tone);
        editor.setDecorations(
          type,
          lines.map(({ number, barStart, barEnd }) => new vscode.Range(number, barStart, number, barEnd)),
        );
      }
    }
  }
}
