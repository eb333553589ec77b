import * as vscode from 'vscode';
import { completionItem, hover } from '../../../kit/proposals.ts';
import type { HttpCompletion } from '../model/completionsAt.ts';
import type { EndpointList } from './endpointList.ts';
import { httpSelector } from './httpFiles.ts';
import type { HttpModels } from './httpModels.ts';
import { rangeOf } from '../../../kit/problems.ts';

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
export function registerHttpProposals(models: HttpModels, endpoints: EndpointList): vscode.Disposable {
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
