import type { CommandId } from './commandIds.ts';
import { safe, shown, type Showable, type ShownText } from './text/shownText.ts';

/** The button that helps: its label and the command behind it. */
export interface Remedy {
  readonly label: string;
  readonly command: CommandId | BuiltInCommand;
  readonly argument?: string;
}

/** Commands of VS Code itself that help. */
type BuiltInCommand = 'workbench.action.openSettings' | 'workbench.trust.manage';

/** An error with a message for the user and, where one helps, a button. */
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
