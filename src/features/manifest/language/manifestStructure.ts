import * as vscode from 'vscode';
import { rangeOf } from '../../../kit/problems.ts';
import { documentSymbol } from '../../../kit/marks.ts';
import type { Span } from '../../../text/span.ts';
import type { OutlineSymbol, SymbolKind } from '../model/reading/outline.ts';
import type { ManifestModels } from './manifestModels.ts';

const symbolKinds: Readonly<Record<SymbolKind, vscode.SymbolKind>> = {
  endpoint: vscode.SymbolKind.Module,
  map: vscode.SymbolKind.Object,
  list: vscode.SymbolKind.Array,
  string: vscode.SymbolKind.String,
  number: vscode.SymbolKind.Number,
  boolean: vscode.SymbolKind.Boolean,
  null: vscode.SymbolKind.Null,
};

type Provider = vscode.DocumentSymbolProvider & vscode.FoldingRangeProvider & vscode.SelectionRangeProvider;

/** Provides the outline, folding, and selection ranges of manifests. */
export function manifestStructure(models: ManifestModels): Provider {
  return {
    provideDocumentSymbols: async (document) => {
      const [file, { outline }] = await Promise.all([models.read(document), import('../model/reading/outline.ts')]);
      return outline(file).map((symbol) => symbolIn(document, symbol));
    },
    provideFoldingRanges: async (document) => {
      const [file, { folds }] = await Promise.all([models.read(document), import('../model/reading/folding.ts')]);
      return folds(file).map(
        ({ startLine, endLine, isComment }) =>
          new vscode.FoldingRange(startLine, endLine, isComment ? vscode.FoldingRangeKind.Comment : undefined),
      );
    },
    provideSelectionRanges: async (document, positions) => {
      const [file, { selectionSpans }] = await Promise.all([
        models.read(document),
        import('../model/reading/selection.ts'),
      ]);
      return positions.map((position) =>
        selectionOf(document, selectionSpans(file, document.offsetAt(position)), position),
      );
    },
  };
}

function symbolIn(document: vscode.TextDocument, symbol: OutlineSymbol): vscode.DocumentSymbol {
  const { name, detail, kind, selection, deprecated, children } = symbol;
  return documentSymbol({
    ...{ name, detail, kind: symbolKinds[kind], deprecated },
    range: rangeOf(document, symbol),
    selectionRange: rangeOf(document, selection),
    children: children.map((child) => symbolIn(document, child)),
  });
}

/** @param spans from the innermost to the outermost */
function selectionOf(
  document: vscode.TextDocument,
  spans: readonly Span[],
  position: vscode.Position,
): vscode.SelectionRange {
  const none = new vscode.SelectionRange(new vscode.Range(position, position));
  return (
    spans.reduceRight<vscode.SelectionRange | undefined>(
      (parent, span) => new vscode.SelectionRange(rangeOf(document, span), parent),
      undefined,
    ) ?? none
  );
}
