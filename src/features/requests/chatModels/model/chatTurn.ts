/* Messages of a chat, independent of the editor and of the wire format. */

export type TurnPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mimeType: string; readonly bytes: Uint8Array }
  | { readonly kind: 'toolCall'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly kind: 'toolResult'; readonly callId: string; readonly text: string };

export interface ChatTurn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly TurnPart[];
  readonly name?: string | undefined;
}

/** A tool that the model can call. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the input. Undefined for a tool without input. */
  readonly inputSchema?: object | undefined;
}
