import type { Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { AgentTool, ToolEffect } from '../../agents/actions/agentTool.ts';

/** Hints for clients, by effect. A client can ask the user depending on them. */
const HINTS: Readonly<Record<ToolEffect, NonNullable<Tool['annotations']>>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  run: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  change: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  destroy: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
};

/** Returns the definition of a tool for clients. All tools read text of a platform, which others can have written. */
export function toolDefinition({ name, title, description, input, effect }: AgentTool): Tool {
  const inputSchema = z.toJSONSchema(input, { io: 'input' }) as Tool['inputSchema'];
  return { name, title, description, inputSchema, annotations: { title, ...HINTS[effect], openWorldHint: true } };
}
