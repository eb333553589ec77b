import type * as z from 'zod';
import { oneLine } from '../../text/shownText.ts';
import { sameConfirmation } from '../model/agreements.ts';
import { boundedOutput, type Json } from '../model/boundedOutput.ts';
import { ToolError, type ToolErrorCode } from '../model/toolError.ts';
import { keyRemover } from '../../account/withoutKeys.ts';
import type { AgentTool, CallContext, Confirmation, Plan, ToolContext } from './agentTool.ts';
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
  readonly agree?: ((confirmation: Confirmation) => Promise<boolean>) | undefined;
  /** What the user agreed to before the call, or `nothing`. The call is refused if it would now do something else. */
  readonly agreed?: Confirmation | 'nothing' | undefined;
}

/**
 * Runs a tool with arguments of a model. Never rejects: a failure is an outcome with an error.
 *
 * @param rawInput arguments of a model, which are validated
 */
export async function callTool(
  tool: AgentTool,
  rawInput: unknown,
  caller: ToolContext,
  call: ToolCall = {},
): Promise<ToolOutcome> {
  const hidden: string[] = [];
  const context = withHiding(caller, hidden);
  try {
    const { act } = await agreedPlan(tool, parsedInput(tool, rawInput), context, call);
    context.signal.throwIfAborted();
    // Fails now if the result could not be returned, because the agent would repeat a call without a result.
    await context.secrets();
    return await outcome(await act(), context, hidden);
  } catch (error) {
    const problem = context.signal.aborted ? problemOfAbort(error) : problemOfError(error);
    return outcome({ error: problem }, context, hidden, true);
  }
}

/** Returns the plan of the call that the user agreed to, so that exactly this plan runs. */
async function agreedPlan(
  tool: AgentTool,
  input: Record<string, unknown>,
  context: CallContext,
  { agree, agreed }: ToolCall,
): Promise<Plan> {
  const plan = await tool.plan(input, context);
  const confirmation = confirmationOf(plan);
  context.signal.throwIfAborted();
  if (agreed && !sameConfirmation(agreed === 'nothing' ? undefined : agreed, confirmation))
    throw new ToolError('changed', 'The call would now do something else than what the user agreed to.');
  if (!agree || !confirmation) return plan;
  if (!(await agree(confirmation))) throw new ToolError('declined', 'The user did not allow the call.');
  // The user can take long to answer.
  const now = await tool.plan(input, context);
  if (!sameConfirmation(confirmation, confirmationOf(now)))
    throw new ToolError('changed', 'What the call does changed while the user was asked.');
  return now;
}

/** Keeps each text on one line, because a body or a name with line breaks could show false lines, such as another price. */
function confirmationOf({ question }: Plan): Confirmation | undefined {
  if (!question) return undefined;
  const { title, lines, content, needsPerson } = question;
  return {
    ...{ title: oneLine(title), detail: lines.map(oneLine).join('\n') },
    ...(content !== undefined && { content }),
    ...(needsPerson && { needsPerson }),
  };
}

/** Returns the outcome of a call that the host refuses. */
export function refusedOutcome(code: ToolErrorCode, message: string): ToolOutcome {
  const value = boundedOutput({ error: problemOfError(new ToolError(code, message)) });
  return { isError: true, value, text: JSON.stringify(value) };
}

/** What a host shows before a call. */
export type Preview =
  | { readonly confirmation: Confirmation | undefined; readonly progress: string }
  /** The call would fail with this outcome. */
  | { readonly failed: ToolOutcome };

/** Returns what the user must agree to before a call, and the words for its progress. Never rejects. */
export async function previewTool(tool: AgentTool, rawInput: unknown, caller: ToolContext): Promise<Preview> {
  const hidden: string[] = [];
  const context = withHiding(caller, hidden);
  try {
    const input = parsedInput(tool, rawInput);
    return { confirmation: confirmationOf(await tool.plan(input, context)), progress: tool.progress(input) };
  } catch (error) {
    return { failed: await outcome({ error: problemOfError(error) }, context, hidden, true) };
  }
}

/** The members are named, because a caller's context can be an instance of a class. */
function withHiding(caller: ToolContext, hidden: string[]): CallContext {
  const { files, localPlatform, values, clock, signal } = caller;
  return {
    ...{ files, localPlatform, values, clock, signal },
    connection: () => caller.connection(),
    secrets: () => caller.secrets(),
    report: (progress) => caller.report(progress),
    hide: (found) => void hidden.push(...found),
  };
}

/** A canceled call can fail with any error. A job that runs anyway is part of the problem. */
function problemOfAbort(error: unknown): ToolProblem {
  const { jobId } = problemOfError(error);
  const { code, message, remedy } = problemOfError(new DOMException('The call was canceled.', 'AbortError'));
  return { code, message, remedy, ...(jobId !== undefined && { jobId }) };
}

/** Returns the validated arguments. @throws ToolError `invalidInput`, which names each field and what it allows */
function parsedInput(tool: AgentTool, rawInput: unknown): Record<string, unknown> {
  const parsed = tool.input.safeParse(rawInput ?? {});
  if (parsed.success) return parsed.data;
  const names = Object.keys(tool.input.shape);
  const fields = names.length > 0 ? `The fields are ${names.join(', ')}.` : 'The tool has no arguments.';
  throw new ToolError('invalidInput', `${parsed.error.issues.map(issueText).join('; ')}. ${fields}`);
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

async function outcome(
  result: object,
  context: Pick<ToolContext, 'secrets'>,
  hidden: readonly string[],
  isError = false,
): Promise<ToolOutcome> {
  const secrets = await context.secrets().catch(() => undefined);
  if (!secrets)
    return refusedOutcome(
      'secretsUnreadable',
      'The stored secrets cannot be read, so they cannot be kept out of results.',
    );
  const value = boundedOutput(result, keyRemover([...secrets, ...hidden]));
  return { isError, value, text: JSON.stringify(value) };
}
