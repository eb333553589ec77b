import * as vscode from 'vscode';
import type { WaterfallLine, WaterfallTone } from '../text/waterfall.ts';
import { textColor } from './marks.ts';

/** A text with the bars of a waterfall. */
export interface WaterfallText {
  readonly text: string;
  /** Lines with a bar, with their numbers from 0. */
  readonly lines: readonly (WaterfallLine & { readonly number: number })[];
}

interface WaterfallDocuments {
  readonly scheme: string;
  /** Fires when a document was read. */
  readonly onDidRead: vscode.Event<void>;
  /** Returns the last text of a document. Undefined if the document is no waterfall. */
  readonly textOf: (uri: vscode.Uri) => WaterfallText | undefined;
}

/** Colors of themes, so that a bar is visible in each of them. */
const COLORS: Readonly<Record<WaterfallTone, string>> = {
  waiting: 'charts.yellow',
  starting: 'charts.purple',
  working: 'charts.blue',
  failing: 'charts.red',
};
const TONES = Object.keys(COLORS) as readonly WaterfallTone[];

/** Colors the bars of the documents that are visible. */
export function colorWaterfalls({ scheme, onDidRead, textOf }: WaterfallDocuments): vscode.Disposable {
  const types = new Map(TONES.map((tone) => [tone, textColor(COLORS[tone])]));
  const update = (): void => {
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      const shown = document.uri.scheme === scheme ? textOf(document.uri) : undefined;
      if (!shown || document.getText() !== shown.text) continue;
      for (const [tone, type] of types) {
        const lines = shown.lines.filter((line) => line.tone === tone);
        editor.setDecorations(
          type,
          lines.map(({ number, barStart, barEnd }) => new vscode.Range(number, barStart, number, barEnd)),
        );
      }
    }
  };
  return vscode.Disposable.from(
    ...types.values(),
    onDidRead(update),
    vscode.window.onDidChangeVisibleTextEditors(update),
    // The editor shows a new text some time after it was read.
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.uri.scheme === scheme) update();
    }),
  );
}

/** Number of columns of a line, so that the durations and most of the bars are visible in half of a window. */
const WIDTH = 80;

/**
 * Returns the number of columns of a line with a bar. Undefined: without bars, because the user has told the editor about a screen reader. The
 * editor does not tell extensions about one that it finds.
 */
export function waterfallWidth(): number | undefined {
  return vscode.workspace.getConfiguration('editor').get('accessibilitySupport') === 'on' ? undefined : WIDTH;
}
