import * as vscode from 'vscode';
import { rangeOf } from '../../../kit/problems.ts';
import { completionItem } from '../../../kit/proposals.ts';
import { languageOf, manifestSelector } from '../manifestFiles.ts';
import type { Completion } from '../model/completion/completionsAt.ts';
import type { ManifestLanguage } from '../model/text/node.ts';
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
  const provider: vscode.CompletionItemProvider = {
    provideCompletionItems: async (document, position, token, { triggerCharacter }) => {
      if (isNoise(document, position, triggerCharacter)) return [];
      live.request();
      const { completionsAt } = await import('../model/completion/completionsAt.ts');
      const file = await models.read(document);
      if (token.isCancellationRequested) return [];
      return completionsAt(file, document.offsetAt(position), live.current).map((one) => itemOf(document, one));
    },
  };
  return vscode.languages.registerCompletionItemProvider(manifestSelector, provider, ...TRIGGERS);
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
