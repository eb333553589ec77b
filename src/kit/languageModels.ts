import * as vscode from 'vscode';
import { safe, safeIfAny, type Showable } from '../text/shownText.ts';

/* Language models that the extension offers to the editor. */

export interface ShownModel extends Omit<vscode.LanguageModelChatInformation, 'name' | 'tooltip' | 'detail'> {
  readonly name: Showable;
  readonly tooltip?: Showable;
  readonly detail?: Showable;
}

/** Returns the description of a model for the model picker. The editor shows the family and the version as plain text. */
export function modelInformation<Shown extends ShownModel>(model: Shown): Shown & vscode.LanguageModelChatInformation {
  const [tooltip, detail] = [safeIfAny(model.tooltip), safeIfAny(model.detail)];
  return {
    ...model,
    name: safe(model.name),
    ...(tooltip !== undefined && { tooltip }),
    ...(detail !== undefined && { detail }),
  };
}

/** Reason why a model does not answer, for the extension that asked. */
export type ModelErrorKind = 'noPermissions' | 'blocked' | 'notFound' | 'other';

/** Creates the error that the chat shows. */
export function modelError(kind: ModelErrorKind, message: Showable): Error {
  const error = errorOf(kind, safe(message));
  // The chat of the editor shows a stack to the user.
  delete error.stack;
  return error;
}

function errorOf(kind: ModelErrorKind, text: string): Error {
  switch (kind) {
    case 'noPermissions':
      return vscode.LanguageModelError.NoPermissions(text);
    case 'blocked':
      return vscode.LanguageModelError.Blocked(text);
    case 'notFound':
      return vscode.LanguageModelError.NotFound(text);
    case 'other':
      return new Error(text);
  }
}
