import * as vscode from 'vscode';
import { completionItem } from '../../../kit/proposals.ts';
import { languageOf, manifestSelector } from '../manifestFiles.ts';
import type { Completion } from '../model/completion/completionsAt.ts';
import type { ManifestLanguage } from '../model/text/parsed.ts';
import type { ManifestModels } from './manifestModels.ts';
import type { OfferedValues } from '../../../account/liveValues/liveValues.ts';

/** Characters after which the editor asks for completions. In YAML, a space follows a colon and a dash. */
const TRIGGERS = [':', ' ', '"', "'", '{', '[', ','];

const kinds: Record<Completion['kind'], vscode.CompletionItemKind> = {
  field: vscode.CompletionItemKind.Property,
  value: vscode.CompletionItemKind.Value,
  // Snippets of package.json apply anywhere, so the settings of the language hide their kind.
  snippet: vscode.CompletionItemKind.Struct,
};

/** Registers completion of fields and values of manifests. */
export function registerManifestCompletion(models: ManifestModels, live: LiveSource): vscode.Disposable {
  return vscode.languages.registerCompletionItemProvider(
    manifestSelector,
    new ManifestCompletion(models, live),
    ...TRIGGERS,
  );
}

class ManifestCompletion implements vscode.CompletionItemProvider {
  readonly #models: ManifestModels;
  readonly #live: LiveSource;

  constructor(models: ManifestModels, live: LiveSource) {
    this.#models = models;
    this.#live = live;
  }

  async provideCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    token: vscode.CancellationToken,
    { triggerCharacter }: vscode.CompletionContext,
  ): Promise<vscode.CompletionItem[]> {
    if (isNoise(document, position, triggerCharacter)) return [];
    this.#live.request();
    const { completionsAt } = await import('../model/completion/completionsAt.ts');
    const file = await this.#models.read(document);
    if (token.isCancellationRequested) return [];
    return completionsAt(file, document.offsetAt(position), this.#live.current).map((one) => itemOf(document, one));
  }
}

/** Returns whether a trigger character has no meaning at its position, such as a space in an indentation. */
function isNoise(document: vscode.TextDocument, position: vscode.Position, trigger: string | undefined): boolean {
  if (trigger === undefined) return false;
  const before = document.lineAt(position.line).text.slice(0, position.character);
  const meaningful: Record<ManifestLanguage, RegExp> = { json: /["{[,:]$|[:,[{] $/, yaml: /[:"'{[,]$|[:,[{-] $/ };
  return !meaningful[languageOf(document.uri)].test(before);
}

function itemOf(document: vscode.TextDocument, completion: Completion): vscode.CompletionItem {
  const { start, end, insertText, kind, deprecated, preselect, also, ...rest } = completion;
  const range = (from: number, to: number) => new vscode.Range(document.positionAt(from), document.positionAt(to));
  return completionItem({
    ...rest,
    kind: kinds[kind],
    range: range(start, end),
    snippet: insertText,
    isDeprecated: deprecated,
    isPreselected: preselect,
    ...(also && { additionalEdits: [vscode.TextEdit.replace(range(also.start, also.end), also.text)] }),
  });
}

/** The values that the connected platform offers. */
export interface LiveSource {
  /** The latest values. Empty until they have been read. */
  readonly current: OfferedValues;
  /** Starts to read them unless they are recent. Never waits. */
  request(): void;
}
