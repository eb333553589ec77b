/** Language of the documents and output channels that show logs. */
export const LOG_LANGUAGE = 'cloud-compute-log';
