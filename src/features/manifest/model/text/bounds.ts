import * as l10n from '@vscode/l10n';
import type { Span } from '../../../../text/span.ts';

/* Limits for manifests, so that parsing never blocks the editor. Real manifests stay far below them. */

/** Maximum length of a manifest, in UTF-16 code units. */
export const LONGEST_MANIFEST = 64 * 1024;
/** Maximum number of endpoints in one file. */
export const MAX_PARTS = 100;
/** Maximum number of problems that one manifest reports. */
export const MAX_PROBLEMS = 100;
/** Maximum number of nested levels, with aliases expanded. The contract's own shapes have four levels. */
export const DEEPEST = 32;
/** Maximum number of aliases. The parser searches for the anchor of each alias from the start of the document. */
export const MAX_ALIASES = 200;
/** Maximum number of values, with aliases expanded. */
export const MAX_VALUES = 50_000;

/** Reasons why a text has no value although its syntax is valid. */
export type BoundCode =
  | 'tooLong'
  | 'tooManyParts'
  | 'tooDeep'
  | 'tooManyAliases'
  | 'tooManyValues'
  | 'invalidAlias'
  | 'invalidMerge'
  | 'duplicateProperty'
  | 'invalidPropertyName';

export interface BoundProblem extends Span {
  readonly code: BoundCode;
  readonly message: string;
}

/** Returns whether the content is so large that its tree must not be built. */
export function isExcess({ code }: Pick<BoundProblem, 'code'>): boolean {
  return code === 'tooDeep' || code === 'tooManyAliases' || code === 'tooManyValues';
}

export const TOO_DEEP = { code: 'tooDeep', message: l10n.t`Nesting is limited to ${DEEPEST} levels` } as const;

export const DUPLICATE = { code: 'duplicateProperty', message: l10n.t('Duplicate property') } as const;
