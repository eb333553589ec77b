import * as vscode from 'vscode';
import type { OfferedValues } from '../../../account/liveValues/liveValues.ts';
import { jsonFormatting } from '../../../kit/jsonFormatting.ts';
import { inlayHint, documentLink, documentSymbol } from '../../../kit/marks.ts';
import { rangeOf, showProblems } from '../../../kit/problems.ts';
import { hover } from '../../../kit/proposals.ts';
import { foreign } from '../../../text/shownText.ts';
import type { ManifestCatalog } from '../catalog/manifestCatalog.ts';
import { isSyntaxCheckedElsewhere, manifestSelector, ownJsonSelector, ownSelector } from '../manifestFiles.ts';
import type { ManifestModels } from './manifestModels.ts';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import type { ManifestLink } from '../model/reading/links.ts';
import type { Span } from '../../../text/span.ts';
import type { OutlineSymbol, SymbolKind } from '../model/reading/outline.ts';

/** The values that the connected platform offers. */
export interface LiveSource {
  /** The latest values. Empty until they have been read. */
  readonly current: OfferedValues;
  readonly onDidChange: (listener: () => unknown) => { dispose(): unknown };
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

/** Links images to the pages of their registries, and folders and Dockerfiles to those that exist. */
function manifestLinkProvider(models: ManifestModels): vscode.DocumentLinkProvider {
  return {
    provideDocumentLinks: async (document) => {
      const [file, { manifestLinks }] = await Promise.all([models.read(document), import('../model/reading/links.ts')]);
      const links = await Promise.all(manifestLinks(file).map((link) => linkIn(document, link)));
      return links.filter((link) => link !== undefined);
    },
  };
}

async function linkIn(document: vscode.TextDocument, link: ManifestLink): Promise<vscode.DocumentLink | undefined> {
  const range = new vscode.Range(document.positionAt(link.start), document.positionAt(link.end));
  if (link.kind === 'image')
    return documentLink(range, vscode.Uri.parse(link.page, true), l10n.t('Open the page of the image'));
  if (link.kind === 'file') {
    const file = await existing(document.uri, link.file, vscode.FileType.File);
    return file && documentLink(range, file, l10n.t('Open the file'));
  }
  const folder = await existing(document.uri, link.directory, vscode.FileType.Directory);
  return folder && documentLink(range, revealing(folder), l10n.t('Show the folder'));
}

/** Resolves a path as the create command does. Returns undefined if there is no such file or folder. */
async function existing(manifest: vscode.Uri, to: string, kind: vscode.FileType): Promise<vscode.Uri | undefined> {
  const isAbsolute = path.isAbsolute(to);
  if (manifest.scheme !== 'file' && !(isAbsolute && manifest.scheme === 'untitled')) return undefined;
  const uri = isAbsolute ? vscode.Uri.file(to) : vscode.Uri.joinPath(manifest, '..', to);
  try {
    const { type } = await vscode.workspace.fs.stat(uri);
    return (type & kind) === 0 ? undefined : uri;
  } catch {
    return undefined;
  }
}

/** Returns the address of a command. The editor cannot open the address of a folder itself. */
function revealing(folder: vscode.Uri): vscode.Uri {
  const command = vscode.workspace.getWorkspaceFolder(folder) ? 'revealInExplorer' : 'revealFileInOS';
  return vscode.Uri.from({ scheme: 'command', path: command, query: JSON.stringify([folder.toJSON()]) });
}

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
function manifestStructure(models: ManifestModels): Provider {
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
