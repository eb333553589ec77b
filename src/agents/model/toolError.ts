/** Why a tool cannot run. */
export type ToolErrorCode =
  | 'notConnected'
  | 'notRunning'
  | 'untrusted'
  | 'declined'
  | 'notAllowed'
  | 'secretsUnreadable'
  | 'editFailed'
  | 'changed'
  | 'invalidInput'
  | 'outsideWorkspace'
  | 'noFile'
  | 'fileExists'
  | 'nameTaken'
  | 'notPossible'
  | 'gateRequired'
  | 'tooLarge'
  | 'notFound'
  | 'ambiguous';

/** An error whose message tells a model what is wrong and what to do instead. */
export class ToolError extends Error {
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string) {
    super(message);
    this.code = code;
    this.name = 'ToolError';
  }
}
