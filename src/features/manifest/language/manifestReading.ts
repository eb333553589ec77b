import * as vscode from 'vscode';
import type { ManifestCatalog } from '../catalog/index.ts';
import { ownJsonSelector, ownSelector, manifestSelector, isSyntaxCheckedElsewhere } from '../manifestFiles.ts';
import { jsonFormatting } from '../../../kit/jsonFormatting.ts';
import { ManifestInlayHints } from './manifestInlayHints.ts';
import { manifestLinkProvider } from './manifestLinks.ts';
import type { ManifestModels } from './manifestModels.ts';
import { manifestStructure } from './manifestStructure.ts';
import { showProblems } from '../../../kit/problems.ts';

/** Registers inlay hints, links, the outline, folding, selection ranges, and the formatter of JSON. */
export function registerManifestReading(models: ManifestModels, catalog: ManifestCatalog): vscode.Disposable {
  const hints = new ManifestInlayHints(models, catalog);
  const structure = manifestStructure(models);
  const { languages } = vscode;
  return vscode.Disposable.from(
    hints,
    languages.registerInlayHintsProvider(manifestSelector, hints),
    languages.registerDocumentLinkProvider(manifestSelector, manifestLinkProvider(models)),
    languages.registerDocumentSymbolProvider(ownSelector, structure, { label: 'Cloud Compute' }),
    languages.registerFoldingRangeProvider(ownSelector, structure),
    languages.registerSelectionRangeProvider(ownSelector, structure),
    languages.registerDocumentFormattingEditProvider(ownJsonSelector, jsonFormatting),
    languages.registerDocumentRangeFormattingEditProvider(ownJsonSelector, jsonFormatting),
  );
}

/** Shows the problems of open manifests. */
export function registerManifestDiagnostics(models: ManifestModels): vscode.Disposable {
  return showProblems('cloudCompute.manifest', models, ({ document, file }) => {
    const hidden = isSyntaxCheckedElsewhere(document);
    return file.problems.filter(({ code }) => !(hidden && code === 'syntax'));
  });
}
