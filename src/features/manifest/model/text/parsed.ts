import type { Span } from '../../../../text/span.ts';
import type { ManifestProblem } from '../problem.ts';
import type { ManifestNode } from './node.ts';

export type ManifestLanguage = 'yaml' | 'json';

/** One endpoint of a file: a YAML document, or a whole JSON file. */
export interface ParsedPart extends Span {
  readonly index: number;
  /** Tree of the part, also for a text with syntax errors. Undefined for a text without content, or with excessive content. */
  readonly root: ManifestNode | undefined;
  /** Value of the part. Undefined if it has errors, and null if it is empty. */
  readonly value?: unknown;
  /** Problems of the text itself. */
  readonly problems: readonly ManifestProblem[];
}

export interface ParsedFile {
  readonly text: string;
  readonly language: ManifestLanguage;
  /** At least one part. */
  readonly parts: readonly ParsedPart[];
}
