import type { CommandId } from './commandIds.ts';
import { safe, shown, type Showable, type ShownText } from '../text/shownText.ts';

/** A button that resolves the error: its label and command. */
export interface Remedy {
  readonly label: string;
  readonly command: CommandId | BuiltInCommand;
  /** Argument of the command. */
  readonly argument?: unknown;
}

/** Built-in commands of VS Code that a remedy can run. */
type BuiltInCommand =
  'workbench.action.openSettings' | 'workbench.trust.manage' | 'workbench.extensions.action.showExtensionsWithIds';

/** An error with a message for the user and an optional button. */
export class UserError extends Error {
  readonly shown: ShownText;
  readonly remedy: Remedy | undefined;

  constructor(message: Showable, remedy?: Remedy) {
    super(safe(message));
    this.shown = shown`${message}`;
    this.name = 'UserError';
    this.remedy = remedy;
  }
}
