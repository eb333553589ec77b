import * as vscode from 'vscode';
import { documentSymbol } from '../../../kit/marks.ts';
import { jsonFormatting } from '../../../kit/jsonFormatting.ts';
import { jobLanguageSelector } from '../jobFiles.ts';
import type { JsonLanguage } from '../model/schema/jsonLanguage.ts';
import type { JobFileModels } from './jobFileModels.ts';

/** Maximum number of entries in the outline. */
const MAX_SYMBOLS = 5_000;

/** Kinds of symbols by their number in the language server protocol. */
const kinds: Readonly<Record<number, vscode.SymbolKind>> = {
  2: vscode.SymbolKind.Module,
  15: vscode.SymbolKind.String,
  16: vscode.SymbolKind.Number,
  17: vscode.SymbolKind.Boolean,
  18: vscode.SymbolKind.Array,
};

type LspSymbol = ReturnType<JsonLanguage['symbols']>[number];
type LspRange = LspSymbol['range'];
type LspSelection = ReturnType<JsonLanguage['selections']>[number];

/** Registers the outline, folding, selection ranges, and formatting of job files. In JSON, the editor's own service provides them. */
export function registerJobStructure(models: JobFileModels): vscode.Disposable {
  const { languages } = vscode;
  return vscode.Disposable.from(
    languages.registerDocumentSymbolProvider(jobLanguageSelector, {
      provideDocumentSymbols: async (document) => {
        const text = await models.text(document);
        return text ? text.language.symbols(text.parsed, MAX_SYMBOLS).map(symbolOf) : [];
      },
    }),
    languages.registerFoldingRangeProvider(jobLanguageSelector, {
      provideFoldingRanges: async (document) => {
        const text = await models.text(document);
        return (text ? text.language.folds(text.parsed) : []).map(
          ({ startLine, endLine, kind }) =>
            new vscode.FoldingRange(
              startLine,
              endLine,
              kind === 'comment' ? vscode.FoldingRangeKind.Comment : undefined,
            ),
        );
      },
    }),
    languages.registerSelectionRangeProvider(jobLanguageSelector, {
      provideSelectionRanges: async (document, positions) => {
        const text = await models.text(document);
        const offsets = positions.map((position) => document.offsetAt(position));
        return (text ? text.language.selections(text.parsed, offsets) : []).map(selectionOf);
      },
    }),
    languages.registerDocumentFormattingEditProvider(jobLanguageSelector, jsonFormatting),
    languages.registerDocumentRangeFormattingEditProvider(jobLanguageSelector, jsonFormatting),
  );
}

function symbolOf({ name, detail = '', kind, range, selectionRange, children = [] }: LspSymbol): vscode.DocumentSymbol {
  return documentSymbol({
    name,
    detail,
    kind: kinds[kind] ?? vscode.SymbolKind.Variable,
    range: rangeFrom(range),
    selectionRange: rangeFrom(selectionRange),
    deprecated: false,
    children: children.map(symbolOf),
  });
}

function selectionOf({ range, parent }: LspSelection): vscode.SelectionRange {
  return new vscode.SelectionRange(rangeFrom(range), parent && selectionOf(parent));
}

function rangeFrom({ start, end }: LspRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
