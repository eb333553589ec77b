import * as vscode from 'vscode';
import { diagnosticsOf, editOf, rangeOf, showProblems } from '../../../kit/problems.ts';
import { completionItem, hover } from '../../../kit/proposals.ts';
import { code, formatted, joinedMarkdown, type Markdown } from '../../../text/markdown.ts';
import { documentSymbol, editFix } from '../../../kit/marks.ts';
import { jsonFormatting } from '../../../kit/jsonFormatting.ts';
import { jobFileSelector, jobLanguageSelector } from '../jobFiles.ts';
import type { Completions, Description, JsonLanguage } from '../model/schema/jsonLanguage.ts';
import type { JobFileModels, JobFileRead } from './jobFileModels.ts';

/** Shows the problems of open job files, and offers their corrections. */
export function registerJobDiagnostics(models: JobFileModels): vscode.Disposable {
  return vscode.Disposable.from(
    showProblems('cloudCompute.jobs', models, ({ document, problems }) =>
      problems.filter(({ code }) => code !== 'syntax' || !isJson(document)),
    ),
    vscode.languages.registerCodeActionsProvider(
      jobFileSelector,
      {
        provideCodeActions: async (document, range, { diagnostics }) =>
          actionsFor(await models.read(document), range, diagnostics),
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
}

/** Returns whether the editor's own JSON service reports syntax errors. */
function isJson({ languageId }: vscode.TextDocument): boolean {
  return languageId === 'json' || languageId === 'jsonc';
}

async function actionsFor(
  { document, checked, problems }: JobFileRead,
  range: vscode.Range,
  shown: readonly vscode.Diagnostic[],
): Promise<vscode.CodeAction[]> {
  const { fixesOf } = await import('../model/jobFileFixes.ts');
  return problems
    .filter((problem) => rangeOf(document, problem).intersection(range) !== undefined)
    .flatMap((problem) => {
      const diagnostics = diagnosticsOf(document, problem, shown);
      return fixesOf(checked, problem).map(({ title, changes, isPreferred }) =>
        editFix({ title, diagnostics, isPreferred }, editOf(document, changes)),
      );
    });
}

/** Characters after which the editor asks for completions. */
const TRIGGERS = ['"', ':', ' '];
/** Kinds of completions by their number in the language server protocol. */
const completionKinds: Readonly<Record<number, vscode.CompletionItemKind>> = {
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
    kind: completionKinds[kind] ?? vscode.CompletionItemKind.Value,
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

/** Maximum number of entries in the outline. */
const MAX_SYMBOLS = 5_000;

/** Kinds of symbols by their number in the language server protocol. */
const symbolKinds: Readonly<Record<number, vscode.SymbolKind>> = {
  2: vscode.SymbolKind.Module,
  15: vscode.SymbolKind.String,
  16: vscode.SymbolKind.Number,
  17: vscode.SymbolKind.Boolean,
  18: vscode.SymbolKind.Array,
};

type LspSymbol = ReturnType<JsonLanguage['symbols']>[number];
type LspRange = LspSymbol['range'];
type LspSelection = ReturnType<JsonLanguage['selections']>[number];

/** Registers the outline, folding, selection ranges, and formatting of job files. In JSON, the editor's own service provides them. */
export function registerJobStructure(models: JobFileModels): vscode.Disposable {
  const { languages } = vscode;
  return vscode.Disposable.from(
    languages.registerDocumentSymbolProvider(jobLanguageSelector, {
      provideDocumentSymbols: async (document) => {
        const text = await models.text(document);
        return text ? text.language.symbols(text.parsed, MAX_SYMBOLS).map(symbolOf) : [];
      },
    }),
    languages.registerFoldingRangeProvider(jobLanguageSelector, {
      provideFoldingRanges: async (document) => {
        const text = await models.text(document);
        return (text ? text.language.folds(text.parsed) : []).map(
          ({ startLine, endLine, kind }) =>
            new vscode.FoldingRange(
              startLine,
              endLine,
              kind === 'comment' ? vscode.FoldingRangeKind.Comment : undefined,
            ),
        );
      },
    }),
    languages.registerSelectionRangeProvider(jobLanguageSelector, {
      provideSelectionRanges: async (document, positions) => {
        const text = await models.text(document);
        const offsets = positions.map((position) => document.offsetAt(position));
        return (text ? text.language.selections(text.parsed, offsets) : []).map(selectionOf);
      },
    }),
    languages.registerDocumentFormattingEditProvider(jobLanguageSelector, jsonFormatting),
    languages.registerDocumentRangeFormattingEditProvider(jobLanguageSelector, jsonFormatting),
  );
}

function symbolOf({ name, detail = '', kind, range, selectionRange, children = [] }: LspSymbol): vscode.DocumentSymbol {
  return documentSymbol({
    name,
    detail,
    kind: symbolKinds[kind] ?? vscode.SymbolKind.Variable,
    range: rangeFrom(range),
    selectionRange: rangeFrom(selectionRange),
    deprecated: false,
    children: children.map(symbolOf),
  });
}

function selectionOf({ range, parent }: LspSelection): vscode.SelectionRange {
  return new vscode.SelectionRange(rangeFrom(range), parent && selectionOf(parent));
}

function rangeFrom({ start, end }: LspRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
