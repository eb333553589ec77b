import * as l10n from '@vscode/l10n';
import type { TextChange } from '../../../text/span.ts';
import { looksLikeJson } from './bodyReader.ts';
import { blockAt, type HttpFile, type ParsedBlock } from './httpFile.ts';
import { lineStartAt } from './lineSyntax.ts';
import { namesLike, type HttpProblem } from './problem.ts';
import type { Span } from '../../../text/span.ts';
import { ENDPOINT_PREFIX } from './variables.ts';

/** A correction of a problem. */
export interface HttpFix {
  readonly title: string;
  readonly changes: readonly TextChange[];
  readonly isPreferred: boolean;
}

/** Maximum number of names that are offered. */
const MAX_OFFERED = 5;

/** Returns the corrections of a problem. They depend on its code and data. */
export function fixesOf(file: HttpFile, problem: HttpProblem): HttpFix[] {
  const block = blockAt(file, problem.start);
  switch (problem.code) {
    case 'unknownMethod':
    case 'misspelledHeader':
    case 'unknownSystemVariable': {
      const span = { start: problem.start, end: problem.start + problem.data.name.length };
      return similar(problem.data).map((name, index) => replacing(span, name, index === 0));
    }
    case 'unknownVariable':
      return [
        ...similar(problem.data).map((name, index) => replacing(problem, name, index === 0)),
        ...definition(file, problem.data.name),
      ];
    case 'unknownEndpoint':
      return endpointFixes(file, problem, problem.data);
    case 'ambiguousEndpoint':
      return problem.data.ids
        .slice(0, MAX_OFFERED)
        .map((id) => endpointFix(file, problem, problem.data.name, id, false));
    case 'endpointNotNamed':
      return unique(problem.data.known).map((name) => naming(problem, name, problem.data.known.length === 1));
    case 'authorizationHeader':
      return [removal(file, problem, 'Authorization')];
    case 'suppliedHeader':
    case 'unsettableHeader':
    case 'duplicateHeader':
      return [removal(file, problem, problem.data.name)];
    case 'contentTypeAdded':
      return block ? [addition(block, file, `Content-Type: ${problem.data.type}`)] : [];
    case 'invalidHeader':
      return looksLikeJson(file.text.slice(problem.start, problem.end)) || file.text[problem.start] === '<'
        ? [
            inserting(
              l10n.t('Insert an empty line before the body'),
              lineStartAt(file.text, problem.start),
              lineBreakOf(file.text),
              true,
            ),
          ]
        : [];
    case 'bodyOnGet':
      return block ? [posting(block)] : [];
    case 'unclosedVariable':
      return [inserting(l10n.t('Insert }}'), problem.end, '}}', false)];
    case 'invalidPath': {
      const [lead = ''] = /^\{\{[^{}]*\}\}/.exec(file.text.slice(problem.start, problem.end)) ?? [];
      return [inserting(l10n.t('Insert /'), problem.start + lead.length, '/', true)];
    }
    default:
      return [];
  }
}

function similar({ name, known }: { readonly name: string; readonly known: readonly string[] }): string[] {
  return unique(namesLike(name, known));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].slice(0, MAX_OFFERED);
}

function replacing({ start, end }: Span, text: string, isPreferred: boolean): HttpFix {
  return { title: l10n.t`Change to '${text}'`, changes: [{ start, end, text }], isPreferred };
}

function inserting(title: string, at: number, text: string, isPreferred: boolean): HttpFix {
  return { title, changes: [{ start: at, end: at, text }], isPreferred };
}

function definition({ text }: HttpFile, name: string): HttpFix[] {
  if (!/^[\p{L}\p{N}_.-]+$/u.test(name)) return [];
  return [inserting(l10n.t`Define '${name}' in this file`, 0, `@${name} = value${lineBreakOf(text)}`, false)];
}

function endpointFixes(
  file: HttpFile,
  span: Span,
  data: { readonly name: string; readonly known: readonly string[] },
): HttpFix[] {
  const likely = similar(data);
  const offered = likely.length > 0 ? likely : unique(data.known);
  return offered.map((name, index) => endpointFix(file, span, data.name, name, index === 0 && likely.length > 0));
}

/** Replaces the name of an endpoint. A request that names none gets a reference before its path. */
function endpointFix(file: HttpFile, span: Span, written: string, name: string, isPreferred: boolean): HttpFix {
  return file.text.slice(span.start, span.end) === written
    ? replacing(span, name, isPreferred)
    : naming(span, name, isPreferred);
}

function naming({ start }: Span, name: string, isPreferred: boolean): HttpFix {
  return inserting(l10n.t`Send to '${name}'`, start, `{{${ENDPOINT_PREFIX}${name}}}`, isPreferred);
}

function removal({ text }: HttpFile, { start, end }: Span, name: string): HttpFix {
  const from = lineStartAt(text, start);
  const lineBreak = /\r\n|\n|\r/.exec(text.slice(end));
  const to = lineBreak ? end + lineBreak.index + lineBreak[0].length : text.length;
  return { title: l10n.t`Remove ${name}`, changes: [{ start: from, end: to, text: '' }], isPreferred: true };
}

function addition({ headersEnd }: ParsedBlock, { text }: HttpFile, line: string): HttpFix {
  return inserting(l10n.t`Add ${line}`, headersEnd, lineBreakOf(text) + line, false);
}

function posting({ methodSpan, requestLine }: ParsedBlock): HttpFix {
  return methodSpan
    ? { ...replacing(methodSpan, 'POST', true), title: l10n.t('Change the method to POST') }
    : inserting(l10n.t('Change the method to POST'), requestLine.start, 'POST ', true);
}

function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
