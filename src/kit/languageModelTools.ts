import * as vscode from 'vscode';
import { markdownString } from './tooltips.ts';
import { formatted, joinedMarkdown } from '../text/markdown.ts';
import { foreign, safe, type Showable } from '../text/shownText.ts';

/** Longest line of a question, in UTF-16 code units. */
const LONGEST_LINE = 1_000;

/** What the user reads before a tool runs. */
export interface ToolPreparation {
  /** Shown while the tool runs. */
  readonly progress: Showable;
  /** Omitted if the tool may run without a question. */
  readonly question?: { readonly title: Showable; readonly detail: Showable } | undefined;
}

/** A tool that a language model can call. */
export interface HostedTool {
  prepare(input: unknown, signal: AbortSignal): Promise<ToolPreparation>;
  /** Returns text for the model. @throws Error with a message for the model */
  invoke(input: unknown, signal: AbortSignal): Promise<string>;
}

/** Registers a tool of package.json. The texts of its question are made safe. A canceled call rejects with `CancellationError`. */
export function registerTool(name: string, tool: HostedTool): vscode.Disposable {
  return vscode.lm.registerTool<unknown>(name, {
    prepareInvocation: ({ input }, token) =>
      withSignal(token, async (signal) => {
        const { progress, question } = await tool.prepare(input, signal);
        return {
          invocationMessage: safe(progress),
          ...(question && {
            confirmationMessages: {
              title: safe(question.title),
              message: markdownString(lines(safe(question.detail))),
            },
          }),
        };
      }),
    invoke: ({ input }, token) =>
      withSignal(token, async (signal) => {
        const text = await tool.invoke(input, signal);
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
      }),
  });
}

/** Returns lines as Markdown with line breaks. */
function lines(text: string) {
  return joinedMarkdown(
    text.split('\n').map((line) => formatted`${foreign(line, LONGEST_LINE)}`),
    '  \n',
  );
}

async function withSignal<Result>(
  token: vscode.CancellationToken,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const subscription = token.onCancellationRequested(() => controller.abort());
  if (token.isCancellationRequested) controller.abort();
  try {
    const result = await task(controller.signal);
    if (controller.signal.aborted) throw new vscode.CancellationError();
    return result;
  } catch (error) {
    throw controller.signal.aborted ? new vscode.CancellationError() : error;
  } finally {
    subscription.dispose();
  }
}
