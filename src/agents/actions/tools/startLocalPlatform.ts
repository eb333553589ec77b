import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { changeTool } from '../agentTool.ts';

export const startLocalPlatform = changeTool({
  name: 'start_local_platform',
  title: 'Start Local Platform',
  summary: 'Starts the free local platform and connects to it.',
  icon: 'play-circle',
  description:
    'Starts the local platform on this machine, or joins the one that runs, and makes it the current platform. It has endpoints, jobs, workers, logs, and bills like a hosted platform, works offline, and costs nothing. ' +
    'Call it when a tool reports notConnected, and before you test an endpoint for the first time. Its endpoints and jobs of earlier sessions are still there. Next, call read_endpoints or deploy_endpoint.',
  input: z.strictObject({}),
  effect: 'change',
  commands: ['cloudCompute.localPlatform.start'],
  progress: () => l10n.t('Starting the local platform'),
  plan: (_, context) => {
    const { localPlatform } = context;
    const isCurrent = localPlatform.isRunning && context.connection().isLocal;
    return Promise.resolve({
      question: isCurrent
        ? undefined
        : {
            title: l10n.t('Start the local platform, and use it as the current platform?'),
            lines: [
              l10n.t(
                'It runs on this machine and costs nothing. Endpoints of earlier sessions with a minimum number of workers start these workers again.',
              ),
            ],
          },
      act: async () => {
        await localPlatform.start();
        const { name, host } = context.connection();
        return { running: true, connection: name, host };
      },
    });
  },
});
