import * as vscode from 'vscode';
import { completionItem, hover } from '../../../kit/proposals.ts';
import { code, formatted, joinedMarkdown, type Markdown } from '../../../text/markdown.ts';
import { jobFileSelector } from '../jobFiles.ts';
import type { Completions, Description } from '../model/schema/jsonLanguage.ts';
import { rangeOf } from '../../../kit/problems.ts';
import type { JobFileModels } from './jobFileModels.ts';

/** Characters after which the editor asks for completions. */
const TRIGGERS = ['"', ':', ' '];
/** Kinds of completions by their number in the language server protocol. */
const kinds: Readonly<Record<number, vscode.CompletionItemKind>> = {
  9: vscode.CompletionItemKind.Module,
  10: vscode.CompletionItemKind.Property,
};
/** Format of a text with placeholders, in the language server protocol. */
const SNIPPET = 2;
/** Maximum number of values in a hover. */
const MAX_VALUES = 20;

/** Registers completion and hover of job files. */
export function registerJobProposals(models: JobFileModels): vscode.Disposable {
  const { languages } = vscode;
  return vscode.Disposable.from(
    languages.registerCompletionItemProvider(
      jobFileSelector,
      {
        provideCompletionItems: async (document, position, token, { triggerCharacter }) => {
          if (triggerCharacter === ' ' && !/[:,[{] $/.test(textBefore(document, position))) return [];
          const text = await models.text(document);
          if (!text || token.isCancellationRequested) return [];
          const { items } = await text.language.complete(text.parsed, document.offsetAt(position));
          const indent = /^[ \t]*/.exec(document.lineAt(position.line).text)?.[0] ?? '';
          return items.map((item) => proposal(document, item, indent));
        },
      },
      ...TRIGGERS,
    ),
    languages.registerHoverProvider(jobFileSelector, {
      provideHover: async (document, position, token) => {
        const text = await models.text(document);
        if (!text || token.isCancellationRequested) return undefined;
        const found = await text.language.describe(text.parsed, document.offsetAt(position));
        return found && hover(markdownOf(found), rangeOf(document, found));
      },
    }),
  );
}

function textBefore(document: vscode.TextDocument, { line, character }: vscode.Position): string {
  return document.lineAt(line).text.slice(0, character);
}

function proposal(
  document: vscode.TextDocument,
  item: Completions['items'][number],
  indent: string,
): vscode.CompletionItem {
  const {
    label,
    kind = 1,
    detail,
    documentation,
    filterText = label,
    sortText = label,
    insertTextFormat,
    command,
  } = item;
  const text = item.textEdit?.newText ?? item.insertText ?? label;
  const snippet = insertTextFormat === SNIPPET ? text : text.replaceAll(/[\\$}]/g, '\\$&');
  const words = typeof documentation === 'string' ? documentation : documentation?.value;
  return completionItem({
    label,
    kind: kinds[kind] ?? vscode.CompletionItemKind.Value,
    range: rangeOf(document, item),
    snippet: snippet.replaceAll('\t', '  ').replaceAll('\n', `\n${indent}`),
    detail: detail === '' ? undefined : detail,
    documentation: words === undefined || words === '' ? undefined : formatted`${words}`,
    filterText,
    sortText,
    isDeprecated: false,
    isPreselected: false,
    retrigger: command !== undefined,
  });
}

function markdownOf({ title, description, values, defaultValue }: Description): Markdown {
  const parts: Markdown[] = [];
  if (title !== undefined) parts.push(formatted`**${title}**`);
  if (description !== undefined) parts.push(formatted`${description}`);
  if (values.length > 0) {
    const listed = values.slice(0, MAX_VALUES).map((value) => code(JSON.stringify(value)));
    const more = values.length > MAX_VALUES ? [formatted`…`] : [];
    parts.push(formatted`Values: ${joinedMarkdown([...listed, ...more], ', ')}`);
  }
  if (defaultValue !== undefined) parts.push(formatted`Default: ${code(JSON.stringify(defaultValue))}`);
  return joinedMarkdown(parts, '\n\n');
}
