import type * as z from 'zod';
import { boundedOutput, type Json } from '../model/boundedOutput.ts';
import { ToolError } from '../model/toolError.ts';
import { keyRemover } from '../model/withoutKeys.ts';
import type { AgentTool, Confirmation, ToolContext } from './agentTool.ts';
import { problemOfError, type ToolProblem } from './toolProblem.ts';

/* The one way to run a tool, for the editor, the MCP server, and tests. */

/** What a tool returned, or why it failed. Contains no secrets and has a bounded size. */
export interface ToolOutcome {
  readonly isError: boolean;
  /** `{ error }` with a `ToolProblem` if the tool failed. */
  readonly value: Json;
  /** The value as JSON. */
  readonly text: string;
}

export interface ToolCall {
  /** Asks the user. Omitted if the caller has asked before the call. */
  readonly agree?: (confirmation: Confirmation) => Promise<boolean>;
}

/**
 * Runs a tool with arguments of a model. Never rejects: a failure is an outcome with an error.
 *
 * @param rawInput arguments of a model, which are validated
 */
export async function callTool(
  tool: AgentTool,
  rawInput: unknown,
  context: ToolContext,
  { agree }: ToolCall = {},
): Promise<ToolOutcome> {
  try {
    const input = parsedInput(tool, rawInput);
    if (agree) {
      const confirmation = await tool.confirm?.(input, context);
      context.signal.throwIfAborted();
      if (confirmation && !(await agree(confirmation)))
        throw new ToolError('declined', 'The user did not allow the call.');
    }
    context.signal.throwIfAborted();
    return await outcome(await tool.run(input, context), context);
  } catch (error) {
    return failedOutcome(error, context);
  }
}

/** Returns what the user must agree to before a call. @throws ToolError `invalidInput`, and the errors of the tool */
export async function confirmationOf(
  tool: AgentTool,
  rawInput: unknown,
  context: ToolContext,
): Promise<Confirmation | undefined> {
  return tool.confirm?.(parsedInput(tool, rawInput), context);
}

/** Returns the outcome of a call that failed. */
export function failedOutcome(error: unknown, context: Pick<ToolContext, 'secrets' | 'signal'>): Promise<ToolOutcome> {
  const problem = context.signal.aborted ? problemOfAbort(error) : problemOfError(error);
  return outcome({ error: problem }, context, true);
}

/** A canceled call can fail with any error. A job that runs anyway is part of the problem. */
function problemOfAbort(error: unknown): ToolProblem {
  const { jobId } = problemOfError(error);
  const { code, message, remedy } = problemOfError(new DOMException('The call was canceled.', 'AbortError'));
  return { code, message, remedy, ...(jobId !== undefined && { jobId }) };
}

/** Returns the validated arguments. @throws ToolError `invalidInput`, which names each field and what it allows */
export function parsedInput(tool: AgentTool, rawInput: unknown): Record<string, unknown> {
  const parsed = tool.input.safeParse(rawInput ?? {});
  if (parsed.success) return parsed.data;
  const names = Object.keys(tool.input.shape);
  const fields = names.length > 0 ? `The fields are ${names.join(', ')}.` : 'The tool has no arguments.';
  throw new ToolError('invalidInput', `${parsed.error.issues.map(issueText).join('; ')}. ${fields}`);
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

async function outcome(result: object, context: Pick<ToolContext, 'secrets'>, isError = false): Promise<ToolOutcome> {
  const value = boundedOutput(result, keyRemover(await context.secrets().catch(() => [])));
  return { isError, value, text: JSON.stringify(value) };
}
