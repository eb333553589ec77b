import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { documentLink, documentSymbol } from '../../../kit/marks.ts';
import { bodyFileUri, httpSelector } from './httpFiles.ts';
import type { HttpModels } from './httpModels.ts';
import { rangeOf } from '../../../kit/problems.ts';

/** Registers the outline, folding, and links of HTTP files. */
export function registerHttpStructure(models: HttpModels): vscode.Disposable {
  const { languages } = vscode;
  const load = (document: vscode.TextDocument) => Promise.all([models.read(document), import('../model/structure.ts')]);
  return vscode.Disposable.from(
    languages.registerDocumentSymbolProvider(
      httpSelector,
      {
        async provideDocumentSymbols(document) {
          const [{ file }, { httpSymbols }] = await load(document);
          return httpSymbols(file).map(({ kind, name, detail, selection, ...span }) =>
            documentSymbol({
              ...{ name, detail, deprecated: false, children: [] },
              kind: kind === 'request' ? vscode.SymbolKind.Method : vscode.SymbolKind.Variable,
              range: rangeOf(document, span),
              selectionRange: rangeOf(document, selection),
            }),
          );
        },
      },
      { label: 'Cloud Compute' },
    ),
    languages.registerFoldingRangeProvider(httpSelector, {
      async provideFoldingRanges(document) {
        const [{ file }, { httpFolds }] = await load(document);
        return httpFolds(file)
          .map((span) => rangeOf(document, span))
          .filter(({ isSingleLine }) => !isSingleLine)
          .map(({ start, end }) => new vscode.FoldingRange(start.line, end.line));
      },
    }),
    languages.registerDocumentLinkProvider(httpSelector, {
      async provideDocumentLinks(document) {
        const [{ file }, { httpLinks }] = await load(document);
        return httpLinks(file).flatMap((link) => {
          const target = bodyFileUri(document.uri, link.path);
          return target ? [documentLink(rangeOf(document, link), target, l10n.t('Open the file of the body'))] : [];
        });
      },
    }),
  );
}
