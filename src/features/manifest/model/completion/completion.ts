import type { Markdown } from '../../../../text/markdown.ts';
import type { TextChange } from '../../../../text/span.ts';
import type { Span } from '../../../../text/span.ts';

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
