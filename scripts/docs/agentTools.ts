import type { AgentTool, ToolEffect } from '../../src/agents/actions/agentTool.ts';
import { table } from './section.ts';

const ASKS: Readonly<Record<ToolEffect, string>> = {
  read: 'no',
  run: 'yes, with the cost',
  change: 'yes',
  destroy: 'yes, with what is lost',
};

/** Returns a table of the tools for users. */
export function agentTools(tools: readonly AgentTool[]): string {
  return table(
    ['Tool', 'What it does', 'Asks you'],
    tools.map(({ name, summary, effect }) => [`\`${name}\``, summary, ASKS[effect]]),
  );
}
