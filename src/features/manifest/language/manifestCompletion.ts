import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { rangeOf } from '../../../kit/problems.ts';
import { completionItem } from '../../../kit/proposals.ts';
import { languageOf, manifestSelector } from '../manifestFiles.ts';
import type { Completion } from '../model/completion/completionsAt.ts';
import type { ManifestLanguage } from '../model/text/parsed.ts';
import type { ManifestModels } from './manifestModels.ts';
import type { LiveSource } from './manifestReading.ts';

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
  const provider = new ManifestCompletion(models, live);
  return vscode.Disposable.from(
    vscode.languages.registerCompletionItemProvider(manifestSelector, provider, ...TRIGGERS),
    provider,
  );
}

class ManifestCompletion implements vscode.CompletionItemProvider, vscode.Disposable {
  readonly #models: ManifestModels;
  readonly #live: LiveSource;
  /** Waits for values that change the last list. */
  #watch: vscode.Disposable | undefined;

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
    this.dispose();
    if (isNoise(document, position, triggerCharacter)) return [];
    this.#live.request();
    const { completionsAt } = await import('../model/completion/completionsAt.ts');
    const file = await this.#models.read(document);
    if (token.isCancellationRequested) return [];
    const offset = document.offsetAt(position);
    const completions = () => completionsAt(file, offset, this.#live.current);
    const offered = completions();
    this.#showAgain(() => !isDeepStrictEqual(completions(), offered));
    return offered.map((one) => itemOf(document, one));
  }

  dispose(): void {
    this.#watch?.dispose();
    this.#watch = undefined;
  }

  /** Makes the editor ask again, without a key, once values arrive that change the list. A move of the cursor ends the wait. */
  #showAgain(isChanged: () => boolean): void {
    this.dispose();
    const stop = () => this.dispose();
    this.#watch = vscode.Disposable.from(
      this.#live.onDidChange(() => {
        if (!isChanged()) return;
        stop();
        void showCompletions();
      }),
      vscode.window.onDidChangeTextEditorSelection(stop),
      vscode.window.onDidChangeActiveTextEditor(stop),
    );
  }
}

/** Shows the list again. The editor does not trigger an open list. */
async function showCompletions(): Promise<void> {
  await vscode.commands.executeCommand('hideSuggestWidget');
  await vscode.commands.executeCommand('editor.action.triggerSuggest');
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
  return completionItem({
    ...rest,
    kind: kinds[kind],
    range: rangeOf(document, { start, end }),
    snippet: insertText,
    isDeprecated: deprecated,
    isPreselected: preselect,
    ...(also && { additionalEdits: [vscode.TextEdit.replace(rangeOf(document, also), also.text)] }),
  });
}
