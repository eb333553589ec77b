/** Type of the panels of forms. */
export const FORM_VIEW_TYPE = 'cloudCompute.jobForm';
