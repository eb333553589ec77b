import * as vscode from 'vscode';
import type { OfferedValues } from '../../../account/liveValues/liveValues.ts';
import { jsonFormatting } from '../../../kit/jsonFormatting.ts';
import { inlayHint } from '../../../kit/marks.ts';
import { rangeOf, showProblems } from '../../../kit/problems.ts';
import { hover } from '../../../kit/proposals.ts';
import { foreign } from '../../../text/shownText.ts';
import type { ManifestCatalog } from '../catalog/manifestCatalog.ts';
import { isSyntaxCheckedElsewhere, manifestSelector, ownJsonSelector, ownSelector } from '../manifestFiles.ts';
import { manifestLinkProvider } from './manifestLinks.ts';
import type { ManifestModels } from './manifestModels.ts';
import { manifestStructure } from './manifestStructure.ts';

/** The values that the connected platform offers. */
export interface LiveSource {
  /** The latest values. Empty until they have been read. */
  readonly current: OfferedValues;
  /** Starts to read them unless they are recent. Never waits. */
  request(): void;
}

/** Registers diagnostics, hovers, inlay hints, links, the outline, folding, selection ranges, and the formatter of JSON. */
export function registerManifestReading(models: ManifestModels, catalog: ManifestCatalog): vscode.Disposable {
  const structure = manifestStructure(models);
  const { languages } = vscode;
  return vscode.Disposable.from(
    registerInlayHints(models, catalog),
    languages.registerHoverProvider(manifestSelector, hoverProvider(models, catalog.values)),
    languages.registerDocumentLinkProvider(manifestSelector, manifestLinkProvider(models)),
    languages.registerDocumentSymbolProvider(ownSelector, structure, { label: 'Cloud Compute' }),
    languages.registerFoldingRangeProvider(ownSelector, structure),
    languages.registerSelectionRangeProvider(ownSelector, structure),
    languages.registerDocumentFormattingEditProvider(ownJsonSelector, jsonFormatting),
    languages.registerDocumentRangeFormattingEditProvider(ownJsonSelector, jsonFormatting),
    showProblems('cloudCompute.manifest', models, ({ document, file }) => {
      const hidden = isSyntaxCheckedElsewhere(document);
      return file.problems.filter(({ code }) => !(hidden && code === 'syntax'));
    }),
  );
}

function hoverProvider(models: ManifestModels, live: LiveSource): vscode.HoverProvider {
  return {
    provideHover: async (document, position) => {
      live.request();
      const [file, { hoverAt }] = await Promise.all([models.read(document), import('../model/reading/hover.ts')]);
      const found = hoverAt(file, document.offsetAt(position), live.current);
      return found && hover(found.markdown, rangeOf(document, found));
    },
  };
}

/** Maximum length of an inlay hint, in UTF-16 code units. Names of resources can be long. */
const LONGEST = 60;

/** Shows prices, durations, and names after the values of a manifest. */
function registerInlayHints(models: ManifestModels, { values, options }: ManifestCatalog): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.InlayHintsProvider = {
    onDidChangeInlayHints: changed.event,
    provideInlayHints: async (document, range) => {
      values.request();
      const [{ parts }, { inlayHints }] = await Promise.all([
        models.read(document),
        import('../model/reading/inlayHints.ts'),
      ]);
      const span = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
      const known = options.isOfCurrentConnection(document) ? values.current : {};
      return inlayHints(parts, known, span).map(({ offset, text, tooltip }) =>
        inlayHint(document.positionAt(offset), foreign(text, LONGEST), tooltip),
      );
    },
  };
  return vscode.Disposable.from(
    changed,
    values.onDidChange(() => changed.fire()),
    vscode.languages.registerInlayHintsProvider(manifestSelector, provider),
  );
}
