import type { AgentTool } from '../agentTool.ts';
import { billingForecast } from './billingForecast.ts';
import { billingSummary } from './billingSummary.ts';
import { cancelJob } from './cancelJob.ts';
import { create } from './createEndpoint.ts';
import { remove } from './deleteEndpoint.ts';
import { editImage } from './editImage.ts';
import { estimate } from './estimateCosts.ts';
import { explain } from './explainEndpoint.ts';
import { listEndpoints } from './listEndpoints.ts';
import { workers } from './listWorkers.ts';
import { localPlatformState } from './localPlatformState.ts';
import { readJobTool } from './readJob.ts';
import { readLogs } from './readLogs.ts';
import { retry } from './retryJob.ts';
import { runJob } from './runJob.ts';
import { scale } from './scaleEndpoint.ts';
import { searchLogs } from './searchLogs.ts';
import { seedLocalPlatform } from './seedLocalPlatform.ts';
import { send } from './sendRequest.ts';
import { setLocalClock } from './setLocalClock.ts';
import { setLocalFaults } from './setLocalFaults.ts';
import { startLocalPlatform } from './startLocalPlatform.ts';
import { update } from './updateEndpoint.ts';
import { validateManifest } from './validateManifest.ts';

/** All tools, in the order in which they are documented. */
export const AGENT_TOOLS: readonly AgentTool[] = [
  listEndpoints,
  explain,
  workers,
  readLogs,
  searchLogs,
  validateManifest,
  create,
  update,
  scale,
  remove,
  runJob,
  readJobTool,
  cancelJob,
  retry,
  send,
  billingSummary,
  billingForecast,
  estimate,
  editImage,
  startLocalPlatform,
  localPlatformState,
  seedLocalPlatform,
  setLocalClock,
  setLocalFaults,
];
