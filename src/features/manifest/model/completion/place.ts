import type { Path } from '../../../../contract/violation.ts';
import type { Span } from '../../../../text/span.ts';

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
