import type { Markdown } from '../../../../text/markdown.ts';
import type { TextChange, Span } from '../../../../text/span.ts';
import type { OfferedValues } from '../../../../account/liveValues/liveValues.ts';
import type { ManifestNode } from '../text/node.ts';
import type { DraftRules } from '../draft.ts';
import type { Writing } from './sketch.ts';
import type { Path } from '../../../../contract/violation.ts';

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
  /** Node at the path of the place. */
  readonly node: ManifestNode | undefined;
  /** Node of the map or list that contains it. */
  readonly parent: ManifestNode | undefined;
}

/** The position of the cursor in the structure of a manifest. */
export interface Place {
  /** `field`: the cursor is at the name of a field. `value`: it is at a value, which the contract can define as a map. */
  readonly role: 'field' | 'value';
  /** Path of the map for a field, and of the value for a value. */
  readonly path: Path;
  /** The text that a completion replaces. It is empty if no text is written yet. */
  readonly token: Span;
  /** Opening quotation mark of the token. */
  readonly quote: '"' | "'" | undefined;
  /** `json`: JSON. `flow`: inside braces or brackets of YAML. `block`: YAML with indentation. */
  readonly style: 'json' | 'flow' | 'block';
  /** `line`: the token begins a line. `item`: it follows a dash. `inline`: it follows a colon, a brace, a bracket, or a comma. */
  readonly position: 'line' | 'item' | 'inline';
  /** Whether a colon follows the token, so that a completion of a field replaces only its name. */
  readonly hasColon: boolean;
  /** Column of the token in a block, or of its field for a value after a colon. 0 in JSON and in flow style. */
  readonly column: number;
  /** Text that a completion needs before the token, such as a space after the colon. */
  readonly lead: string;
  /** Comma that a completion needs after the token, or an empty string. */
  readonly trail: string;
  /** Offset of a missing comma before the token. */
  readonly missingComma?: number | undefined;
  /** Kind of the next line, if it has the column of the token. A completion must begin the same kind of block. */
  readonly continuedBy?: 'key' | 'item' | undefined;
  /** Names of the fields that the map has elsewhere, as far as they are written next to the cursor. */
  readonly siblings: readonly string[];
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
