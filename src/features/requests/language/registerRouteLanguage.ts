import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showProblems, rangeOf, diagnosticsOf, editOf } from '../../../kit/problems.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { EndpointList } from './endpointList.ts';
import { httpSelector, openHttpDocuments, bodyFileUri } from './httpFiles.ts';
import { HttpModels, type HttpRead } from './httpModels.ts';
import { NeighborManifests } from './neighborManifests.ts';
import { completionItem, hover } from '../../../kit/proposals.ts';
import type { HttpCompletion } from '../model/completionsAt.ts';
import { documentLink, documentSymbol, editFix, codeLens } from '../../../kit/marks.ts';
import { connectLens, requestLenses } from './lenses.ts';

/** The language service of HTTP files. */
export interface RouteLanguage {
  /** Parsed files, and the resolution of their requests. */
  readonly models: HttpModels;
  readonly manifests: NeighborManifests;
  dispose(): void;
}

/** Registers the language service of HTTP files. */
export function registerRouteLanguage(
  services: Pick<AccountServices, 'log' | 'clock' | 'connections' | 'endpoints'>,
): RouteLanguage {
  const { log, clock, connections } = services;
  const endpoints = new EndpointList(services, () => openHttpDocuments().length > 0);
  const manifests = new NeighborManifests();
  const models = new HttpModels({ clock, log, endpoints, manifests });
  const lenses = new HttpCodeLenses(models, connections);
  const registered = vscode.Disposable.from(
    endpoints,
    manifests,
    models,
    lenses,
    showProblems('cloudCompute.http', models, ({ problems }) => problems),
    registerHttpCodeActions(models),
    registerHttpProposals(models, endpoints),
    registerHttpStructure(models),
    vscode.languages.registerCodeLensProvider(httpSelector, lenses),
  );
  return { models, manifests, dispose: () => void registered.dispose() };
}

/** Characters after which the editor asks for completions. */
const TRIGGERS = ['{', ':', '/', '$', ' '];

const kinds: Readonly<Record<HttpCompletion['kind'], vscode.CompletionItemKind>> = {
  method: vscode.CompletionItemKind.Method,
  header: vscode.CompletionItemKind.Field,
  value: vscode.CompletionItemKind.Value,
  endpoint: vscode.CompletionItemKind.Module,
  variable: vscode.CompletionItemKind.Variable,
  system: vscode.CompletionItemKind.Constant,
  path: vscode.CompletionItemKind.File,
};

/** Registers completion and hover of HTTP files. */
function registerHttpProposals(models: HttpModels, endpoints: EndpointList): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.languages.registerCompletionItemProvider(
      httpSelector,
      {
        async provideCompletionItems(document, position, token) {
          endpoints.request();
          const [{ file, context }, { completionsAt }] = await Promise.all([
            models.read(document),
            import('../model/completionsAt.ts'),
          ]);
          if (token.isCancellationRequested) return [];
          return completionsAt(file, document.offsetAt(position), context).map((one) => itemOf(document, one));
        },
      },
      ...TRIGGERS,
    ),
    vscode.languages.registerHoverProvider(httpSelector, {
      async provideHover(document, position) {
        const [{ file, context }, { hoverAt }] = await Promise.all([
          models.read(document),
          import('../model/hoverAt.ts'),
        ]);
        const found = hoverAt(file, document.offsetAt(position), context);
        return found && hover(found.markdown, rangeOf(document, found));
      },
    }),
  );
}

function itemOf(document: vscode.TextDocument, completion: HttpCompletion): vscode.CompletionItem {
  const { label, kind, detail, documentation, insertText, sortText, retrigger } = completion;
  return completionItem({
    ...{ label, detail, documentation, sortText, retrigger },
    kind: kinds[kind],
    range: rangeOf(document, completion),
    snippet: insertText,
    filterText: label,
    isDeprecated: false,
    isPreselected: false,
  });
}

/** Registers the outline, folding, and links of HTTP files. */
function registerHttpStructure(models: HttpModels): vscode.Disposable {
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

const { QuickFix } = vscode.CodeActionKind;

/** Registers the corrections of problems in HTTP files. */
function registerHttpCodeActions(models: HttpModels): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    httpSelector,
    {
      async provideCodeActions(document, range, { only, diagnostics }) {
        if (only && !only.contains(QuickFix)) return [];
        const [{ file, problems }, { fixesOf }] = await Promise.all([
          models.read(document),
          import('../model/fixesOf.ts'),
        ]);
        const here = problems.filter((problem) => rangeOf(document, problem).intersection(range) !== undefined);
        return here.flatMap((problem) => {
          const shown = diagnosticsOf(document, problem, diagnostics);
          return fixesOf(file, problem).map(({ title, changes, isPreferred }) =>
            editFix({ title, diagnostics: shown, isPreferred }, editOf(document, changes)),
          );
        });
      },
    },
    { providedCodeActionKinds: [QuickFix] },
  );
}

/** The REST Client shows lenses of its own above every request. */
const REST_CLIENT = 'humao.rest-client';

/** Provides the actions above the requests of an HTTP file. */
class HttpCodeLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #models: HttpModels;
  readonly #connections: AccountServices['connections'];
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;

  constructor(models: HttpModels, connections: AccountServices['connections']) {
    this.#models = models;
    this.#connections = connections;
    const fire = () => this.#changed.fire();
    // With the REST Client, lenses depend on the endpoints, and a new version of a file is read before its lenses are.
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      connections.onDidChange(fire),
      vscode.extensions.onDidChange(fire),
    );
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const read = await this.#models.read(document);
    const shared = vscode.extensions.getExtension(REST_CLIENT) !== undefined;
    const { namesEndpoint } = await import('../model/resolveRequest.ts');
    const found = read.file.blocks.flatMap((block, index) =>
      shared && !namesEndpoint(read.file, block, read.context)
        ? []
        : [{ index, method: block.method, line: lineOf(read, block.requestLine.start) }],
    );
    const connect = connectLens(this.#connections);
    if (connect) return found.slice(0, 1).map(({ line }) => codeLens(line, connect));
    return found.flatMap(({ index, method, line }) =>
      requestLenses(this.#connections, document.uri, index, method).map((lens) => codeLens(line, lens)),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

function lineOf({ document }: HttpRead, offset: number): number {
  return document.positionAt(offset).line;
}
