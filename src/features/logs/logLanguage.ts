/** Language of the documents and output channels that show logs. */
export const LOG_LANGUAGE = 'cloud-compute-log';

/** Scheme of the documents that show a full log. */
export const FULL_LOG_SCHEME = 'cloud-compute-log';

/** Key of the followed logs in the state of the workspace. */
export const FOLLOWED_KEY = 'cloudCompute.logs.followed';
