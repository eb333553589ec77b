import type { Markdown } from '../../../../text/markdown.ts';
import type { TextChange, Span } from '../../../../text/span.ts';
import type { OfferedValues } from '../../../../account/liveValues/liveValues.ts';
import type { DraftRules } from '../draft.ts';
import type { Writing } from './sketch.ts';
import type { Place } from './place.ts';

/* Parts that all kinds of completions share. */

/** Groups of a list, in their order. `excluded` breaks a rule because of another field. */
const GROUPS = ['required', 'usual', 'unavailable', 'excluded', 'deprecated'] as const;

export type Group = (typeof GROUPS)[number];

/** A proposal at the cursor. The span is the text that it replaces. */
export interface Completion extends Span {
  readonly label: string;
  readonly kind: 'field' | 'value' | 'snippet';
  readonly detail?: string | undefined;
  readonly documentation?: Markdown | undefined;
  /** New text, as a snippet of VS Code. It contains its own indentation. */
  readonly insertText: string;
  /** Text that the typed text is compared with. */
  readonly filterText: string;
  readonly sortText: string;
  readonly deprecated: boolean;
  readonly preselect: boolean;
  /** Whether the editor asks for completions again afterwards. */
  readonly retrigger: boolean;
  /** A change elsewhere, such as a missing comma before the new text. */
  readonly also?: TextChange | undefined;
}

/** The cursor, and everything that decides on the completions there. */
export interface Request {
  readonly text: string;
  readonly place: Place;
  readonly rules: DraftRules;
  readonly live: OfferedValues;
  readonly writing: Writing;
}

/** The parts of a completion that its kind decides on. */
export interface Entry extends Pick<Completion, 'label' | 'kind' | 'detail' | 'documentation' | 'insertText'> {
  /** Text that the typed text is compared with. Default: the label. */
  readonly searched?: string;
  readonly group: Group;
  /** Position in the group. */
  readonly index: number;
  readonly deprecated?: boolean;
  readonly preselect?: boolean;
  readonly retrigger?: boolean;
}

/** Returns a completion of the token at the cursor. */
export function completionOf(
  { place: { token, quote, lead, trail, missingComma } }: Request,
  { searched, group, index, ...entry }: Entry,
): Completion {
  return {
    ...{ start: token.start, end: token.end, deprecated: false, preselect: false, retrigger: false },
    ...entry,
    insertText: lead + entry.insertText + trail,
    filterText: (quote ?? '') + (searched ?? entry.label),
    sortText: `${GROUPS.indexOf(group)}${String(index).padStart(4, '0')}`,
    // The comma that the previous value lacks.
    also: missingComma === undefined ? undefined : { start: missingComma, end: missingComma, text: ',' },
  };
}
