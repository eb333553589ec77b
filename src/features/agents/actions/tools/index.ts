import type { AgentTool } from '../agentTool.ts';
import { listEndpoints } from './listEndpoints.ts';

/** All tools, in the order in which they are documented. */
export const AGENT_TOOLS: readonly AgentTool[] = [listEndpoints];
