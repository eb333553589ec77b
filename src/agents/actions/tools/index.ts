import type { AgentTool } from '../agentTool.ts';
import { cancelJob } from './cancelJob.ts';
import { changeLocalPlatform } from './changeLocalPlatform.ts';
import { deleteEndpoint } from './deleteEndpoint.ts';
import { deployEndpoint } from './deployEndpoint.ts';
import { editImage } from './editImage.ts';
import { estimateCosts } from './estimateCosts.ts';
import { readBilling } from './readBilling.ts';
import { readEndpoints } from './readEndpoints.ts';
import { readJobTool } from './readJob.ts';
import { readLocalPlatform } from './readLocalPlatform.ts';
import { readLogs } from './readLogs.ts';
import { runJob } from './runJob.ts';
import { scaleEndpoint } from './scaleEndpoint.ts';
import { sendRequest } from './sendRequest.ts';
import { startLocalPlatform } from './startLocalPlatform.ts';
import { validateManifest } from './validateManifest.ts';

/** All tools, in the order in which they are documented. */
export const AGENT_TOOLS: readonly AgentTool[] = [
  readEndpoints,
  readLogs,
  readJobTool,
  validateManifest,
  estimateCosts,
  readBilling,
  readLocalPlatform,
  deployEndpoint,
  scaleEndpoint,
  deleteEndpoint,
  runJob,
  cancelJob,
  sendRequest,
  editImage,
  startLocalPlatform,
  changeLocalPlatform,
];
