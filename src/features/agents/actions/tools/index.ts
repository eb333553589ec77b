import type { AgentTool } from '../agentTool.ts';
import { billingForecast } from './billingForecast.ts';
import { billingSummary } from './billingSummary.ts';
import { editImage } from './editImage.ts';
import { listEndpoints } from './listEndpoints.ts';
import { localPlatformState } from './localPlatformState.ts';
import { seedLocalPlatform } from './seedLocalPlatform.ts';
import { setLocalClock } from './setLocalClock.ts';
import { setLocalFaults } from './setLocalFaults.ts';
import { startLocalPlatform } from './startLocalPlatform.ts';

/** All tools, in the order in which they are documented. */
export const AGENT_TOOLS: readonly AgentTool[] = [
  listEndpoints,
  billingSummary,
  billingForecast,
  editImage,
  startLocalPlatform,
  localPlatformState,
  seedLocalPlatform,
  setLocalClock,
  setLocalFaults,
];
