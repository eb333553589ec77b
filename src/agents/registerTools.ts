import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerTool, type HostedTool } from '../kit/languageModelTools.ts';
import { confirmed } from '../kit/messages.ts';
import { foreign, joined, type ShownText } from '../text/shownText.ts';
import type { Lazy } from '../kit/lazy.ts';
import type { Jobs } from '../features/jobs/index.ts';
import type { AccountServices } from '../account/accountServices.ts';
import type { AgentTool, Confirmation } from './actions/agentTool.ts';
import { Agreements } from './model/agreements.ts';

/** Prefix of the names of tools in the editor. All extensions share the names. */
const PREFIX = 'cloudCompute_';
/** Longest line of a question, in UTF-16 code units, and the maximum number of lines. */
const LONGEST_LINE = 1_000;
const MAX_LINES = 60;

interface Contributions {
  readonly contributes?: { readonly languageModelTools?: readonly { readonly name: string }[] };
}

/** Registers the tools of package.json for the agents of the editor. Their code is loaded with the first call. */
export function registerTools(services: AccountServices, jobs: Lazy<Jobs>): vscode.Disposable {
  const { contributes } = services.context.extension.packageJSON as Contributions;
  const agreements = new Agreements();
  const registered = (contributes?.languageModelTools ?? []).map(({ name }) =>
    registerTool(name, editorTool(services, jobs, agreements, name.slice(PREFIX.length))),
  );
  return vscode.Disposable.from(...registered);
}

/** Returns the tool with this name, as the editor calls it. */
function editorTool(services: AccountServices, jobs: Lazy<Jobs>, agreements: Agreements, name: string): HostedTool {
  const context = async (signal: AbortSignal) => {
    const { editorContext } = await import('./editorContext.ts');
    return editorContext(services, (await jobs.get()).services, signal);
  };
  return {
    prepare: async (input, signal) => {
      const tool = await toolOf(name);
      // An untrusted workspace is refused without a question.
      if (!vscode.workspace.isTrusted) return { progress: tool.title };
      const { previewTool } = await import('./actions/callTool.ts');
      const preview = await previewTool(tool, input, await context(signal));
      if ('failed' in preview) {
        agreements.put(name, input, undefined);
        return { progress: tool.title };
      }
      const { confirmation, progress } = preview;
      agreements.put(name, input, confirmation);
      if (!confirmation) return { progress };
      const { title, detail } = confirmation;
      return { progress, question: { title, detail: linesOf(detail) } };
    },
    invoke: async (input, signal) => {
      const tool = await toolOf(name);
      const { callTool, refusedOutcome } = await import('./actions/callTool.ts');
      const agreed = agreements.take(name, input) ?? 'nothing';
      // The user can have allowed the tool in general, which is not an answer to this question.
      const isOwnQuestion = agreed !== 'nothing' && agreed.needsPerson;
      const agree = isOwnQuestion ? { agree: askPerson } : {};
      const { isError, text } = vscode.workspace.isTrusted
        ? await callTool(tool, input, await context(signal), { agreed, ...agree })
        : refusedOutcome('untrusted', 'Tools require a trusted workspace.');
      if (!isError) return text;
      services.log.debug(`The tool ${name} failed: ${text}`);
      throw new Error(text);
    },
  };
}

function askPerson({ title, detail }: Confirmation): Promise<boolean> {
  return confirmed(foreign(title, LONGEST_LINE), linesOf(detail), l10n.t('Deploy'));
}

/** Returns a text with its line breaks, whose lines are safe. */
function linesOf(text: string): ShownText {
  const lines = text.split('\n').map((line) => foreign(line, LONGEST_LINE));
  const more = lines.length - MAX_LINES;
  return joined([...lines.slice(0, MAX_LINES), ...(more > 0 ? [l10n.t`and ${more} more lines`] : [])], '\n');
}

async function toolOf(name: string): Promise<AgentTool> {
  const { AGENT_TOOLS } = await import('./actions/tools/index.ts');
  const tool = AGENT_TOOLS.find((one) => one.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return tool;
}
