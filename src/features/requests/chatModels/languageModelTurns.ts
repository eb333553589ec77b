import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ChatTurn, OfferedTool, TurnPart } from './model/requestBody.ts';

/* Conversion of the editor's messages and tools. */

/** Role of instructions. The stable API of the editor does not name it. */
const SYSTEM_ROLE = 3;

export function turnOf({ role, content, name }: vscode.LanguageModelChatRequestMessage): ChatTurn {
  const parts = content.flatMap((part) => partOf(part) ?? []);
  if (role === vscode.LanguageModelChatMessageRole.Assistant) return { role: 'assistant', parts };
  return { role: (role as number) === SYSTEM_ROLE ? 'system' : 'user', parts, name };
}

export function offeredTool({ name, description, inputSchema }: vscode.LanguageModelChatTool): OfferedTool {
  return { name, description, inputSchema };
}

/** Returns undefined for parts that a worker cannot use, such as markers of the editor. */
function partOf(part: unknown): TurnPart | undefined {
  if (part instanceof vscode.LanguageModelTextPart) return { kind: 'text', text: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart)
    return { kind: 'toolCall', id: part.callId, name: part.name, input: part.input };
  if (part instanceof vscode.LanguageModelToolResultPart)
    return { kind: 'toolResult', callId: part.callId, text: part.content.map(resultText).join('') };
  if (!isData(part)) return undefined;
  const { mimeType, data } = part;
  if (mimeType.startsWith('image/')) return { kind: 'image', mimeType, bytes: data };
  return isText(mimeType) ? { kind: 'text', text: new TextDecoder().decode(data) } : undefined;
}

function resultText(part: unknown): string {
  if (part instanceof vscode.LanguageModelTextPart) return part.value;
  if (part instanceof vscode.LanguageModelPromptTsxPart) return JSON.stringify(part.value);
  if (!isData(part)) return '';
  return isText(part.mimeType) ? new TextDecoder().decode(part.data) : l10n.t`[content of type ${part.mimeType}]`;
}

/** A part with bytes. The API of the oldest supported editor does not define its class. */
interface DataPart {
  readonly mimeType: string;
  readonly data: Uint8Array;
}

function isData(part: unknown): part is DataPart {
  if (typeof part !== 'object' || part === null) return false;
  const { mimeType, data } = part as Partial<DataPart>;
  return typeof mimeType === 'string' && data instanceof Uint8Array;
}

function isText(mimeType: string): boolean {
  return mimeType.startsWith('text/') || mimeType === 'application/json';
}
