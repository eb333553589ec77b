import * as vscode from 'vscode';
import type { ManifestCatalog } from '../catalog/index.ts';
import { ownJsonSelector, ownSelector, manifestSelector } from '../manifestFiles.ts';
import { jsonFormatting } from '../../../kit/jsonFormatting.ts';
import { ManifestInlayHints } from './manifestInlayHints.ts';
import { manifestLinkProvider } from './manifestLinks.ts';
import type { ManifestModels } from './manifestModels.ts';
import { manifestStructure } from './manifestStructure.ts';

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
